/** A new unit or sector is a line of a data file: here one is made up, and everything that knows units and sectors knows it. */
import { assert, it, vi } from "@effect/vitest"

it("a line of units.json and one of sectors.json are known everywhere", async () => {
  vi.resetModules()
  vi.doMock("../../core/plugin/units.json", async (original) => {
    const { default: units } = await original<{ readonly default: object }>()
    const furlong = {
      means: "eighths of a mile",
      word: "fur",
      ending: "_furlongs",
      is: ["never_negative"],
      greatest: 1e9,
      because: "made up"
    }
    return { default: { ...units, furlongs: furlong } }
  })
  vi.doMock("../../core/plugin/sectors.json", async (original) => {
    const { default: sectors } = await original<{ readonly default: object }>()
    return { default: { ...sectors, PHYSICAL_OCEAN: { means: "Seas and their buoys" } } }
  })
  try {
    const { Schema } = await import("effect")
    const { Unit } = await import("../../core/plugin/Value.ts")
    const { manifestFindings } = await import("../../runtime/contributor/check/manifest.ts")
    const { valueText } = await import("../../http/explorer/html/format.ts")
    const { Api } = await import("../../http/api/Api.ts")
    const { OpenApi } = await import("effect/http-api")
    const unit = Schema.decodeUnknownSync(Unit)("furlongs")
    const manifest = {
      id: "buoys",
      title: "Buoys",
      covers: { sector: "PHYSICAL_OCEAN" as never, symbols: ["BUOYS"] },
      tier: "physical" as const,
      source: "buoys",
      hosts: ["buoys.test"],
      every: "1 hour" as const,
      grade: "A" as const,
      owner: "acme",
      metrics: { drift_furlongs: { unit, min: 0, meaning: "How far buoys drift." } }
    }
    const of = (metrics: object) =>
      manifestFindings("buoys", { ...manifest, metrics: metrics as typeof manifest.metrics })
        .filter(({ says }) => says.includes("drift"))
        .map(({ says }) => says)
    assert.deepStrictEqual(of(manifest.metrics), [])
    assert.deepStrictEqual(of({ drift_furlongs: { unit: "km", min: 0, meaning: "Drift." } }), [
      "drift_furlongs: its name says furlongs, but its unit is km"
    ])
    assert.deepStrictEqual(of({ drift_furlongs: { unit, meaning: "Drift." } }), [
      "drift_furlongs: a value in furlongs has no lower bound"
    ])
    assert.strictEqual(valueText(3, unit), "3 fur")
    const api = JSON.stringify(OpenApi.fromApi(Api))
    for (const words of [
      '"furlongs"',
      "`furlongs`, eighths of a mile",
      '"PHYSICAL_OCEAN"',
      "Seas and their buoys"
    ])
      assert.include(api, words)
  } finally {
    vi.doUnmock("../../core/plugin/units.json")
    vi.doUnmock("../../core/plugin/sectors.json")
    vi.resetModules()
  }
})
