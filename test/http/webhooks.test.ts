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
import { header, json } from "../support/signed.ts"

const start = Date.UTC(2026, 8, 5, 9)

interface ReceivedRequest {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

const sentBy = (body: string): { readonly type?: string; readonly data?: { readonly challenge?: string } } =>
  JSON.parse(body)

/** A receiver that answers challenges, and all else as it is told. */
const receiver = Effect.acquireRelease(
  Effect.promise(async () => {
    const received: Array<ReceivedRequest> = []
    const challenges: Array<ReceivedRequest> = []
    const state = {
      /** The answer to a challenge, of its token. */
      echo: (token: string): string => JSON.stringify({ challenge: token }),
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
        const { data, type } = sentBy(body)
        if (type === "webhook.challenge") {
          challenges.push({ headers: request.headers, body })
          response.writeHead(200).end(state.echo(data?.challenge ?? ""))
          return
        }
        received.push({ headers: request.headers, body })
        await state.hold
        response.writeHead(state.status, state.headers).end()
      })
    }).listen(0, "127.0.0.1")
    await once(server, "listening")
    const address = server.address()
    const port = typeof address === "object" ? (address?.port ?? 0) : 0
    return { challenges, received, state, server, url: `http://127.0.0.1:${port}/hook` }
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
  readonly type: string
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
  readonly unchallenged?: { readonly since: string; readonly reason: string }
  readonly type?: string
  readonly message: string
  readonly retry_after: number
  readonly retryAfter: string
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
    return {
      status: reply.status,
      retryAfter: header(reply, "retry-after"),
      ...json(reply)
    } as unknown as WebhookReply
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

/** A webhook whose target has answered its challenge. */
const added = (ask: ReturnType<typeof callerOf>, body: object) =>
  Effect.tap(ask("POST", "/v1/webhooks", body), send)

/** What was sent to a webhook since its challenge, newest first. */
const sentTo = (ask: ReturnType<typeof callerOf>, id: string) =>
  Effect.map(ask("GET", `/v1/webhooks/${id}/deliveries`), ({ deliveries }) =>
    deliveries.filter(({ type }) => type !== "webhook.challenge")
  )

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
        const webhook = yield* added(ask, { url, symbol: "FIL", kind: "values" })
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
        const deliveries = yield* sentTo(ask, webhook.id)
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
        const { id } = yield* added(ask, { url })
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
        const [failed] = yield* sentTo(ask, id)
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
        const [, again] = yield* sentTo(ask, id)
        assert.strictEqual(again?.state, "delivered")
      })
    )

    it.effect(
      "get no event before they have answered a signed challenge, and then all since they were added",
      () =>
        Effect.gen(function* () {
          const { challenges, received, state, url } = yield* receiver
          const ask = callerOf(yield* keyOf("institutional"))
          // As a host answers that never asked for anything.
          state.echo = () => "welcome"
          const { id, secret, state: first } = yield* ask("POST", "/v1/webhooks", { url, kind: "values" })
          assert.strictEqual(first, "unchallenged")
          yield* change("FIL")
          yield* send
          for (const seconds of [11, 33, 80, 60, 600]) {
            yield* TestClock.adjust(`${seconds} seconds`)
            yield* send
          }
          assert.strictEqual(received.length, 0)
          // It is retried for two minutes.
          assert.strictEqual(challenges.length, 4)
          assert.strictEqual(new Set(challenges.map(({ body }) => body)).size, 1)
          const waiting = yield* ask("GET", `/v1/webhooks/${id}`)
          assert.strictEqual(waiting.state, "unchallenged")
          assert.match(
            waiting.unchallenged?.reason ?? "",
            /the last one: it answered 200 without the challenge.*POST \/v1\/webhooks\/\{id\}\/test/
          )
          const [challenge] = challenges
          if (challenge === undefined) return
          const at = new Date(Number(challenge.headers["webhook-timestamp"]) * 1000)
          const signature = new Webhook(secret).sign(
            String(challenge.headers["webhook-id"]),
            at,
            challenge.body
          )
          assert.strictEqual(challenge.headers["webhook-signature"], signature)

          // Another's token is not its own; its own as plain text is.
          const token = sentBy(challenge.body).data?.challenge ?? ""
          state.echo = () => token
          assert.strictEqual((yield* ask("POST", `/v1/webhooks/${id}/test`)).type, "webhook.challenge")
          yield* send
          assert.strictEqual((yield* ask("GET", `/v1/webhooks/${id}`)).state, "unchallenged")
          state.echo = (own) => `${own}\n`
          yield* ask("POST", `/v1/webhooks/${id}/test`)
          yield* send
          const challenged = yield* ask("GET", `/v1/webhooks/${id}`)
          assert.deepStrictEqual([challenged.state, challenged.unchallenged], ["active", undefined])
          yield* send
          assert.deepStrictEqual(
            received.map(({ body }) => sentBy(body).type),
            ["event.values"]
          )
          // From now on a test is a test.
          assert.strictEqual((yield* ask("POST", `/v1/webhooks/${id}/test`)).type, "webhook.test")
        })
    )

    it.effect("from before there were challenges go on", () =>
      Effect.gen(function* () {
        const { challenges, received, url } = yield* receiver
        const ask = callerOf(yield* keyOf("institutional"))
        const { id } = yield* ask("POST", "/v1/webhooks", { url, kind: "values" })
        const sql = yield* SqlClient.SqlClient
        // As the migration leaves them.
        yield* sql`delete from webhook_delivery where webhook = ${id}`
        yield* sql`update webhook set challenged_at = created_at where id = ${id}`
        yield* change("FIL")
        yield* send
        assert.deepStrictEqual([challenges.length, received.length], [0, 1])
      })
    )

    it.effect("are tested ten times an hour, for an account and for a host, and say when again", () =>
      Effect.gen(function* () {
        const { received, url } = yield* receiver
        yield* TestClock.adjust("2 hours")
        const ask = callerOf(yield* keyOf("institutional"))
        const { id } = yield* added(ask, { url, kind: "revisions" })
        for (let n = 0; n < 10; n++)
          assert.strictEqual((yield* ask("POST", `/v1/webhooks/${id}/test`)).status, 200)
        yield* TestClock.adjust("20 minutes")
        // A few at a time.
        for (let n = 0; n < 3; n++) yield* send
        const refused = yield* ask("POST", `/v1/webhooks/${id}/test`)
        assert.deepStrictEqual(
          [refused.status, refused.retry_after, refused.retryAfter],
          [429, 40 * 60, "2400"]
        )
        assert.match(
          refused.message,
          /^10 tests per hour can be sent for this account; the next can be sent at 20/
        )
        // Sending a test again is a test.
        const deliveries = yield* sentTo(ask, id)
        const again = `/v1/webhooks/${id}/deliveries/${deliveries[0]?.id}/redeliver`
        assert.strictEqual((yield* ask("POST", again)).status, 429)
        // Neither another webhook of the account nor another account gets past it.
        yield* ask("DELETE", `/v1/webhooks/${id}`)
        const second = yield* added(ask, { url })
        assert.strictEqual((yield* ask("POST", `/v1/webhooks/${second.id}/test`)).status, 429)
        const other = callerOf(yield* keyOf("pro"))
        const third = yield* added(other, { url })
        const ofHost = yield* other("POST", `/v1/webhooks/${third.id}/test`)
        assert.strictEqual(ofHost.status, 429)
        assert.include(ofHost.message, "for the host 127.0.0.1")
        assert.strictEqual(received.length, 10)
        yield* TestClock.adjust("40 minutes")
        assert.strictEqual((yield* other("POST", `/v1/webhooks/${third.id}/test`)).status, 200)
      })
    )

    it.effect("do not follow redirects, and 410 pauses at once", () =>
      Effect.gen(function* () {
        const { received, state, url } = yield* receiver
        const elsewhere = yield* receiver
        const ask = callerOf(yield* keyOf("enterprise"))
        const { id } = yield* added(ask, { url })
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
        const webhook = yield* added(ask, { url, kind: "values" })
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
        const { id } = yield* added(ask, { url })
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
        const deliveries = yield* sentTo(ask, id)
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
        const { id } = yield* added(ask, { url })
        assert.strictEqual((yield* callerOf(yield* keyOf("pro"))("GET", `/v1/webhooks/${id}`)).status, 404)
        const { account } = yield* ask("GET", "/v1/credits/balance")
        yield* (yield* Accounts).setTier(account, "design_partner")
        yield* change("FIL")
        yield* send
        assert.strictEqual(received.length, 0)
        const hook = yield* ask("GET", `/v1/webhooks/${id}`)
        assert.include(hook.paused.reason, "subscription")
        yield* TestClock.adjust("1 hour")
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
