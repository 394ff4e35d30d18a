import { Effect, Schema } from "effect"
import {
  everyUse,
  headline,
  mayDropToZero,
  type Numeric,
  Plugin,
  partOf,
  readOn,
  termsOn,
  Upstream
} from "#plugin"
import { combine, distinct, nonEmpty, quantity, sum } from "#plugin/fields"

const quarter = 15 * 60_000

const Trains = nonEmpty(
  Schema.Struct({
    trainNumber: Schema.Int,
    departureDate: Schema.NonEmptyString,
    timestamp: Upstream.TimeText,
    speed: quantity
  })
)

/** 1 for a train that moves, and 0 for one that stands; a speed that is not told, or cannot be read, stays so. */
const isMoving = (speed: Numeric | null | undefined) => combine([speed], ([speed]) => Number(speed > 0))

export default Plugin.define({
  id: "digitraffic-rail",
  title: "Trains in Finland",
  covers: { sector: "MOBILITY_RAIL", symbols: ["FI_TRAINS"], gauges: ["trains_running"] },
  tier: "physical",
  source: "digitraffic_train_locations",
  hosts: ["rata.digitraffic.fi"],
  every: "5 minutes",
  grade: "A",
  evidence: readOn("2026-11-25", {
    "tmfg/digitraffic-rail@5a041bfe AvoinDataServer/src/main/java/fi/livi/rata/avoindata/server/controller/api/TrainLocationController.java:44":
      "train-locations, latest",
    "tmfg/digitraffic-rail@5a041bfe AvoinDataCommon/src/main/java/fi/livi/rata/avoindata/common/domain/trainlocation/TrainLocation.java:32":
      "speed"
  }),
  relations: [partOf("trains_moving", "trains_running")],
  terms: termsOn("2026-11-25", "Data: Fintraffic, digitraffic.fi (CC BY 4.0)", {
    address: "https://rata.digitraffic.fi/",
    licence: "CC-BY-4.0",
    ...everyUse,
    quote: "Rajapinnasta saatavien tietojen käyttölupa on Creative Commons Nimeä 4.0."
  }),
  metrics: {
    trains_running: headline(
      "count",
      "Trains in Finland whose newest position is at most 15 minutes old (Fintraffic, CC BY 4.0). Few trains run at night.",
      { collapse: 1 }
    ),
    trains_moving: mayDropToZero("count", "Those of them whose speed is above 0.")
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const answer = yield* Upstream.json(
        {
          method: "GET",
          url: "https://rata.digitraffic.fi/api/v1/train-locations/latest/",
          headers: { "digitraffic-user": "Plumbline" }
        },
        Trains
      )
      const timed = answer.body.flatMap((train) => {
        const at = Upstream.time(train.timestamp)
        return typeof at === "number" ? [{ ...train, at }] : []
      })
      const running = distinct(
        // A clock of a train may run a little ahead; a position of tomorrow is none.
        timed
          .filter(({ at }) => at > answer.at - quarter && at < answer.at + 60_000)
          .toSorted((a, b) => b.at - a.at),
        ({ departureDate, trainNumber }) => `${departureDate} ${trainNumber}`
      )
      // The operator lists positions of the last 15 minutes: when all are old, the positions have stopped, and not the trains.
      const [newest] = running
      if (newest === undefined) {
        return yield* Upstream.implausible(answer, "", "no position of the past 15 minutes")
      }
      const speeds = running.map(({ speed }) => speed)
      return observe(
        answer,
        {
          trains_running: running.length,
          trains_moving: sum(speeds.map(isMoving))
        },
        { as_of: Math.min(newest.at, answer.at), verify_url: "https://junalahdot.fi/" }
      )
    })
})
