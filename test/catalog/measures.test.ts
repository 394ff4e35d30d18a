/** The comparable measures as data: of metrics and networks that are there, and of like things alone where they rank. */
import { assert, describe, it } from "vitest"
import { measureOfLike, measures, measuresNear } from "../../core/catalog/Measures.ts"
import { metricNamed } from "../../core/plugin/Manifest.ts"
import { plugins } from "../support/plugins.ts"

const manifests = plugins.map(({ manifest }) => manifest)

describe("a measure", () => {
  it("is written down once, of networks that are there, and no metric of a network is in two parts of one", () => {
    assert.isAtLeast(measures.length, 25)
    assert.strictEqual(new Set(measures.map(({ name }) => name)).size, measures.length)
    const asks = measures.flatMap((one) => one.asks)
    assert.strictEqual(new Set(asks).size, asks.length)
    for (const { members, name, ranks, title, unit } of measures) {
      const pairs = members.flatMap(({ metric, of = ["*"] }) => of.map((symbol) => `${symbol} ${metric}`))
      assert.strictEqual(new Set(pairs).size, pairs.length, name)
      // What is counted is said where it differs.
      if (!ranks) for (const { counts } of members) assert.isString(counts, title)
      // Whoever is named states the metric, and every metric is somebody's.
      for (const { metric, of = [] } of members) {
        const feeds = manifests.filter(({ metrics }) => metricNamed(metrics, metric)?.unit === unit)
        assert.isNotEmpty(feeds, `${name}: ${metric}`)
        for (const symbol of of)
          assert.isTrue(
            feeds.some(({ covers }) =>
              ("sector" in covers ? covers.symbols : "networks" in covers ? covers.networks : []).includes(
                symbol
              )
            ),
            `${name}: ${symbol} ${metric}`
          )
      }
    }
    // Sia's hosts say what they have, and Storj says what its customers stored: one name, unlike things.
    assert.isUndefined(measureOfLike("STORAGE_TOTAL_BYTES", ["SC", "STORJ"]))
    assert.strictEqual(measureOfLike("STORAGE_TOTAL_BYTES", ["STORJ"])?.name, "storage-used")
    assert.isUndefined(measureOfLike("staked_amount", ["GRT", "SQT"]))
    assert.strictEqual(measuresNear("gpus-suply")[0]?.name, "gpu-supply")
    assert.deepStrictEqual(measuresNear("zzz"), [])
  })
})
