import { Effect, Result, Schema } from "effect"
import {
  everyUse,
  headline,
  isoTime,
  metric,
  type Numeric,
  Plugin,
  readOn,
  signed,
  sumOf,
  termsOn,
  Upstream
} from "#plugin"
import { combine, newest, nonEmpty, number, sum } from "#plugin/fields"

const api = "https://data.elexon.co.uk/bmrs/api/v1"
// Without the flag, what leaves over a cable and what pumped storage takes are not told.
const outturn = `${api}/generation/outturn/summary?includeNegativeGeneration=true&format=json`
const verify_url = "https://bmrs.elexon.co.uk/"
const halfHour = 30 * 60_000

/**
 * By what share generation with imports may differ from the demand: the two belong to half hours that may lie one hour apart, and
 * the demand leaves the load of the power stations themselves out.
 */
const tolerance = 0.3

/** Fuels that Great Britain has never run without, two of them at once. */
const steady = ["BIOMASS", "CCGT", "NUCLEAR"]

/** What each half hour lists, beside at least one interconnector: without one of these it is not whole. */
const always = [...steady, "WIND"]

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

/** The demand of the newest half hour that is over. */
const newestDemand = Effect.map(Upstream.json(`${api}/demand/outturn?format=json`, Demand), (answer) => {
  const over = answer.body.data.filter(({ startTime }) => {
    const at = Upstream.time(startTime)
    return typeof at === "number" && at + halfHour <= answer.at
  })
  return { answer, last: newest(over, ({ startTime }) => startTime) }
})

/** Whether two figures that are both told differ by more than the tolerance. */
const differ = (a: Numeric | null | undefined, b: Numeric | null | undefined): boolean =>
  combine([a, b], ([a, b]) => Math.abs(a - b) > tolerance * Math.max(a, b)) === true

type HalfHour = (typeof Outturn.Type)[number]

const isCable = ({ fuelType }: HalfHour["data"][number]): boolean => fuelType.startsWith("INT")

/** What the newest half hour does not list, although each does, or the one before it does. */
const unlisted = (all: ReadonlyArray<HalfHour>, last: HalfHour): ReadonlyArray<string> => {
  const before = newest(
    all.filter((entry) => entry !== last),
    ({ startTime }) => startTime
  )?.entry
  const words = new Set(last.data.map(({ fuelType }) => fuelType))
  const expected = [...always, ...(before?.data ?? []).map(({ fuelType }) => fuelType)]
  return [
    ...new Set(expected.filter((word) => !words.has(word))),
    ...(last.data.some(isCable) ? [] : ["any interconnector"])
  ]
}

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
  grade: "K",
  evidence: readOn("2026-11-25", {
    "api-evangelist/elexon@6e6acf08 openapi/elexon-generation-api-openapi.yml:331":
      "startTime, data, fuelType, generation, includeNegativeGeneration",
    "api-evangelist/elexon@6e6acf08 openapi/elexon-demand-api-openapi.yml:92":
      "startTime, initialDemandOutturn",
    "api-evangelist/elexon@6e6acf08 openapi/elexon-system-api-openapi.yml:12": "measurementTime, frequency",
    "clemensv/real-time-sources@9a34d15c feeders/elexon-bmrs/elexon_bmrs/elexon_bmrs.py:196":
      "settlementPeriod, fuelType, generation, initialDemandOutturn"
  }),
  // The fuels are other symbols. Demand is an answer of its own: each stands where the other cannot be read.
  relations: [
    sumOf("demand_mw", ["generation_mw", "net_import_mw"], {
      tolerance,
      symbols: ["GB_GRID"],
      optional: ["demand_mw", "generation_mw", "net_import_mw"]
    })
  ],
  terms: termsOn("2026-11-25", "Contains BMRS data © Elexon Limited copyright and database right 2026", {
    address: "https://www.elexon.co.uk/data/balancing-mechanism-reporting-agent/copyright-licence-bmrs-data/",
    licence: "proprietary",
    ...everyUse,
    quote:
      "You are free to: copy, publish, distribute and transmit the BMRS Data; adapt the BMRS Data; exploit the BMRS Data, including commercially, or by including it in your own product or application"
  }),
  metrics: {
    generation_mw: headline(
      "mw",
      "Power generated by plants on the transmission system of Great Britain in the newest half hour of Elexon's summary of fuel types, without interconnectors. The parts are the fuels; pumped storage is negative while it pumps. Contains BMRS data © Elexon Limited copyright and database right 2026.",
      // Pumped storage consumes more than the rest generates on no day, but its own part may be negative.
      { min: -10_000, max: 200_000 }
    ),
    net_import_mw: signed(
      "mw",
      "Power that arrives over all interconnectors, less what leaves over them. Contains BMRS data © Elexon Limited."
    ),
    grid_frequency_hz: metric(
      "hz",
      "System frequency at the newest measurement; nominally 50 Hz. Contains BMRS data © Elexon Limited.",
      { min: 45, max: 55 }
    ),
    demand_mw: metric(
      "mw",
      "Initial national demand outturn: the mean of the newest half hour that is over, with losses of the transmission system, without the load of power stations, pumping and exports. Contains BMRS data © Elexon Limited.",
      { min: 1000 }
    )
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const now = yield* Upstream.now
      const minutes = (count: number) => isoTime(now - count * 60_000)
      const outcome = yield* Effect.result(newestDemand)
      const demand = Effect.gen(function* () {
        const { answer, last } = yield* Effect.fromResult(outcome)
        return observe(
          answer,
          { demand_mw: last?.entry.initialDemandOutturn },
          { symbol: "GB_GRID", as_of: last && last.at + halfHour, verify_url }
        )
      })
      const generation = Effect.gen(function* () {
        const answer = yield* Upstream.json(outturn, Outturn)
        const last = newest(answer.body, ({ startTime }) => startTime)
        const lines = last?.entry.data ?? []
        const cables = lines.filter(isCable)
        const plants = lines.filter((line) => !isCable(line))
        const missing = last === undefined ? [] : unlisted(answer.body, last.entry)
        if (missing.length > 0) {
          return yield* Upstream.implausible(
            answer,
            '["data"]',
            `the half hour of ${last?.entry.startTime} does not list ${missing.join(", ")}`
          )
        }
        const unknown = plants.find(({ fuelType }) => fuels[fuelType] === undefined)
        if (unknown !== undefined) {
          return yield* Upstream.implausible(answer, '["data"]', `the unknown fuel type ${unknown.fuelType}`)
        }
        const still = plants.filter((line) => steady.includes(line.fuelType) && line.generation === 0)
        if (still.length > 1) {
          const names = still.map(({ fuelType }) => fuelType).join(" and ")
          return yield* Upstream.implausible(
            answer,
            '["data"]',
            `${names} at 0 MW, which never stand still at once`
          )
        }
        const facts = { as_of: last?.at, verify_url }
        const imported = sum(cables.map((line) => line.generation))
        // Without what arrives over the cables nothing bears the generation out.
        const generated =
          imported === undefined
            ? Upstream.unreadable("an interconnector does not tell its power")
            : sum(plants.map((line) => line.generation))
        const whole = observe(
          answer,
          { generation_mw: generated, net_import_mw: imported },
          { symbol: "GB_GRID", ...facts }
        )
        const needed = Result.isSuccess(outcome)
          ? outcome.success.last?.entry.initialDemandOutturn
          : undefined
        // The relation refuses the whole; it does not reach the parts, which are other symbols.
        if (differ(sum([generated, imported]), needed)) {
          const reason = "generation and imports contradict the demand of the same run"
          return [
            ...whole,
            ...plants.map((line) => ({
              symbol: fuels[line.fuelType] ?? "",
              metric: "generation_mw",
              reason
            }))
          ]
        }
        return [
          ...whole,
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
      return yield* Plugin.anyOf("GB_GRID", [generation, frequency, demand])
    })
})
