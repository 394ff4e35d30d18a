/** Every plugin over the tape: at other times it says the same things, timed then, and within its bounds. */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { targetsOf } from "../../core/catalog/Catalog.ts"
import { metricNamed } from "../../core/plugin/Manifest.ts"
import * as Plugins from "../../runtime/collector/plugins.ts"
import * as Fixtures from "../../runtime/contributor/fixtures.ts"
import { player } from "../../runtime/demo/players.ts"
import { instants, start } from "../../runtime/tape/instants.ts"
import { tapeAt, timeOn } from "../../runtime/tape/tape.ts"
import { seedOf } from "../../runtime/tape/walk.ts"

const plugins = (await Effect.runPromise(Plugins.all())).filter(
  ({ manifest }) => manifest.disabled === undefined
)

const keyOf = (row: { readonly symbol: string; readonly metric: string; readonly source: string }) =>
  `${row.symbol}|${row.metric}|${row.source}`

/** The series of a run; bars have several rows of each. */
const seriesOf = (rows: ReadonlyArray<Parameters<typeof keyOf>[0]>) => [...new Set(rows.map(keyOf))].sort()

/** Three of the instants, other ones for each plugin. */
const some = (id: string) =>
  [1, 2, 3].map((n) => instants[seedOf(`${id}${n}`) % instants.length]?.at ?? start)

describe("the case ok", () => {
  it.effect(
    "asks for networks that the catalog still gives its plugin: rows of others would be refused",
    () =>
      Effect.gen(function* () {
        const gone: Array<string> = []
        for (const { manifest } of plugins) {
          const covered = new Set(targetsOf(manifest.covers).map(({ symbol }) => symbol))
          const { tape } = yield* Fixtures.load(join(Fixtures.root, manifest.id, "ok"))
          for (const { symbol } of tape.targets)
            if (!covered.has(symbol)) gone.push(`${manifest.id} ${symbol}`)
        }
        assert.deepStrictEqual(gone, [])
      })
  )
})

describe("on the tape", () => {
  it.effect.each(plugins)("$manifest.id says the same things at other times", (plugin) =>
    Effect.gen(function* () {
      const { reel } = yield* player(plugin)
      const sound = yield* Fixtures.replay(plugin, reel.base)
      const keys = "observations" in sound ? seriesOf(sound.observations) : []
      assert.isNotEmpty(keys)
      for (const instant of some(plugin.manifest.id)) {
        const now = timeOn(reel, instant)
        assert.isAtMost(now, instant)
        const rows = yield* Fixtures.replay(plugin, tapeAt(reel, now))
        if ("error" in rows) return assert.fail(`${new Date(now).toISOString()}: ${rows.message}`)
        assert.deepStrictEqual(seriesOf(rows.observations), keys)
        for (const { as_of, metric, value } of rows.observations) {
          const { max = Infinity, min = -Infinity } = metricNamed(plugin.manifest.metrics, metric) ?? {}
          assert.isAtMost(Date.parse(as_of), now + 300_000, `${metric} is of the future`)
          assert.isTrue(value >= min && value <= max, `${metric} is ${value}`)
        }
      }
    })
  )
})
