/** Planted crossings under kill -9 and a target that is dead most of the time: none is missed, and none is told as two. */
import { spawn } from "node:child_process"
import { randomInt } from "node:crypto"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { AlertSender } from "../../core/alerts/AlertSender.ts"
import { Alerts } from "../../core/alerts/Alerts.ts"
import { AlertWatch } from "../../core/alerts/AlertWatch.ts"
import { linkOf } from "../../core/alerts/links.ts"
import { Secret } from "../../core/credits/Secret.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { compiled } from "../support/compiled.ts"
import { cloneUrl } from "../support/database.ts"
import { prepare } from "../support/dataDirectory.ts"
import { runOf, services, symbols } from "./alerter.ts"

type Environment = Readonly<Record<string, string>>

/** Crossings per engine, at the least; `RUNS` makes a campaign of it. */
const planted = Number(process.env["RUNS"] ?? 300)

/** Values of so many runs are kept between two kills, at the most. */
const mostRuns = 12

/** A target that takes, refuses or drops what it gets, and keeps all of it. */
const target = Effect.acquireRelease(
  Effect.promise(async () => {
    const posts: Array<{ readonly id: string; readonly text: string; readonly accepted: boolean }> = []
    const state: { is: "alive" | "dead" } = { is: "dead" }
    const server = createServer((request, response) => {
      let body = ""
      request.on("data", (part) => {
        body += String(part)
      })
      request.on("end", () => {
        const accepted = state.is === "alive" || posts.length % 3 === 0
        const { message, sequence_id } = JSON.parse(body)
        posts.push({ id: sequence_id, text: message, accepted })
        if (accepted) response.writeHead(200).end()
        else if (posts.length % 3 === 1) response.writeHead(503).end()
        else request.socket.destroy()
      })
    }).listen(0, "127.0.0.1")
    await once(server, "listening")
    const address = server.address()
    const port = typeof address === "object" ? (address?.port ?? 0) : 0
    return { posts, state, server, url: `http://127.0.0.1:${port}` }
  }),
  ({ server }) =>
    Effect.sync(() => {
      server.closeAllConnections()
      server.close()
    })
)
type Target = Effect.Success<typeof target>

/** Runs the alerter from a run on and kills it at some moment; gives the number of the last run that was begun. */
const untilKilled = async (environment: Environment, first: number) => {
  const child = spawn(process.execPath, [new URL("alerter.ts", import.meta.url).pathname, String(first)], {
    env: { ...environment, ...compiled },
    stdio: ["ignore", "pipe", "inherit"]
  })
  const ended = new Promise<NodeJS.Signals | null>((resolve) =>
    child.once("exit", (_, signal) => resolve(signal))
  )
  const last = first + randomInt(1, mostRuns)
  let begun = first - 1
  for await (const line of createInterface({ input: child.stdout })) {
    const [word, n] = line.split(" ")
    if (word !== "begins") continue
    begun = Number(n)
    if (begun === last) setTimeout(() => child.kill("SIGKILL"), randomInt(0, 60))
  }
  return { begun, signal: await ended }
}

/** On a category and on one network of it, each with messages and with a feed alone, and without a wait between two messages. */
const makeAlerts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { confirm, create } = yield* Alerts
  yield* (yield* Ingest).write(runOf(0))
  yield* sql`insert into account ${sql.insert({ id: "acc_1", agent_name: "tests", created_at: new Date(0) })}`
  const [symbol = ""] = symbols
  const of = { condition: { kind: "above", value: 100 }, metric: "nodes_online" } as const
  const owner = { id: "acc_1", tier: "enterprise" } as const
  for (const about of [{ category: "storage" }, { symbol }] as const) {
    const { id } = yield* create(
      owner,
      { ...of, ...about, channel: { kind: "ntfy", topic: "planted" } },
      "10.0.0.1"
    )
    yield* confirm(
      id,
      linkOf("", yield* Secret, "confirm", id)
        .split("/")
        .at(-1) ?? ""
    )
    yield* create(owner, { ...of, ...about, channel: { kind: "feed" } }, "10.0.0.1")
  }
  yield* sql`update alert set min_interval = 0`
  yield* sql`delete from alert_delivery`
})

/** Looks and sends until nothing is left, as a restart a while later does. */
const settle = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* (yield* Ingest).recover("testnet")
  yield* (yield* AlertWatch).run
  const sender = yield* AlertSender
  while (true) {
    yield* sql`update alert_delivery set claimed_until = null, due_at = '2026-01-01' where state = 'pending'`
    if ((yield* sender.run) === 0) return
  }
})

const examine = Effect.fnUntraced(function* ({ posts }: Target) {
  const sql = yield* SqlClient.SqlClient
  const crossings = yield* sql<{ id: string; alert: string; series: string; delivery: string | null }>`
    select id, alert, delivery, body::json->>'symbol' || ' ' || (body::json->>'as_of') as series from alert_crossing`
  // A run that the kill cut is not there, so not every value above the bound came after one below it.
  const rises = yield* sql<{ series: string }>`
    select symbol || ' ' || to_char(as_of at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as series from (
      select s.symbol, o.as_of, o.value, lag(o.value) over (partition by o.series order by o.as_of) as before
      from observation o join series s on s.id = o.series
    ) of_series where value > 100 and before <= 100`
  const [symbol = ""] = symbols
  const ofOne = rises.filter(({ series }) => series.startsWith(`${symbol} `))
  for (const [, of] of Map.groupBy(crossings, ({ alert }) => alert)) {
    const expected = of.length > ofOne.length ? rises : ofOne
    assert.deepStrictEqual(
      of.map(({ series }) => series).toSorted(),
      expected.map(({ series }) => series).toSorted(),
      "each planted crossing is recorded once"
    )
  }
  assert.strictEqual(crossings.length, 2 * (rises.length + ofOne.length))
  const states = yield* sql<{ state: string }>`select distinct state from alert_delivery`
  assert.deepStrictEqual(states, [{ state: "delivered" }])
  const texts = Map.groupBy(posts, ({ id }) => id)
  for (const [id, of] of texts) {
    assert.strictEqual(new Set(of.map(({ text }) => text)).size, 1, `${id} always says the same`)
    assert.isTrue(
      of.some(({ accepted }) => accepted),
      `${id} was taken`
    )
  }
  const announced = crossings.filter(({ delivery }) => delivery !== null)
  assert.strictEqual(announced.length, rises.length + ofOne.length)
  for (const { delivery } of announced) assert.isTrue(texts.has(delivery ?? ""), "each crossing is told")
  // One that a text names is told by its own message alone.
  const deliveryOf = new Map(announced.map(({ delivery, id }) => [id, delivery]))
  for (const [id, [{ text } = assert.fail()]] of texts)
    for (const [crossing] of text.matchAll(/\bcx_[0-9a-f]{24}\b/g))
      assert.strictEqual(deliveryOf.get(crossing), id, `${crossing} is told once`)
  const repeated = [...texts.values()].filter((of) => of.length > 1).length
  return { crossings: rises.length + ofOne.length, messages: texts.size, attempts: posts.length, repeated }
})

const survives = Effect.fnUntraced(function* (settings: Environment) {
  const place = yield* target
  const environment = { ...settings, TARGET: place.url }
  process.env["TARGET"] = place.url
  const inService = <A, E>(
    work: Effect.Effect<A, E, Effect.Services<typeof settle> | Effect.Services<typeof makeAlerts>>
  ) =>
    work.pipe(
      Effect.provide(services),
      Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(environment))
    )
  yield* inService(makeAlerts)
  let begun = 0
  let kills = 0
  // Some runs are cut; half of the values of the others rise.
  while (((begun - 2 * kills) * symbols.length) / 2 < planted) {
    const outcome = yield* Effect.promise(() => untilKilled(environment, begun + 1))
    assert.strictEqual(outcome.signal, "SIGKILL", "it went on until it was killed")
    begun = outcome.begun
    kills++
  }
  place.state.is = "alive"
  const counts = yield* inService(Effect.andThen(settle, examine(place)))
  assert.isAtLeast(counts.crossings, planted)
  yield* Effect.logInfo("planted crossings", { ...counts, kills })
})

const limit = 60_000 + planted * 100

describe("a process killed while it looks and sends misses no crossing and counts none twice", () => {
  it.live(
    "embedded",
    () =>
      Effect.gen(function* () {
        const folder = yield* Effect.acquireRelease(
          Effect.sync(() => mkdtempSync(join(tmpdir(), "plumbline-alerts-"))),
          (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
        )
        prepare(folder)
        yield* survives({ DATA_DIR: folder })
      }),
    limit
  )

  it.live(
    "Postgres",
    () =>
      Effect.gen(function* () {
        yield* survives({
          DATABASE_URL: yield* cloneUrl,
          SIGNING_KEY_FILE: "unused",
          LOG_KEY_FILE: "unused",
          SERVER_SECRET_FILE: "unused"
        })
      }),
    limit
  )
})
