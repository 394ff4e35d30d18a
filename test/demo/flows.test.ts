/** What networks earned and paid out since the start, in the demo: it grows, so that a day of it is something. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { flowParts } from "../../core/plugin/flows.ts"
import { day } from "../../core/plugin/time.ts"
import * as Fixtures from "../../runtime/contributor/fixtures.ts"
import { reelOf } from "../../runtime/tape/reelOf.ts"
import { tapeAt } from "../../runtime/tape/tape.ts"
import { triedPlugins } from "../support/plugins.ts"

const counting = triedPlugins.filter(
  ({ manifest: { disabled, metrics } }) =>
    disabled === undefined && Object.keys(metrics).some((name) => flowParts(name)?.span === "total")
)

const days = [3, 2, 1, 0]

describe("a total of the demo", () => {
  it.effect.each(counting)("of $manifest.id grows on each day, by a part that a day may have", (plugin) =>
    Effect.gen(function* () {
      const { reel, tape } = yield* reelOf(plugin.manifest.id, Fixtures.root)
      const totals = new Map<string, Array<number>>()
      for (const before of days) {
        const rows = yield* Fixtures.replay(plugin, tapeAt(reel, tape.now - before * day))
        if ("error" in rows) return assert.fail(rows.message)
        for (const { metric, symbol, value } of rows.observations) {
          if (flowParts(metric)?.span !== "total") continue
          const name = `${symbol} ${metric}`
          totals.set(name, [...(totals.get(name) ?? []), value])
        }
      }
      assert.isAbove(totals.size, 0)
      for (const [name, values] of totals) {
        assert.strictEqual(values.length, days.length, name)
        for (const [at, value] of values.entries()) {
          const earlier = values[at - 1]
          if (earlier === undefined) continue
          assert.isAbove(value, earlier, name)
          assert.isBelow(value / earlier, 1.01, name)
        }
      }
    })
  )
})
