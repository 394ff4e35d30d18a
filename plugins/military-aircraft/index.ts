import { Effect, Result, Schema } from "effect"
import { headline, Plugin, readOn, termsOn, Upstream } from "#plugin"
import { double, readable } from "#plugin/fields"
import { unionLabel, unionLabels } from "#plugin/union"

const Aircraft = Schema.Struct({
  /** The 24-bit ICAO address; one that a receiver made up has a "~" before it. */
  hex: Schema.String.check(Schema.isPattern(/^~?[0-9a-fA-F]{6}$/)),
  alt_baro: Upstream.maybe(Schema.Union([double, Schema.Literal("ground")])),
  gs: Upstream.maybe(double),
  seen: Upstream.maybe(double.check(Schema.isGreaterThanOrEqualTo(0)))
})
interface Aircraft extends Schema.Schema.Type<typeof Aircraft> {}

const List = Schema.Struct({ ac: Schema.Array(Schema.Unknown), now: Upstream.maybe(double) })

/** Heard within a minute, and in the air by its altitude or, without one, by a speed no taxiing aircraft has. */
const isAirborne = ({ alt_baro, gs, seen: secondsSince }: Aircraft): boolean => {
  if (secondsSince === null || secondsSince === undefined || secondsSince > 60) return false
  if (alt_baro === null || alt_baro === undefined) return (gs ?? 0) > 50
  return typeof alt_baro === "number"
}

const read = Effect.fnUntraced(function* (url: string) {
  const answer = yield* Upstream.json(url, List)
  const { ac, now } = answer.body
  if (ac.length === 0) {
    return yield* Upstream.implausible(answer, '["ac"]', "an empty list, where hundreds are normal")
  }
  if (now === null || now === undefined) return yield* Upstream.implausible(answer, '["now"]', "no time")
  // Some mirrors give seconds where others give milliseconds.
  const as_of = now < 1e12 ? now * 1000 : now
  // Addresses with "~" are made up by a receiver, and another receiver makes up another.
  const aircraft = yield* readable(answer, ac, Aircraft)
  // None in the air is only measured where every aircraft tells when it was heard, and how high it is or how fast.
  const isTold = ({ alt_baro, gs, seen: secondsSince }: Aircraft) =>
    typeof secondsSince === "number" && (alt_baro ?? gs ?? undefined) !== undefined
  if (!aircraft.some(isAirborne) && !aircraft.every(isTold)) {
    return yield* Upstream.implausible(answer, '["ac"]', "none in the air, and some that do not tell")
  }
  const airborne = aircraft.filter(isAirborne).map(({ hex }) => hex.toLowerCase())
  return { answer, as_of, airborne: new Set(airborne.filter((hex) => !hex.startsWith("~"))) }
})

const union = "adsb_union_mil"
const networks = ["ADSB_LOL", "AIRPLANES_LIVE"]

export default Plugin.define({
  id: "military-aircraft",
  title: "Military aircraft in the air",
  covers: {
    sector: "PHYSICAL_AIRCRAFT",
    symbols: ["MIL", ...networks],
    gauges: ["mil_aircraft_airborne"]
  },
  tier: "physical",
  source: union,
  sources: ["adsb_lol_mil", "airplanes_live_mil", ...unionLabels(union, networks)],
  hosts: ["api.adsb.lol", "api.airplanes.live"],
  every: "5 minutes",
  calls: 2,
  grade: "A",
  evidence: readOn("2026-11-25", {
    "adsblol/api@4b79cd23 src/adsb_api/utils/api_v2.py:67": "mil, filter_mil",
    "wiedehopf/readsb@0c87e593 README-json.md:38": "hex, alt_baro, gs, seen, now",
    "wiedehopf/readsb@0c87e593 api.c:138": "filter_mil, dbFlags",
    "https://github.com/cpaczek/skylight/issues/65": "api.airplanes.live"
  }),
  terms: termsOn("2026-11-25", "Data: adsb.lol (ODbL 1.0), adsb.lol; airplanes.live", {
    address: "adsblol/api@4b79cd23 src/adsb_api/app.py:71",
    licence: "ODbL-1.0",
    quote: "The license for the API as well as all data ADSB.lol makes public is ODbL"
  }),
  keep: 3,
  metrics: {
    mil_aircraft_airborne: headline(
      "aircraft",
      "Aircraft on the military lists of the receiver networks, each counted once by its ICAO address, that were heard in the last 60 seconds and are in the air (they report an altitude that is not ground, or none and a speed over 50 knots). Where one network does not answer, the union of the others stands under a source that names them, such as adsb_union_mil_of_adsb_lol; each network's own count is given next to it. It is counted from the list itself, and never taken from the total that the list states."
    )
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const outcomes = yield* Upstream.parts([
        [{ symbol: "ADSB_LOL", source: "adsb_lol_mil" }, read("https://api.adsb.lol/v2/mil")],
        [
          { symbol: "AIRPLANES_LIVE", source: "airplanes_live_mil" },
          read("https://api.airplanes.live/v2/mil")
        ]
      ])
      const lists: Array<Effect.Success<ReturnType<typeof read>>> = []
      const live: Array<string> = []
      const rows = outcomes.flatMap(({ name, outcome }) => {
        if (Result.isFailure(outcome)) {
          return [Plugin.failedPart(outcome.failure, name.symbol, "mil_aircraft_airborne")]
        }
        const { airborne, answer, as_of } = outcome.success
        lists.push(outcome.success)
        live.push(name.symbol)
        return observe(answer, { mil_aircraft_airborne: airborne.size }, { ...name, as_of })
      })
      const [largest] = lists.toSorted((a, b) => b.airborne.size - a.airborne.size)
      if (largest === undefined) return rows
      const all = new Set(lists.flatMap(({ airborne }) => [...airborne]))
      // A union is as old as its oldest part.
      const as_of = Math.min(...lists.map((list) => list.as_of))
      const source = unionLabel(union, networks, live)
      return [
        ...rows,
        ...observe(largest.answer, { mil_aircraft_airborne: all.size }, { symbol: "MIL", source, as_of })
      ]
    })
})
