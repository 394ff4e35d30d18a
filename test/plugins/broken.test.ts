/** Broken payloads: every answer of every `ok` case is spoilt in turn; the run fails clearly or leaves rows out, and never says something new. */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Spoil from "../../runtime/check/spoil.ts"
import * as Fixtures from "../../runtime/fixtures.ts"
import * as Plugins from "../../runtime/plugins.ts"

const plugins = await Effect.runPromise(Plugins.all())

describe.each(plugins)("$manifest.id", (plugin) => {
  it.effect.each([...Spoil.ways])("$name is an error or an absence, never a zero", (way) =>
    Effect.gen(function* () {
      const { tape } = yield* Fixtures.load(join(Fixtures.root, plugin.manifest.id, "ok"))
      assert.deepStrictEqual(yield* Spoil.invented(plugin, tape, way), [])
    })
  )
})
