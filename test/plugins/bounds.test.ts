/** Bounds of metrics that upstreams have passed: ingest holds back what lies outside. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { metricNamed } from "../../core/plugin/Manifest.ts"
import { greatestIn, has, units } from "../../core/plugin/units.ts"
import { checkGuards } from "../../core/readings/ingest/compare/guards.ts"
import * as Plugins from "../../runtime/collector/plugins.ts"
import { plugins } from "../support/plugins.ts"

/** Plugin, metric, what an upstream has said, and what it says on a good day. */
const cases = [
  ["weatherxm", "rewards_30d", 56_950_187, 427_380],
  ["weatherxm", "circulating_supply", 100_000_001, 33_480_102]
] as const

it.effect("only what is known to be larger may be above the greatest value of its unit", () =>
  Effect.gen(function* () {
    const larger = plugins.flatMap(({ manifest: { id, metrics } }) =>
      Object.entries(metrics).flatMap(([name, { max = 0, unit }]) =>
        max > greatestIn(unit).greatest ? [`${id} ${name}`] : []
      )
    )
    assert.deepStrictEqual(larger, [
      "chia network_space",
      "filecoin RAW_BYTE_POWER",
      "filecoin QUALITY_ADJ_POWER",
      "internet-computer-burn cycles_burned_total",
      "internet-computer-burn cycles_burned_24h"
    ])
  })
)

it("each unit has a greatest value, and a reason", () => {
  for (const unit of units) {
    const { because, greatest } = greatestIn(unit)
    assert.isAbove(greatest, 0, unit)
    assert.isAbove(because.length, 10, unit)
    if (has(unit, "whole")) assert.isAtMost(greatest, Number.MAX_SAFE_INTEGER, unit)
  }
})

it.effect.each(cases)("%s holds back a %s of %d, and not one of %d", ([id, name, impossible, sound]) =>
  Effect.gen(function* () {
    const { manifest } = yield* Plugins.find(id)
    const metric = metricNamed(manifest.metrics, name)
    if (metric === undefined) return assert.fail(`${id} has no metric ${name}`)
    assert.include(
      checkGuards({ metric, name }, impossible, undefined)?.reason ?? "",
      "above the greatest possible value"
    )
    assert.isUndefined(checkGuards({ metric, name }, sound, undefined))
  })
)
