/** Several processes on one Postgres do the work of one, whichever of them ends, and however. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { fleet, readyz, until } from "../support/fleet.ts"

describe("three processes on one Postgres", () => {
  it.live(
    "ask upstreams as often as one",
    () =>
      Effect.gen(function* () {
        const { requests, join } = yield* fleet({ plugins: 6, every: "2 seconds" })
        const a = yield* join("a")
        const b = yield* join("b")
        yield* Effect.sleep("15 seconds")
        console.log(a.said(), b.said())
        console.log([...requests].map(([k, v]) => [k, v.map((t, i) => t - (v[i - 1] ?? t))]))
        console.log(yield* readyz(a))
      }).pipe(Effect.scoped),
    120_000
  )
})
