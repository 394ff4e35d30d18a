/**
 * Several processes on one Postgres beside a single one: how often upstreams are asked, how long feeds wait for their next
 * owner, and how much is done twice. `npm run bench -- cluster`.
 */
import { Context, Effect, Layer, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Database from "../../runtime/database/Postgres.ts"
import { type Fleet, fleet, type Member } from "../support/fleet.ts"
import * as Postgres from "./postgres.ts"
import { type Row, rounded } from "./row.ts"

const plugins = 24
const every = 2000
/** How long requests are counted. */
const counted = 20_000

/** A request that follows the one before it after less than this is one too many. */
const minGap = every / 2

const requestsOf = ({ requests }: Fleet): number => [...requests.values()].flat().length

const doubledOf = ({ requests }: Fleet): number =>
  [...requests.values()].flatMap((times) =>
    times.filter((time, n) => n > 0 && time - (times[n - 1] ?? 0) < minGap)
  ).length

interface Owner {
  readonly plugin: string
  readonly pid: number
}

const ownersOf = (sql: SqlClient.SqlClient) =>
  sql<Owner>`select plugin, substring(runner from 'pid ([0-9]+)')::int as pid from feed_owner`

const settled = (sql: SqlClient.SqlClient, members: ReadonlyArray<Member>) =>
  Effect.repeat(Effect.delay(ownersOf(sql), "50 millis"), {
    until: (owners) =>
      owners.length === plugins && owners.every(({ pid }) => members.some(({ child }) => child.pid === pid))
  })

const counting = Effect.fnUntraced(function* (ships: Fleet) {
  const before = requestsOf(ships)
  yield* Effect.sleep(counted)
  return requestsOf(ships) - before
})

/** The processes in the order of how many feeds they own, most first. */
const busiest = (members: ReadonlyArray<Member>, owners: ReadonlyArray<Owner>) => {
  const feeds = ({ child }: Member) => owners.filter(({ pid }) => pid === child.pid).length
  return members.map((member) => ({ member, feeds: feeds(member) })).toSorted((a, b) => b.feeds - a.feeds)
}

/** How long it takes until nobody waits for a new owner after this signal, and how many feeds it moves. */
const moved = Effect.fnUntraced(function* (
  ships: Fleet,
  sql: SqlClient.SqlClient,
  members: ReadonlyArray<Member>,
  signal: "SIGKILL" | "SIGTERM"
) {
  const [leaving, ...others] = busiest(members, yield* ownersOf(sql))
  const left = others.map(({ member }) => member)
  const begun = Date.now()
  leaving?.member.child.kill(signal)
  yield* settled(sql, left)
  const millis = Date.now() - begun
  // Until each feed was asked again by its new owner.
  yield* Effect.sleep(2 * every)
  const gaps = [...ships.requests.values()].map((times) =>
    Math.max(...times.slice(1).map((time, n) => time - (times[n] ?? 0)), 0)
  )
  return { left, millis, feeds: leaving?.feeds ?? 0, gap: Math.max(...gaps) }
})

const measured = Effect.fnUntraced(function* (server: Postgres.Server) {
  const opened = Effect.fnUntraced(function* (name: string) {
    yield* Effect.promise(() => server.createDatabase(name))
    const databaseUrl = `${server.url}/${name}`
    const ships = yield* fleet(databaseUrl, { plugins, every: `${every} millis` })
    const sql = Context.get(
      yield* Layer.build(Database.layer(Redacted.make(databaseUrl))),
      SqlClient.SqlClient
    )
    return { ships, sql }
  })
  const one = yield* Effect.gen(function* () {
    const { ships, sql } = yield* opened("one")
    yield* settled(sql, [yield* ships.join("a")])
    return yield* counting(ships)
  }).pipe(Effect.scoped)

  const { ships, sql } = yield* opened("three")
  const members = yield* Effect.forEach(["a", "b", "c"], (name) => ships.join(name), { concurrency: 3 })
  yield* settled(sql, members)
  const three = yield* counting(ships)
  const steady = doubledOf(ships)
  const killed = yield* moved(ships, sql, members, "SIGKILL")
  const stopped = yield* moved(ships, sql, killed.left, "SIGTERM")
  const doubled = doubledOf(ships)

  const row = (what: string, value: number, unit: string, limit: number, aim: string): Row => ({
    what,
    value: rounded(value),
    unit,
    ratio: rounded(value / limit),
    aim
  })
  return [
    {
      ...row("upstream requests of three processes", three, `in ${counted / 1000} s`, one, "as many as one"),
      peer: one
    },
    row("doubled requests while nothing happens", steady, "requests", 1, "0"),
    row(`kill -9: ${killed.feeds} feeds moved`, killed.millis / 1000, "s", 10, "<= 10 s"),
    row(`SIGTERM: ${stopped.feeds} feeds moved`, stopped.millis / 1000, "s", 2, "<= 2 s"),
    row("longest time that a feed was not asked", stopped.gap / 1000, "s", 10 + every / 1000, "<= 12 s"),
    row("doubled requests of both moves", doubled - steady, "requests", 1, "0")
  ] satisfies ReadonlyArray<Row>
})

export const run = async (): Promise<ReadonlyArray<Row>> => {
  const server = await Postgres.start()
  try {
    return await Effect.runPromise(Effect.scoped(measured(server)))
  } finally {
    await server.stop()
  }
}
