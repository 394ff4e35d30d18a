import { Effect, Result, Schema } from "effect"
import { headline, type Moment, metric, Plugin, partOf, readOn, termsOn, Upstream } from "#plugin"
import { combine } from "#plugin/fields"

const Elements = Schema.Array(
  Schema.Struct({
    NORAD_CAT_ID: Schema.Union([
      Schema.Int.check(Schema.isGreaterThan(0)),
      Schema.String.check(Schema.isPattern(/^0*[1-9]\d*$/))
    ]),
    EPOCH: Schema.optional(Schema.Unknown)
  })
)

/** When the elements hold, epoch milliseconds; an object without it is tracked all the same. */
const epochOf = ({ EPOCH }: { readonly EPOCH?: unknown }): Moment | undefined =>
  typeof EPOCH === "string" ? Upstream.time(EPOCH) : undefined

/** The epochs that are told. */
const datesOf = (elements: typeof Elements.Type) =>
  elements.map(epochOf).filter((epoch) => typeof epoch === "number")

/** Symbol and CelesTrak's name of each group. */
const groups = {
  STARLINK: "starlink",
  ONEWEB: "oneweb",
  IRIDIUM: "iridium-NEXT",
  NAVSTAR: "gps-ops",
  GALILEO: "galileo",
  GLONASS: "glo-ops",
  BEIDOU: "beidou",
  PLANET: "planet",
  SPIRE: "spire",
  STATIONS: "stations"
}

const day = 86_400_000

/** What CelesTrak says, with status 200 or 403, to an address that has the newest data already. */
const isUnchanged = (text: string | undefined): boolean =>
  text?.startsWith("GP data has not updated") === true

/** Undefined where nothing changed since the last download. */
const read = Effect.fnUntraced(function* (group: string) {
  const url = `https://celestrak.org/NORAD/elements/gp.php?GROUP=${group}&FORMAT=json`
  const answer = yield* Upstream.text(url).pipe(
    Effect.catchTag("UpstreamRefused", (refusal) =>
      isUnchanged(refusal.said) ? Effect.succeed(undefined) : Effect.fail(refusal)
    )
  )
  if (answer === undefined || isUnchanged(answer.body)) return undefined
  if (answer.body.startsWith("No GP data found")) return yield* Upstream.refused(answer, answer.body)
  const elements = yield* Upstream.parseJson(url, Elements, answer.body)
  if (elements.length === 0) return yield* Upstream.implausible(answer, "", "a group without an object")
  // Dated by the answer instead, elements of any age would look new.
  if (elements.some(({ EPOCH }) => EPOCH !== null && EPOCH !== undefined) && datesOf(elements).length === 0) {
    return yield* Upstream.implausible(answer, '[0]["EPOCH"]', "not a time as ISO 8601 text")
  }
  return { answer, elements }
})

/** Whether CelesTrak turns this address away, and not the one group alone, which it may have renamed. */
const isTurnedAway = (error: Upstream.UpstreamError): boolean =>
  error._tag === "UpstreamRefused" && error.status >= 400 && error.status !== 404

export default Plugin.define({
  id: "celestrak",
  title: "Satellites by constellation",
  covers: { sector: "PHYSICAL_SATELLITE", symbols: Object.keys(groups) },
  tier: "physical",
  source: "celestrak_gp",
  hosts: ["celestrak.org"],
  every: "3 hours",
  timeout: "5 minutes",
  calls: 10,
  grade: "K",
  evidence: readOn("2026-11-25", {
    "https://celestrak.org/NORAD/documentation/gp-data-formats.php": "GROUP, FORMAT, JSON",
    "clemensv/real-time-sources@9a34d15c feeders/celestrak/celestrak_amqp/celestrak_amqp/app.py:95":
      "NORAD_CAT_ID, EPOCH"
  }),
  relations: [partOf("satellites_fresh", "satellites_tracked")],
  terms: termsOn("2026-11-25", "Data: CelesTrak, celestrak.org"),
  keep: 3,
  metrics: {
    satellites_tracked: headline(
      "satellites",
      "Distinct catalogue numbers in the CelesTrak group of the constellation."
    ),
    satellites_fresh: metric("satellites", "Those of them whose orbital elements are at most three days old.")
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const now = yield* Upstream.now
      const rows: Array<Plugin.CollectedPart> = []
      const failures: Array<Upstream.UpstreamError> = []
      let answered = false
      // One after the other: an address that is turned away must not go on asking, or it is shut out for good.
      for (const [symbol, group] of Object.entries(groups)) {
        const outcome = yield* Effect.result(read(group))
        if (Result.isFailure(outcome)) {
          failures.push(outcome.failure)
          rows.push(Plugin.failedPart(outcome.failure, symbol))
          if (isTurnedAway(outcome.failure)) break
          continue
        }
        // Unchanged: the last row stands with its own time, and is not said again under a new one.
        if (outcome.success === undefined) {
          answered = true
          continue
        }
        const { answer, elements } = outcome.success
        const epochs = datesOf(elements)
        // Elements are predicted a little ahead, and not by years.
        if (epochs.some((epoch) => epoch > now + 3 * day)) {
          const ahead = Upstream.implausible(answer, '["EPOCH"]', "more than three days in the future")
          failures.push(ahead)
          rows.push(Plugin.failedPart(ahead, symbol))
          continue
        }
        answered = true
        const distinct = (list: typeof elements) => new Set(list.map((it) => Number(it.NORAD_CAT_ID))).size
        rows.push(
          ...observe(
            answer,
            {
              satellites_tracked: distinct(elements),
              satellites_fresh: combine(elements.map(epochOf), (epochs) =>
                distinct(elements.filter((_, index) => (epochs[index] ?? 0) > now - 3 * day))
              )
            },
            // The newest of them may lie in the future.
            { symbol, as_of: epochs.length === 0 ? undefined : Math.min(Math.max(...epochs), now) }
          )
        )
      }
      const [failure] = failures
      return answered || failure === undefined ? rows : yield* failure
    })
})
