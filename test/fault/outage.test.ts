/** A Postgres that was away longer than the locks of a cluster last: its processes collect everything again. */
import { setTimeout as pause } from "node:timers/promises"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Server from "../bench/postgres.ts"
import { type Fleet, fleet } from "../support/fleet.ts"
import { until } from "../support/until.ts"

const plugins = 8

/** Waits until each plugin has been asked twice more. */
const collecting = ({ requests }: Fleet) => {
  const before = new Map([...requests].map(([plugin, times]) => [plugin, times.length]))
  return until(
    () =>
      requests.size === plugins &&
      [...requests].every(([plugin, times]) => times.length >= (before.get(plugin) ?? 0) + 2)
  )
}

it.live(
  "three processes collect every feed again, each time",
  () =>
    Effect.gen(function* () {
      const server = yield* Effect.acquireRelease(Effect.promise(Server.start), ({ stop }) =>
        Effect.promise(stop)
      )
      yield* Effect.promise(() => server.createDatabase("fleet"))
      const ships = yield* fleet(`${server.url}/fleet`, { plugins, every: "2 seconds" })
      const members = yield* Effect.forEach(["a", "b", "c"], (name) => ships.join(name), { concurrency: 3 })
      yield* collecting(ships)
      for (const seconds of [15, 25]) {
        yield* Effect.promise(() => server.restart(() => pause(seconds * 1000)))
        yield* collecting(ships)
      }
      for (const { child } of members) assert.isNull(child.exitCode)
    }),
  240_000
)
