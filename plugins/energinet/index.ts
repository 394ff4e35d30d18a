import { Effect, Schema } from "effect"
import { headline, metric, Plugin, readOn, termsOn, Upstream } from "#plugin"
import { newest, nonEmpty, number, quantity, sum } from "#plugin/fields"

/** Symbols of the parts by the field of the answer. */
const kinds = {
  ProductionGe100MW: "DK_GRID_LARGE_PLANTS",
  ProductionLt100MW: "DK_GRID_SMALL_PLANTS",
  SolarPower: "DK_GRID_SOLAR",
  OffshoreWindPower: "DK_GRID_OFFSHORE_WIND",
  OnshoreWindPower: "DK_GRID_ONSHORE_WIND"
} as const
type Field = keyof typeof kinds
const fields = Object.keys(kinds) as ReadonlyArray<Field>

const Records = Schema.Struct({
  records: nonEmpty(
    Schema.Struct({
      Minutes1UTC: Upstream.TimeText,
      CO2Emission: number,
      ProductionGe100MW: quantity,
      ProductionLt100MW: quantity,
      SolarPower: quantity,
      OffshoreWindPower: quantity,
      OnshoreWindPower: quantity
    })
  )
})

export default Plugin.define({
  id: "energinet",
  title: "Electricity grid of Denmark",
  covers: {
    sector: "PHYSICAL_GRID",
    symbols: ["DK_GRID", ...Object.values(kinds)],
    gauges: ["carbon_intensity"]
  },
  tier: "physical",
  source: "energinet_right_now",
  hosts: ["api.energidataservice.dk"],
  every: "5 minutes",
  grade: "B",
  evidence: readOn("2026-11-25", {
    "clemensv/real-time-sources@9a34d15c feeders/energidataservice-dk/energidataservice_dk/energidataservice_dk.py:35":
      "Minutes1UTC, CO2Emission, ProductionGe100MW, ProductionLt100MW, SolarPower, OffshoreWindPower, OnshoreWindPower"
  }),
  terms: termsOn("2026-11-25", "Data: Energinet, www.energidataservice.dk", {
    address: "https://www.energidataservice.dk/terms-and-conditions",
    licence: "CC-BY-4.0",
    bodies: "yes",
    values: "yes",
    quote: "Users may copy, change and distribute data freely, even for commercial purposes."
  }),
  metrics: {
    carbon_intensity: headline(
      "g_co2_per_kwh",
      "Carbon dioxide emitted for each kilowatt-hour consumed in Denmark, imports included, as Energinet estimates it every minute.",
      { max: 2000, collapse: 1 }
    ),
    generation_mw: metric(
      "mw",
      "Power generated in Denmark: plants of 100 MW and over, smaller plants, solar, offshore and onshore wind, which are its parts.",
      { max: 50_000 }
    )
  },
  collect: (observe) =>
    Effect.gen(function* () {
      // Without an order, nothing says that five rows are the newest five.
      const answer = yield* Upstream.json(
        "https://api.energidataservice.dk/dataset/PowerSystemRightNow?limit=5&sort=Minutes1UTC%20DESC",
        Records
      )
      const last = newest(answer.body.records, ({ Minutes1UTC }) => Minutes1UTC)
      if (last === undefined) return []
      const { entry } = last
      if (fields.every((field) => entry[field] === 0)) {
        return yield* Upstream.implausible(answer, '["records"]', "no plant generates anything")
      }
      const facts = {
        as_of: last.at,
        verify_url: "https://www.energidataservice.dk/tso-electricity/PowerSystemRightNow"
      }
      return [
        ...observe(
          answer,
          {
            carbon_intensity: entry.CO2Emission,
            generation_mw: sum(fields.map((field) => entry[field]))
          },
          { symbol: "DK_GRID", ...facts }
        ),
        ...fields.flatMap((field) =>
          observe(answer, { generation_mw: entry[field] }, { symbol: kinds[field], ...facts })
        )
      ]
    })
})
