/** Broken payloads: answers of every `ok` case are spoilt in turn; the run fails clearly or leaves rows out, and never says something new. */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Plugins from "../../runtime/collector/plugins.ts"
import * as Spoil from "../../runtime/contributor/check/spoil.ts"
import * as Fixtures from "../../runtime/contributor/fixtures.ts"

const cases = await Effect.runPromise(
  Effect.gen(function* () {
    const loaded = []
    for (const plugin of yield* Plugins.all()) {
      const { id } = plugin.manifest
      const { tape } = yield* Fixtures.load(join(Fixtures.root, id, "ok"))
      loaded.push({ id, plugin, tape, sound: yield* Spoil.soundOf(plugin, tape) })
    }
    return loaded
  })
)

describe.each(cases)("$id", ({ plugin, sound, tape }) => {
  it.effect.each([...Spoil.ways])("$name is an error or an absence, never a zero", (way) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* Spoil.invented(plugin, tape, sound, way), [])
    })
  )
})
