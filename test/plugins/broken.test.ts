/** Broken payloads: answers of every `ok` case are spoilt in turn; the run fails clearly or leaves rows out, and never says something new. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Spoil from "../../runtime/contributor/check/spoil.ts"
import { soundCases } from "../support/plugins.ts"

const cases = (await soundCases()).map(({ rows, ...rest }) => ({ ...rest, sound: Spoil.soundIn(rows) }))

describe.each(cases)("$id", ({ plugin, sound, tape }) => {
  it.effect.each([...Spoil.ways])("$name is an error or an absence, never a zero", (way) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* Spoil.invented(plugin, tape, sound, way), [])
    })
  )
})
