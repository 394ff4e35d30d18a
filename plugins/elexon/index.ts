import { Effect, Schema } from "effect"
import { headline, isoTime, metric, Plugin, signed, Upstream } from "#plugin"
import { newest, nonEmpty, number, sum } from "#plugin/fields"

const api = "https://data.elexon.co.uk/bmrs/api/v1"
// Without the flag, what leaves over a cable and what pumped storage takes are not told.
const outturn = `${api}/generation/outturn/summary?includeNegativeGeneration=true&format=json`
const verify_url = "https://bmrs.elexon.co.uk/"

/** Symbols of the parts by Elexon's word for the fuel. */
const fuels: Readonly<Record<string, string>> = {
  BIOMASS: "GB_GRID_BIOMASS",
  CCGT: "GB_GRID_CCGT",
  COAL: "GB_GRID_COAL",
  NPSHYD: "GB_GRID_HYDRO",
  NUCLEAR: "GB_GRID_NUCLEAR",
  OCGT: "GB_GRID_OCGT",
  OIL: "GB_GRID_OIL",
  OTHER: "GB_GRID_OTHER",
  PS: "GB_GRID_PUMPED_STORAGE",
  WIND: "GB_GRID_WIND"
}

const Outturn = nonEmpty(
  Schema.Struct({
    startTime: Upstream.TimeText,
    data: nonEmpty(Schema.Struct({ fuelType: Schema.NonEmptyString, generation: number }))
  })
)
const Frequency = Schema.Struct({
  data: nonEmpty(Schema.Struct({ measurementTime: Upstream.TimeText, frequency: number }))
})
const Demand = Schema.Struct({
  data: nonEmpty(Schema.Struct({ startTime: Upstream.TimeText, initialDemandOutturn: number }))
})

export default Plugin.define({
  id: "elexon",
  title: "Electricity grid of Great Britain",
  covers: {
    sector: "PHYSICAL_GRID",
    symbols: ["GB_GRID", ...Object.values(fuels)],
    gauges: ["generation_mw", "grid_frequency_hz"]
  },
  tier: "physical",
  source: "elexon_bmrs",
  hosts: ["data.elexon.co.uk"],
  every: "5 minutes",
  calls: 3,
  grade: "A",
  evidence: {
    source:
      "clemensv/real-time-sources@9a34d15c feeders/elexon-bmrs/tests, and an answer of 2026-05-08 quoted publicly; for includeNegativeGeneration clients that ask with it (stored files 36280748974, 5830598429) and one that found no exports without it (17003937648)",
    read: "2026-11-22"
  },
  metrics: {
    generation_mw: headline(
      "mw",
      "Power that plants connected to the transmission system of Great Britain generate, by Elexon's fuel types; interconnectors are left out. Parts by fuel; pumped storage is negative while it pumps. Contains BMRS data © Elexon Limited copyright and database right 2026.",
      // Pumped storage consumes more than the rest generates on no day, but its own part may be negative.
      { min: -10_000, max: 200_000 }
    ),
    net_import_mw: signed(
      "mw",
      "Power that arrives over all interconnectors, less what leaves over them. Contains BMRS data © Elexon Limited."
    ),
    grid_frequency_hz: metric(
      "hz",
      "System frequency of the newest measurement, nominally 50 Hz. Contains BMRS data © Elexon Limited.",
      { min: 45, max: 55 }
    ),
    demand_mw: metric(
      "mw",
      "Initial demand outturn of the newest settlement period. Contains BMRS data © Elexon Limited.",
      { min: 1000 }
    )
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const now = yield* Upstream.now
      const minutes = (count: number) => isoTime(now - count * 60_000)
      const generation = Effect.gen(function* () {
        const answer = yield* Upstream.json(outturn, Outturn)
        const last = newest(answer.body, ({ startTime }) => startTime)
        const lines = last?.entry.data ?? []
        const cables = lines.filter(({ fuelType }) => fuelType.startsWith("INT"))
        const plants = lines.filter(({ fuelType }) => !fuelType.startsWith("INT"))
        const unknown = plants.find(({ fuelType }) => fuels[fuelType] === undefined)
        if (unknown !== undefined) {
          return yield* Upstream.implausible(answer, '["data"]', `the unknown fuel type ${unknown.fuelType}`)
        }
        if (lines.every((line) => line.generation === 0)) {
          return yield* Upstream.implausible(answer, '["data"]', "no fuel generates anything")
        }
        const facts = { as_of: last?.at, verify_url }
        return [
          ...observe(
            answer,
            {
              generation_mw: sum(plants.map((line) => line.generation)),
              net_import_mw: sum(cables.map((line) => line.generation))
            },
            { symbol: "GB_GRID", ...facts }
          ),
          ...plants.flatMap((line) =>
            observe(
              answer,
              { generation_mw: line.generation },
              { symbol: fuels[line.fuelType] ?? "", ...facts }
            )
          )
        ]
      })
      const frequency = Effect.map(
        Upstream.json(`${api}/system/frequency?from=${minutes(15)}&to=${minutes(0)}&format=json`, Frequency),
        (answer) => {
          const last = newest(answer.body.data, ({ measurementTime }) => measurementTime)
          return observe(
            answer,
            { grid_frequency_hz: last?.entry.frequency },
            { symbol: "GB_GRID", as_of: last?.at, verify_url }
          )
        }
      )
      const demand = Effect.map(Upstream.json(`${api}/demand/outturn?format=json`, Demand), (answer) => {
        const last = newest(answer.body.data, ({ startTime }) => startTime)
        return observe(
          answer,
          { demand_mw: last?.entry.initialDemandOutturn },
          { symbol: "GB_GRID", as_of: last?.at, verify_url }
        )
      })
      return yield* Plugin.anyOf("GB_GRID", [generation, frequency, demand])
    })
})
