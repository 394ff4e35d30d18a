/** The first two weeks of series: planted factors are held or marked, the true values come back, and honest launches pass. */
import { assert, describe, it } from "@effect/vitest"
import { isFlow } from "../../core/readings/ingest/compare/scale.ts"
import { type Launch, launches } from "./launches.ts"
import { factors, plant, plantedDays, play } from "./played.ts"

const hour = 3_600_000
const days = 14
const start = Date.UTC(2026, 8, 1)
const n = 200

const figureOf = ({ metric, unit }: Launch) => ({
  name: metric,
  metric: { unit, min: 0, meaning: "A figure of a launch." }
})

/** So many runs per day: each gives the value of its day. */
const readingsOf = (launch: Launch, seed: number, perDay: number) =>
  launch.days(seed, days).flatMap((value, day) =>
    Array.from({ length: perDay }, (_, run) => ({
      value,
      asOf: start + (day * 24 + (run * 24) / perDay) * hour
    }))
  )

/** Whether a factor is defined for a value: it moves, and a count by ten or more. */
const isDefined = (unit: string, value: number, factor: number): boolean =>
  value > 0 &&
  (unit !== "count" || (Math.abs(Math.round(value * factor) - value) >= 10 && Math.round(value * factor) > 0))

describe.each(launches)("$name", (launch) => {
  const figure = figureOf(launch)

  it.each([
    ["daily", 1, 1],
    ["every six hours", 4, 3]
  ] as const)(
    "run %s: each planted factor is held, or sealed with a mark, and the true value is served again",
    (_, perDay, most) => {
      const missed: Array<string> = []
      const late: Array<string> = []
      let planted = 0
      for (let seed = 1; seed <= n / 10; seed++) {
        const readings = readingsOf(launch, seed, perDay)
        for (const day of plantedDays)
          for (const factor of factors) {
            const from = day * perDay
            if (!isDefined(launch.unit, readings[from]?.value ?? 0, factor)) continue
            planted++
            const { caught, marked, until } = plant(figure, readings, factor, from, from + perDay)
            const name = `seed ${seed}, day ${day}, x${factor}`
            if (!caught || !marked) missed.push(name)
            if (until > most) late.push(`${name}: ${until} runs`)
          }
      }
      assert.isAbove(planted, 100)
      // Restless series move by such factors by themselves: the shares of all are in `test/bench/README.md`.
      const isFlow = launch.name.includes("flows")
      assert.isAtMost(missed.length / planted, isFlow ? 0.15 : 0.005, missed.slice(0, 5).join("\n"))
      // A true value that moves by more than half in a day settles no level on that day.
      assert.isAtMost(late.length / planted, isFlow ? 0.1 : 0.05, late.slice(0, 5).join("\n"))
    }
  )

  it("passes as it is", () => {
    const nWithheld = Array.from({ length: n }, (_, seed) =>
      play(figure, readingsOf(launch, seed + 1, 1).slice(0, 8))
    ).filter((fared) => fared.some((one) => one.held)).length
    const allowed = launch.name === "restless flows" ? 0.4 : isFlow(launch.metric) ? 0.05 : 0.02
    assert.isAtMost(nWithheld / n, allowed)
  })
})
