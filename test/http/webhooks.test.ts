/** Webhooks from the call that creates one to what its receiver gets, over real sockets. */
import { once } from "node:events"
import { createServer, type IncomingHttpHeaders } from "node:http"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { Webhook } from "standardwebhooks"
import { Accounts } from "../../core/credits/Accounts.ts"
import { EventLog } from "../../core/events/EventLog.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { Deliverer } from "../../core/webhooks/Deliverer.ts"
import { giveUpAfter, nextAttempt } from "../../core/webhooks/schedule.ts"
import { Targets } from "../../core/webhooks/Targets.ts"
import type { AccountTier } from "../../core/wire/credits/tiers.ts"
import * as WebhookTargets from "../../runtime/outside/webhookTargets.ts"
import { onBothEngines } from "../support/database.ts"
import * as Runs from "../support/runs.ts"
import { Service } from "../support/service.ts"
import { json } from "../support/signed.ts"

const start = Date.UTC(2026, 8, 5, 9)

interface ReceivedRequest {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A receiver that answers as it is told. */
const receiver = Effect.acquireRelease(
  Effect.promise(async () => {
    const received: Array<ReceivedRequest> = []
    const state = {
      status: 204,
      headers: {} as Record<string, string>,
      hold: undefined as Promise<void> | undefined
    }
    const server = createServer((request, response) => {
      let body = ""
      request.on("data", (part) => {
        body += String(part)
      })
      request.on("end", async () => {
        received.push({ headers: request.headers, body })
        await state.hold
        response.writeHead(state.status, state.headers).end()
      })
    }).listen(0, "127.0.0.1")
    await once(server, "listening")
    const address = server.address()
    const port = typeof address === "object" ? (address?.port ?? 0) : 0
    return { received, state, server, url: `http://127.0.0.1:${port}/hook` }
  }),
  ({ server }) =>
    Effect.sync(() => {
      server.closeAllConnections()
      server.close()
    })
)

const headersOf = ({ headers }: ReceivedRequest): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))

const keyOf = Effect.fnUntraced(function* (tier: AccountTier) {
  const { call } = yield* Service
  const key = String(json(yield* call({ method: "POST", path: "/v1/credits/register" }))["api_key"])
  const balance = json(yield* call({ path: "/v1/credits/balance", headers: { "x-api-key": key } }))
  yield* (yield* Accounts).setTier(String(balance["account"]), tier)
  return key
})

interface DeliveryReply {
  readonly id: string
  readonly state: string
  readonly status?: number
  readonly error?: string
  readonly attempts: number
}

/** What these calls answer, as far as the tests look. */
interface WebhookReply {
  readonly status: number
  readonly field?: string
  readonly id: string
  readonly account: string
  readonly secret: string
  readonly state?: string
  readonly removed?: boolean
  readonly paused: { readonly by: string; readonly reason: string }
  readonly failing: { readonly error: string }
  readonly how_to_unlock: { readonly required_tier: string }
  readonly deliveries: ReadonlyArray<DeliveryReply>
}

const callerOf = (key: string) => (method: string, path: string, body?: object) =>
  Effect.gen(function* () {
    const { call } = yield* Service
    const reply = yield* call({
      method,
      path,
      headers: {
        "x-api-key": key,
        ...(body === undefined ? {} : { "content-type": "application/json" })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    return { status: reply.status, ...json(reply) } as unknown as WebhookReply
  })

let written = 0
const change = (...symbols: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    written++
    const rows = symbols.map((symbol) =>
      Runs.row(written, isoTime(start - 3_600_000 + written * 1000), { symbol })
    )
    yield* (yield* Ingest).write(Runs.delivery(start, rows))
    yield* (yield* EventLog).run
  })

/** One look of the process that sends, and the end of all that it began. */
const send = Effect.flatMap(Deliverer, ({ run, settled }) => Effect.andThen(run, settled))

onBothEngines("webhooks", (database) => {
  const services = Layer.unwrap(
    Effect.as(
      TestClock.setTime(start),
      Service.layer({
        database,
        manifests: [{ ...Runs.manifest, covers: { networks: ["FIL", "STORJ", "AKT"] } }]
      })
    )
  )
  layer(services, { excludeTestServices: false })((it) => {
    it.effect("reach their target with the signed event, by Standard Webhooks", () =>
      Effect.gen(function* () {
        const { received, url } = yield* receiver
        const ask = callerOf(yield* keyOf("institutional"))
        const webhook = yield* ask("POST", "/v1/webhooks", { url, symbol: "FIL", kind: "values" })
        assert.strictEqual(webhook.status, 200)
        yield* change("FIL", "STORJ")
        yield* send
        assert.strictEqual(received.length, 1)
        const [first] = received
        if (first === undefined) return
        // The public library checks the message, at the real time.
        const library = new Webhook(webhook.secret)
        const at = Number(first.headers["webhook-timestamp"]) * 1000
        assert.strictEqual(at, start)
        const signature = library.sign(String(first.headers["webhook-id"]), new Date(at), first.body)
        assert.strictEqual(first.headers["webhook-signature"], signature)
        const message = JSON.parse(first.body)
        assert.strictEqual(message.type, "event.values")
        const { call } = yield* Service
        const events = json(yield* call("/v1/events?symbol=FIL"))["events"] as ReadonlyArray<unknown>
        assert.deepStrictEqual(message.data, events.at(-1))
        const { deliveries } = yield* ask("GET", `/v1/webhooks/${webhook.id}/deliveries`)
        assert.deepStrictEqual(
          [deliveries[0]?.id, deliveries[0]?.state, deliveries[0]?.status, deliveries[0]?.attempts],
          [first.headers["webhook-id"], "delivered", 204, 1]
        )
        // Nothing comes twice.
        yield* send
        assert.strictEqual(received.length, 1)
        assert.strictEqual((yield* ask("DELETE", `/v1/webhooks/${webhook.id}`)).removed, true)
        assert.strictEqual((yield* ask("GET", `/v1/webhooks/${webhook.id}`)).status, 404)
      })
    )

    it.effect("are retried under the same id, until two days are over and the target is paused", () =>
      Effect.gen(function* () {
        const { received, state, url } = yield* receiver
        const ask = callerOf(yield* keyOf("pro"))
        const { id } = yield* ask("POST", "/v1/webhooks", { url })
        state.status = 503
        yield* change("FIL")
        for (const [wait, attempts] of [
          [0, 1],
          [5, 1],
          [6, 2],
          [20, 2],
          [12, 3],
          [60, 3],
          [35, 4]
        ] as const) {
          yield* TestClock.adjust(`${wait} seconds`)
          yield* send
          assert.strictEqual(received.length, attempts)
        }
        assert.strictEqual(new Set(received.map(({ headers }) => headers["webhook-id"])).size, 1)
        // Two days later.
        const sql = yield* SqlClient.SqlClient
        yield* sql`update webhook set failing_since = failing_since - interval '48 hours', retry_at = null where id = ${id}`
        yield* sql`update webhook_delivery set due_at = created_at, give_up_at = created_at where webhook = ${id}`
        yield* send
        const hook = yield* ask("GET", `/v1/webhooks/${id}`)
        assert.strictEqual(hook.state, "paused")
        assert.strictEqual(hook.paused.by, "service")
        assert.include(hook.paused.reason, "it answered 503")
        const [failed] = (yield* ask("GET", `/v1/webhooks/${id}/deliveries`)).deliveries
        assert.deepStrictEqual([failed?.state, failed?.error], ["failed", "it answered 503"])
        // The owner repairs it, tests it and sends what failed again.
        state.status = 200
        yield* ask("POST", `/v1/webhooks/${id}/test`)
        yield* send
        assert.strictEqual(JSON.parse(received.at(-1)?.body ?? "{}").type, "webhook.test")
        assert.strictEqual((yield* ask("POST", `/v1/webhooks/${id}/resume`)).state, "active")
        yield* ask("POST", `/v1/webhooks/${id}/deliveries/${failed?.id}/redeliver`)
        yield* send
        assert.strictEqual(received.at(-1)?.headers["webhook-id"], failed?.id)
        const [, again] = (yield* ask("GET", `/v1/webhooks/${id}/deliveries`)).deliveries
        assert.strictEqual(again?.state, "delivered")
      })
    )

    it.effect("do not follow redirects, and 410 pauses at once", () =>
      Effect.gen(function* () {
        const { received, state, url } = yield* receiver
        const elsewhere = yield* receiver
        const ask = callerOf(yield* keyOf("enterprise"))
        const { id } = yield* ask("POST", "/v1/webhooks", { url })
        state.status = 302
        state.headers = { location: elsewhere.url }
        yield* change("FIL")
        yield* send
        assert.deepStrictEqual([received.length, elsewhere.received.length], [1, 0])
        assert.strictEqual((yield* ask("GET", `/v1/webhooks/${id}`)).failing.error, "it answered 302")
        state.status = 410
        yield* TestClock.adjust("1 minute")
        yield* send
        assert.strictEqual((yield* ask("GET", `/v1/webhooks/${id}`)).state, "paused")
        yield* change("FIL")
        yield* TestClock.adjust("1 minute")
        yield* send
        assert.strictEqual(received.length, 2)
      })
    )

    it.effect("sign with both secrets for a day after a rotation", () =>
      Effect.gen(function* () {
        const { received, url } = yield* receiver
        const ask = callerOf(yield* keyOf("institutional"))
        const webhook = yield* ask("POST", "/v1/webhooks", { url, kind: "values" })
        const rotated = yield* ask("POST", `/v1/webhooks/${webhook.id}/rotate`)
        assert.notStrictEqual(rotated.secret, webhook.secret)
        const good = (secret: string, one: ReceivedRequest | undefined): boolean => {
          const headers = one === undefined ? {} : headersOf(one)
          const at = new Date(Number(headers["webhook-timestamp"]) * 1000)
          const signature = new Webhook(secret).sign(headers["webhook-id"] ?? "", at, one?.body ?? "")
          return headers["webhook-signature"]?.split(" ").includes(signature) ?? false
        }
        yield* change("FIL")
        yield* send
        assert.deepStrictEqual(
          [good(webhook.secret, received[0]), good(rotated.secret, received[0])],
          [true, true]
        )
        const sql = yield* SqlClient.SqlClient
        yield* sql`update webhook set previous_until = previous_until - interval '25 hours'`
        yield* change("FIL")
        yield* send
        assert.deepStrictEqual(
          [good(webhook.secret, received[1]), good(rotated.secret, received[1])],
          [false, true]
        )
        const storedRows = JSON.stringify(yield* sql`select to_jsonb(w)::text as row from webhook w`)
        assert.notInclude(storedRows, webhook.secret.slice(6, 20))
      })
    )

    it.effect("are attempted by one process at a time, and by another if that one is gone", () =>
      Effect.gen(function* () {
        const { received, state, url } = yield* receiver
        const ask = callerOf(yield* keyOf("institutional"))
        const { id } = yield* ask("POST", "/v1/webhooks", { url })
        const { promise, resolve } = Promise.withResolvers<void>()
        state.hold = promise
        yield* change("FIL")
        const { run, settled } = yield* Deliverer
        yield* run
        while (received.length === 0)
          yield* Effect.promise(() => new Promise((resume) => setImmediate(resume)))
        const elsewhere = Effect.flatMap(Deliverer, (other) => Effect.andThen(other.run, other.settled)).pipe(
          Effect.provide(Deliverer.layer, { local: true })
        )
        yield* elsewhere
        assert.strictEqual(received.length, 1)
        // The claim of a process that is killed runs out.
        state.hold = undefined
        yield* TestClock.adjust("61 seconds")
        yield* elsewhere
        assert.strictEqual(received.length, 2)
        assert.strictEqual(received[0]?.headers["webhook-id"], received[1]?.headers["webhook-id"])
        resolve()
        yield* settled
        const { deliveries } = yield* ask("GET", `/v1/webhooks/${id}/deliveries`)
        assert.deepStrictEqual([deliveries.length, deliveries[0]?.state], [1, "delivered"])
      })
    )

    it.effect("need a tier that includes them, now and later, and say what is wrong with a target", () =>
      Effect.gen(function* () {
        const { received, url } = yield* receiver
        for (const tier of ["free", "agent", "design_partner"] as const) {
          const refused = yield* callerOf(yield* keyOf(tier))("POST", "/v1/webhooks", { url })
          assert.deepStrictEqual(
            [refused.status, refused.how_to_unlock.required_tier],
            [402, "Institutional"]
          )
        }
        const key = yield* keyOf("institutional")
        const ask = callerOf(key)
        for (const wrong of [
          "http://example.org/hook",
          "https://169.254.169.254/latest",
          "https://[::1]/",
          "https://10.0.0.1/",
          "https://user:secret@example.org/",
          "https://localhost/",
          "nothing"
        ]) {
          const refused = yield* ask("POST", "/v1/webhooks", { url: wrong })
          assert.deepStrictEqual([refused.status, refused.field], [400, "url"], wrong)
        }
        assert.strictEqual((yield* ask("POST", "/v1/webhooks", { url, kind: "x" })).field, "kind")
        const { id } = yield* ask("POST", "/v1/webhooks", { url })
        assert.strictEqual((yield* callerOf(yield* keyOf("pro"))("GET", `/v1/webhooks/${id}`)).status, 404)
        const { account } = yield* ask("GET", "/v1/credits/balance")
        yield* (yield* Accounts).setTier(account, "design_partner")
        yield* change("FIL")
        yield* send
        assert.strictEqual(received.length, 0)
        const hook = yield* ask("GET", `/v1/webhooks/${id}`)
        assert.include(hook.paused.reason, "subscription")
        for (let n = 1; n < 20; n++) {
          yield* (yield* Accounts).setTier(account, "pro")
          assert.strictEqual((yield* ask("POST", "/v1/webhooks", { url })).status, 200)
        }
        assert.strictEqual((yield* ask("POST", "/v1/webhooks", { url })).status, 409)
      })
    )
  })
})

describe("the schedule of attempts", () => {
  it("waits three times as long after each failure, and has its last attempt after two days", () => {
    const giveUpAt = giveUpAfter
    const times: Array<number> = [0]
    while (times.length < 100) {
      const next = nextAttempt(times.at(-1) ?? 0, { attempts: times.length, giveUpAt, share: 0.5 })
      if (next === undefined) break
      times.push(next)
    }
    const seconds = times.map((at) => at / 1000)
    assert.deepStrictEqual(seconds.slice(0, 5), [0, 10, 40, 130, 400])
    assert.deepStrictEqual([seconds.length, seconds.at(-1)], [11, 48 * 3600])
  })
})

describe("a refused URL", () => {
  const refused = WebhookTargets.makeRefusal({ loopback: false })

  it("is told what its address is", () => {
    assert.strictEqual(refused("https://127.0.0.1/"), "must not be a loopback address")
    assert.strictEqual(refused("https://[::1]/"), "must not be an address that is not global unicast")
    assert.strictEqual(
      refused("https://169.254.169.254/"),
      "must not be a link-local address, where clouds keep their metadata"
    )
  })
})

layer(Layer.empty)("a target", (it) => {
  const posting = (url: string, address: string) =>
    Effect.flatMap(Targets, ({ post }) => post(url, { headers: {}, body: "{}" })).pipe(
      Effect.provide(
        WebhookTargets.layer({
          loopback: false,
          resolve: async () => [
            { address: "93.184.215.14", family: 4 },
            { address, family: address.includes(":") ? 6 : 4 }
          ]
        })
      )
    )

  it.effect("is not connected to if its name leads to an address inside, at any attempt", () =>
    Effect.gen(function* () {
      for (const address of [
        "127.0.0.1",
        "10.1.2.3",
        "169.254.169.254",
        "192.168.1.1",
        "::1",
        "fd00::1",
        "::ffff:127.0.0.1"
      ]) {
        const { error, status } = yield* posting("https://hooks.example.org/", address)
        assert.isUndefined(status)
        assert.match(error ?? "", /resolves to an? .*address/, address)
      }
      const clear = yield* posting("http://127.0.0.1/", "127.0.0.1")
      assert.include(clear.error ?? "", "must begin with https://")
    })
  )
})
