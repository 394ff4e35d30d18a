/** Answers that parse and are none, of each plugin: `runtime/contributor/check/odd.ts` has them and the rule. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { oddFindings, ways } from "../../runtime/contributor/check/odd.ts"
import { soundCases } from "../support/plugins.ts"

const cases = await soundCases()

describe.each(cases)("$id", ({ plugin, rows, tape }) => {
  it.effect.each([...ways])("makes nothing new of $name", (way) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* oddFindings(plugin, tape, rows, way), [])
    })
  )
})
