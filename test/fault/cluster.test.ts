/** Several processes on one Postgres do the work of one, whichever of them ends, and however. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Postgres from "../../runtime/database/Postgres.ts"
import { cloneUrl } from "../support/database.ts"
import { type Fleet, fleet, type Member, readyz, until } from "../support/fleet.ts"

/** What takes longer runs in a campaign (`npm run campaign`). */
const isCampaign = process.env["KILLS"] !== undefined

const sqlOf = ({ databaseUrl }: Fleet) =>
  Effect.map(Layer.build(Postgres.layer(Redacted.make(databaseUrl))), (context) =>
    Context.get(context, SqlClient.SqlClient)
  )

interface Owner {
  readonly plugin: string
  readonly epoch: number
  readonly pid: number
}

const ownersOf = (sql: SqlClient.SqlClient) =>
  sql<Owner>`select plugin, epoch, substring(runner from 'pid ([0-9]+)')::int as pid from feed_owner order by plugin`

/** Waits until every feed belongs to one of these processes. */
const settled = (sql: SqlClient.SqlClient, plugins: number, members: ReadonlyArray<Member>) =>
  Effect.repeat(Effect.delay(ownersOf(sql), "100 millis"), {
    until: (owners) =>
      owners.length === plugins && owners.every(({ pid }) => members.some(({ child }) => child.pid === pid))
  })

/** The values that are stored of a plugin: the nth answer of the stand-in says n. */
const storedOf = (sql: SqlClient.SqlClient, plugin: string) =>
  Effect.map(
    sql<{ value: number }>`
      select value from observation o join series s on s.id = o.series where s.plugin = ${plugin} order by value`,
    (rows) => rows.map(({ value }) => value)
  )

const countOf = ({ requests }: Fleet): number => [...requests.values()].flat().length

describe("processes that share a Postgres", () => {
  it.live(
    "ask upstreams as often as one process, and take over from one that is killed or told to stop",
    () =>
      Effect.gen(function* () {
        const plugins = 8
        const every = 2000
        const ships = yield* fleet(yield* cloneUrl, { plugins, every: `${every} millis` })
        const sql = yield* sqlOf(ships)
        const [a, b, c] = yield* Effect.forEach(["a", "b", "c"], (name) => ships.join(name), {
          concurrency: 3
        })
        assert.isDefined(a)
        assert.isDefined(b)
        assert.isDefined(c)
        yield* settled(sql, plugins, [a, b, c])
        const before = new Map([...ships.requests].map(([plugin, times]) => [plugin, times.length]))
        yield* Effect.sleep(3 * every)
        const counts = [...ships.requests].map(([plugin, times]) => times.length - (before.get(plugin) ?? 0))
        // One owner asks three or four times, two would ask at least six times.
        assert.isAtMost(Math.max(...counts), 5)
        assert.isAtLeast(Math.min(...counts), 1)

        // The one with the most feeds, so that there is something to take over.
        const pids = (yield* ownersOf(sql)).map(({ pid }) => pid)
        const [first, ...others] = [a, b, c].toSorted(
          (one, other) =>
            pids.filter((pid) => pid === other.child.pid).length -
            pids.filter((pid) => pid === one.child.pid).length
        )
        assert.isDefined(first)
        first.child.kill("SIGKILL")
        yield* settled(sql, plugins, others)

        const [second, third] = others
        assert.isDefined(second)
        assert.isDefined(third)
        const told = new Map([...ships.requests].map(([plugin, times]) => [plugin, times.length]))
        second.child.kill("SIGTERM")
        const { reasons } = yield* Effect.repeat(readyz(second), { until: ({ status }) => status === 503 })
        assert.deepStrictEqual(
          reasons.map(({ code }) => code),
          ["stopping"]
        )
        yield* settled(sql, plugins, [third])
        assert.strictEqual(yield* second.ended, 130)
        const asked = countOf(ships)
        yield* until(() => countOf(ships) > asked + plugins)
        third.child.kill("SIGTERM")
        yield* third.ended

        // A process that is told to stop finishes its runs: each answer since then is stored.
        for (const [plugin, times] of ships.requests) {
          const stored = new Set(yield* storedOf(sql, plugin))
          const since = Array.from({ length: times.length }, (_, n) => n + 1).slice(told.get(plugin))
          assert.deepStrictEqual(
            since.filter((n) => !stored.has(n)),
            [],
            plugin
          )
        }
        // What was half done when a process was killed is all that a restart of the state repeats.
        assert.notInclude(third.said(), "ERROR")
      }).pipe(Effect.scoped),
    180_000
  )
})

if (isCampaign) {
  describe("in a campaign, processes that share a Postgres", () => {
    it.live(
      "refuse what a process that was frozen for longer than its locks last still has to say",
      () =>
        Effect.gen(function* () {
          const ships = yield* fleet(yield* cloneUrl, { plugins: 2, every: "2 seconds" })
          const sql = yield* sqlOf(ships)
          const frozen = yield* ships.join("frozen")
          yield* settled(sql, 2, [frozen])
          const release = ships.hold("made-up-0")
          const before = ships.requests.get("made-up-0")?.length ?? 0
          yield* until(() => (ships.requests.get("made-up-0")?.length ?? 0) > before)
          const other = yield* ships.join("other")
          frozen.child.kill("SIGSTOP")
          yield* settled(sql, 2, [other])
          release()
          const stale = ships.requests.get("made-up-0")?.length ?? 0
          frozen.child.kill("SIGCONT")
          yield* until(() => frozen.said().includes("dropped a run"))
          yield* until(() => (ships.requests.get("made-up-0")?.length ?? 0) > stale)
          assert.notInclude(yield* storedOf(sql, "made-up-0"), before + 1)
        }).pipe(Effect.scoped),
      180_000
    )
  })
}
