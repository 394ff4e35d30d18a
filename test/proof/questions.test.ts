/** The three answers to a verification. */
import { assert, describe, it } from "vitest"
import { failed, ofPart } from "../../core/proof/check.ts"
import { answersTo } from "../../core/proof/questions.ts"

const signer = [
  { name: "operator's key", ok: true, detail: "signed with the given key k" },
  { name: "key in use", ok: true, detail: "key k was in use" }
] as const
const state = (checks: Parameters<typeof answersTo>[0]) =>
  answersTo(checks, "it").map((answer) => answer.state)

describe("the three answers", () => {
  const whole = { name: "statement", ok: true, detail: "it is whole" } as const

  it("know the signer of a part", () => {
    assert.deepStrictEqual(state([whole, ...signer]), ["yes", "yes", "open"])
    assert.deepStrictEqual(state([whole, ...ofPart("payee", signer)]), ["yes", "yes", "open"])
  })

  it("tell a wrong signer from an altered thing, of a part too", () => {
    const wrong = [failed("operator's key", "signed by another key", "key")]
    for (const part of ["log", "answer"])
      assert.deepStrictEqual(state([whole, ...signer, ...ofPart(part, wrong)]), ["yes", "no", "open"])
  })
})
