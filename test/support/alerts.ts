/** Alerts in tests: a whole service with a mail server and stand-ins of the fixed hosts, over real sockets. */
import { once } from "node:events"
import { createServer } from "node:http"
import { assert } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { AlertSender } from "../../core/alerts/AlertSender.ts"
import { AlertWatch } from "../../core/alerts/AlertWatch.ts"
import { Accounts } from "../../core/credits/Accounts.ts"
import type { Manifest } from "../../core/plugin/Manifest.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { Current } from "../../core/readings/read/Current.ts"
import type { Alert, AlertCrossing } from "../../core/wire/alerts/alert.ts"
import type { AccountTier } from "../../core/wire/credits/tiers.ts"
import type { postgres } from "./database.ts"
import { mailServer } from "./mailServer.ts"
import * as Runs from "./runs.ts"
import { Service } from "./service.ts"
import { json } from "./signed.ts"

export const start = Date.UTC(2026, 8, 5, 9)
export const hour = 3_600_000

export class Mail extends Context.Service<Mail, Effect.Success<typeof mailServer>>()("test/Mail") {}

interface Posted {
  readonly path: string
  readonly body: string
}

/** What stands in for the fixed hosts: it keeps what it gets, and answers with `status`. */
export class Hosts extends Context.Service<
  Hosts,
  { readonly posted: Array<Posted>; readonly state: { status: number }; readonly url: string }
>()("test/Hosts") {
  static readonly layer = Layer.effect(
    Hosts,
    Effect.acquireRelease(
      Effect.promise(async () => {
        const posted: Array<Posted> = []
        const state = { status: 200 }
        const server = createServer((request, response) => {
          let body = ""
          request.on("data", (part) => {
            body += String(part)
          })
          request.on("end", () => {
            posted.push({ path: request.url ?? "", body })
            response.writeHead(state.status).end()
          })
        }).listen(0, "127.0.0.1")
        await once(server, "listening")
        const address = server.address()
        const port = typeof address === "object" ? (address?.port ?? 0) : 0
        return { posted, state, server, url: `http://127.0.0.1:${port}` }
      }),
      ({ server }) =>
        Effect.sync(() => {
          server.closeAllConnections()
          server.close()
        })
    )
  )
}

export const accountOf = Effect.fnUntraced(function* (tier: AccountTier) {
  const { call } = yield* Service
  const key = String(json(yield* call({ method: "POST", path: "/v1/credits/register" }))["api_key"])
  const balance = json(yield* call({ path: "/v1/credits/balance", headers: { "x-api-key": key } }))
  const account = String(balance["account"])
  yield* (yield* Accounts).setTier(account, tier)
  const ask = (method: string, path: string, body?: object) =>
    Effect.map(
      call({
        method,
        path,
        headers: { "x-api-key": key, ...(body === undefined ? {} : { "content-type": "application/json" }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      }),
      (reply) => ({ status: reply.status, body: json(reply) })
    )
  return { account, ask, key }
})
export type Ask = Effect.Success<ReturnType<typeof accountOf>>["ask"]

export const newAlert = Effect.fnUntraced(function* (ask: Ask, request: object) {
  const { body, status } = yield* ask("POST", "/v1/alerts", {
    symbol: "FIL",
    metric: "nodes_online",
    channel: { kind: "feed" },
    ...request
  })
  assert.strictEqual(status, 200, JSON.stringify(body))
  return body as unknown as Alert
})

export const crossingsOf = (ask: Ask, id: string) =>
  Effect.map(
    ask("GET", `/v1/alerts/${id}/crossings`),
    ({ body }) => body["crossings"] as ReadonlyArray<AlertCrossing>
  )

let written = 0
/** Values of FIL one after the other, each of a run of its own, without a look in between. */
export const values = (...all: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    const ingest = yield* Ingest
    for (const value of all)
      yield* ingest.write(
        Runs.delivery(start, [Runs.row(value, isoTime(start - 2 * hour + ++written * 1000))])
      )
  })

/** The number of crossings. */
export const look = Effect.flatMap(AlertWatch, ({ run, runAges }) =>
  Effect.zipWith(run, runAges, (ofNew, ofAges) => ofNew + ofAges)
)
export const send = Effect.flatMap(AlertSender, ({ run }) => run)

/** The path of the first address of this kind in a text. */
export const linkIn = (text: string, kind: "confirm" | "end"): string =>
  new RegExp(`/alerts/al_[0-9a-f]+/${kind}/[\\w-]+`).exec(text)?.[0] ?? assert.fail(`no ${kind} in ${text}`)

export const nothing = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from alert`
  yield* sql`delete from alert_value`
})

/** Alerts and readings of an earlier test are gone; the clock is at `start`. */
export const fresh = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* TestClock.setTime(start)
  yield* nothing
  yield* sql`truncate disagreement, event, event_due, incident_event, exclusion, incident, tree_level, leaf, batch,
    revision, daily, latest, observation, reading_row, exchange, run, blob, fact, alert_confirmation, defined_zero cascade`
  yield* sql`delete from alert_value`
  yield* (yield* Current).reload
})

/** The service on a database, with a mail server and with stand-ins of all fixed hosts. */
export const alerting = (database: typeof postgres, manifests: ReadonlyArray<Manifest> = [Runs.manifest]) =>
  Layer.unwrap(
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const mail = yield* Mail
      const { url } = yield* Hosts
      const hosts = ["api.telegram.org", "hooks.slack.com", "discord.com", "ntfy.sh"]
      return Service.layer({
        database,
        manifests,
        smtp: mail.url,
        messengerHosts: new Map(hosts.map((host) => [host, new URL(url)]))
      })
    })
  ).pipe(Layer.provideMerge(Layer.merge(Layer.effect(Mail, mailServer), Hosts.layer)))
