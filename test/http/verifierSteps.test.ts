/** The steps that the page of verification shows: every check is in one, also one of a kind that no step names. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { parseBundle } from "../../core/proof/bundle.ts"
import { type Check, failed, notProved } from "../../core/proof/check.ts"
import { verifyBundle } from "../../core/proof/verifyBundle.ts"
import { verdictOf } from "../../http/explorer/client/verifier/outcome.ts"
import { stepsOf, summaryOf } from "../../http/explorer/client/verifier/steps.ts"

const text = readFileSync(new URL("../../fixtures/vectors/bundle.json", import.meta.url), "utf8")
const bundle = parseBundle(text)
const { checks } = verifyBundle(bundle, { network: "bitcoin-regtest-fixture" })
const lastOf = (more: ReadonlyArray<Check>) => stepsOf(bundle, [...checks, ...more]).at(-1)

describe("the last step of a verification", () => {
  it("is Bitcoin's where every check is of a step", () => {
    assert.strictEqual(lastOf([])?.title, "Bitcoin")
    assert.sameMembers(
      stepsOf(bundle, checks).flatMap((step) => step.checks.filter((one) => checks.includes(one))),
      [...checks]
    )
  })

  it.each([
    ["does not hold", failed("tides", "the moon was elsewhere", "contradiction")],
    ["is not proved", notProved("tides", "nobody saw the moon")]
  ])("has what no step names, and what %s there decides", (_, one) => {
    const last = lastOf([one])
    assert.strictEqual(last?.title, "Also in the bundle")
    assert.deepStrictEqual(last?.checks, [one])
    assert.strictEqual(verdictOf([one]), one.ok === false ? "does not hold" : "not proved")
    assert.include(summaryOf([one], "It"), one.detail)
  })
})
