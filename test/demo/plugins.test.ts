/** Every plugin over the tape: `runtime/tape/otherTimes.ts` has the rule. */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Fixtures from "../../runtime/contributor/fixtures.ts"
import { otherTimesFindings } from "../../runtime/tape/otherTimes.ts"
import { triedPlugins } from "../support/plugins.ts"

describe("on the tape", () => {
  it.effect.each(triedPlugins.filter(({ manifest }) => manifest.disabled === undefined))(
    "$manifest.id says the same things at other times, and asks for networks that the catalog has",
    (plugin) =>
      Effect.gen(function* () {
        const { tape } = yield* Fixtures.load(join(Fixtures.root, plugin.manifest.id, "ok"))
        assert.isNotEmpty(tape.exchanges)
        assert.deepStrictEqual(yield* otherTimesFindings(plugin, Fixtures.root), [])
      })
  )
})
