/** Alerts from the call that makes one to what its addressee gets, over real sockets. */
import { assert, layer } from "@effect/vitest"
import { Effect, Metric } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { AlertLimits } from "../../core/alerts/AlertLimits.ts"
import { Alerts } from "../../core/alerts/Alerts.ts"
import { Accounts } from "../../core/credits/Accounts.ts"
import { EventLog } from "../../core/events/EventLog.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import type { Alert } from "../../core/wire/alerts/alert.ts"
import { ofAlertMessages } from "../../runtime/metrics/alertMessages.ts"
import {
  accountOf,
  alerting,
  crossingsOf,
  Hosts,
  hour,
  linkIn,
  look,
  Mail,
  newAlert,
  nothing,
  send,
  start,
  values
} from "../support/alerts.ts"
import { onBothEngines } from "../support/database.ts"
import { messageOf } from "../support/mcp.ts"
import * as Runs from "../support/runs.ts"
import { Service } from "../support/service.ts"
import { json } from "../support/signed.ts"

/** What the metrics say of a channel. */
const countsOf = Effect.fnUntraced(function* (channel: string) {
  const metrics = yield* Metric.snapshot
  const valueOf = (id: string) => {
    const one = metrics.find((each) => each.id === id && each.attributes?.["channel"] === channel)
    return one?.type === "Gauge" ? one.state.value : undefined
  }
  return {
    undelivered: valueOf("plumbline_alert_undelivered"),
    delivered: valueOf("plumbline_alert_delivered")
  }
})

onBothEngines("alerts", (database) => {
  layer(alerting(database), { excludeTestServices: false })((it) => {
    it.effect("record each crossing once, also what came and went between two looks", () =>
      Effect.gen(function* () {
        const { ask } = yield* accountOf("free")
        yield* values(50)
        const { id } = yield* newAlert(ask, { condition: { kind: "above", value: 100 } })
        yield* values(150, 160, 90, 101, 100, 99)
        assert.strictEqual(yield* look, 2)
        assert.strictEqual(yield* look, 0)
        yield* values(200)
        yield* look
        const crossings = yield* crossingsOf(ask, id)
        assert.deepStrictEqual(
          crossings.map(({ value }) => value),
          [200, 101, 150]
        )
        const [{ proof_url, says, source, verify_url } = assert.fail()] = crossings
        assert.match(says, /^nodes_online of FIL, 200 \(count\) at 2026-09-05T.*, is above 100\.$/)
        assert.deepStrictEqual([source, verify_url], ["test_feed", "https://stats.example.net/v1/nodes"])
        assert.include(proof_url, "/v1/attest?symbol=FIL&metric=nodes_online&date=20260905&source=test_feed")
        // What is true already when an alert is made is no crossing.
        const { id: second } = yield* newAlert(ask, { condition: { kind: "above", value: 100 } })
        yield* values(201)
        yield* look
        assert.deepStrictEqual(yield* crossingsOf(ask, second), [])
        yield* nothing
      })
    )

    it.effect(
      "are paused by their owner, and resumed: what came in between, or is true then, is no crossing",
      () =>
        Effect.gen(function* () {
          const { call } = yield* Service
          const { pathTo } = yield* Alerts
          const { ask } = yield* accountOf("free")
          yield* values(50)
          const { id } = yield* newAlert(ask, { condition: { kind: "above", value: 100 } })
          const post = (path: string) => Effect.map(call({ method: "POST", path }), ({ status }) => status)
          const state = Effect.map(ask("GET", `/v1/alerts/${id}`), ({ body }) => body["state"])
          assert.strictEqual(yield* post(`${pathTo("pause", id).slice(0, -1)}!`), 404)
          assert.strictEqual(yield* post(pathTo("pause", id)), 200)
          assert.strictEqual(yield* post(pathTo("pause", id)), 200)
          assert.strictEqual(yield* state, "paused")
          yield* values(150, 90, 150)
          yield* look
          assert.strictEqual(yield* post(pathTo("resume", id)), 200)
          assert.strictEqual(yield* state, "active")
          yield* values(160)
          yield* look
          assert.deepStrictEqual(yield* crossingsOf(ask, id), [])
          yield* values(50, 170)
          yield* look
          const crossings = yield* crossingsOf(ask, id)
          assert.deepStrictEqual(
            crossings.map(({ value }) => value),
            [170]
          )
          yield* nothing
        })
    )

    it.effect(
      "ask the addressee first, tell once an hour, and end with one click that no scanner makes",
      () =>
        Effect.gen(function* () {
          const { call } = yield* Service
          const { mails, state } = yield* Mail
          const { ask } = yield* accountOf("free")
          yield* values(50)
          const { id, state: first } = yield* newAlert(ask, {
            condition: { kind: "above", value: 100 },
            channel: { kind: "email", address: "ann@example.org" }
          })
          assert.strictEqual(first, "unconfirmed")
          yield* values(150)
          yield* look
          yield* send
          yield* send
          assert.deepStrictEqual(
            mails.map(({ to }) => to),
            [["ann@example.org"]]
          )
          const confirmation = linkIn(mails[0]?.text ?? "", "confirm")
          assert.include((yield* call(confirmation)).body.toString(), "<button")
          assert.strictEqual((yield* ask("GET", `/v1/alerts/${id}`)).body["state"], "unconfirmed")
          assert.strictEqual(
            (yield* call({ method: "POST", path: `${confirmation.slice(0, -1)}!` })).status,
            404
          )
          assert.strictEqual((yield* call({ method: "POST", path: confirmation })).status, 200)
          yield* values(90, 160, 90, 170)
          state.refuses = true
          yield* look
          yield* send
          assert.strictEqual(mails.length, 1)
          state.refuses = false
          yield* TestClock.adjust("11 seconds")
          yield* send
          yield* send
          assert.strictEqual(mails.length, 2)
          const { text = "" } = mails[1] ?? {}
          const crossings = yield* crossingsOf(ask, id)
          assert.strictEqual(crossings.length, 2)
          for (const each of crossings) assert.include(text, each.id)
          assert.match(text, /Message-ID: <msg_[0-9a-f]+@plumbline\.test>/i)
          assert.include(text, "List-Unsubscribe-Post: List-Unsubscribe=One-Click")
          // The next one waits for the hour.
          yield* values(90, 180)
          yield* look
          yield* send
          assert.strictEqual(mails.length, 2)
          yield* TestClock.adjust("1 hour")
          yield* send
          assert.strictEqual(mails.length, 3)
          const ending = linkIn(text, "end")
          assert.strictEqual((yield* call(ending)).status, 200)
          assert.strictEqual((yield* ask("GET", `/v1/alerts/${id}`)).status, 200)
          const oneClick = {
            method: "POST",
            path: ending,
            headers: { "content-type": "application/x-www-form-urlencoded" },
            body: "List-Unsubscribe=One-Click"
          }
          assert.strictEqual((yield* call(oneClick)).status, 200)
          assert.strictEqual((yield* ask("GET", `/v1/alerts/${id}`)).status, 404)
          yield* nothing
        })
    )

    it.effect("go to fixed hosts, under the same id until they are taken, and have a feed", () =>
      Effect.gen(function* () {
        const { call } = yield* Service
        const { posted, state } = yield* Hosts
        const { ask } = yield* accountOf("institutional")
        yield* values(50)
        const channels = [
          { kind: "telegram", chat_id: "@plumbline" },
          { kind: "slack", url: "https://hooks.slack.com/services/T0/B0/x" },
          { kind: "discord", url: "https://discord.com/api/webhooks/1/x" },
          { kind: "ntfy", topic: "plumbline-test" }
        ]
        for (const channel of channels)
          yield* newAlert(ask, { condition: { kind: "above", value: 100 }, channel })
        yield* send
        const paths = ["/api/webhooks/1/x", "/", "/bot1:token/sendMessage", "/services/T0/B0/x"].toSorted()
        assert.deepStrictEqual(posted.map(({ path }) => path).toSorted(), paths)
        for (const { body } of posted.splice(0))
          yield* call({ method: "POST", path: linkIn(body, "confirm") })
        yield* values(150)
        yield* look
        state.status = 503
        yield* send
        assert.strictEqual(posted.length, 4)
        const listed = (yield* ask("GET", "/v1/alerts")).body["alerts"] as ReadonlyArray<Alert>
        assert.deepStrictEqual(
          listed.map(({ last_error }) => last_error),
          channels.map(() => "it answered 503")
        )
        yield* ofAlertMessages
        assert.deepStrictEqual(yield* countsOf("slack"), { undelivered: 1, delivered: 1 })
        state.status = 200
        yield* TestClock.adjust("11 seconds")
        yield* send
        yield* ofAlertMessages
        // The confirmation, and what did not arrive at first.
        assert.deepStrictEqual(yield* countsOf("slack"), { undelivered: 0, delivered: 2 })
        assert.deepStrictEqual(
          posted
            .slice(4)
            .map(({ body }) => body)
            .toSorted(),
          posted
            .slice(0, 4)
            .map(({ body }) => body)
            .toSorted()
        )
        yield* send
        assert.strictEqual(posted.splice(0).length, 8)
        const feed = yield* call(new URL(listed[0]?.feed_url ?? "").pathname)
        assert.include(String(feed.headers["content-type"] ?? ""), "")
        assert.include(feed.body.toString(), "is above 100")
        yield* nothing
      })
    )

    it.effect("rest beyond the limit of a lower tier, say so once, and go on when there is room again", () =>
      Effect.gen(function* () {
        const { call } = yield* Service
        const { mails } = yield* Mail
        const { account, ask } = yield* accountOf("agent")
        const limits = yield* AlertLimits
        const { setTier } = yield* Accounts
        const of = (value: number, channel?: object) =>
          newAlert(ask, {
            condition: { kind: "above", value },
            ...(channel === undefined ? {} : { channel })
          })
        const statesOf = Effect.map(ask("GET", "/v1/alerts"), ({ body }) =>
          (body["alerts"] as ReadonlyArray<Alert>).map(({ state }) => state)
        )
        const countsOf = (ids: ReadonlyArray<string>) =>
          Effect.forEach(ids, (id) => Effect.map(crossingsOf(ask, id), ({ length }) => length))
        yield* values(50)
        const ids: Array<string> = []
        for (const value of [100, 200, 300]) {
          ids.push((yield* of(value)).id)
          yield* TestClock.adjust("1 second")
        }
        const mailed = mails.length
        ids.push((yield* of(100, { kind: "email", address: "ben@example.org" })).id)
        yield* TestClock.adjust("1 second")
        yield* send
        yield* call({ method: "POST", path: linkIn(mails[mailed]?.text ?? "", "confirm") })
        ids.push((yield* of(100)).id)
        assert.strictEqual(yield* limits.apply, 0)
        yield* values(120)
        yield* look

        yield* setTier(account, "free")
        assert.strictEqual(yield* limits.apply, 2)
        assert.strictEqual(yield* limits.apply, 0)
        assert.deepStrictEqual(yield* statesOf, ["active", "active", "active", "over_limit", "over_limit"])
        yield* send
        yield* send
        const notices = mails
          .slice(mailed)
          .filter(({ text }) => text.includes("Your Plumbline alert is paused"))
        assert.strictEqual(notices.length, 1)
        assert.strictEqual(notices[0]?.to[0], "ben@example.org")
        yield* values(150, 50, 250)
        yield* look
        assert.deepStrictEqual(yield* countsOf(ids), [2, 1, 0, 1, 1])

        // An older one is ended: there is room for the next. What is true then is no crossing, nor what came before.
        yield* ask("DELETE", `/v1/alerts/${ids[2]}`)
        assert.strictEqual(yield* limits.apply, 1)
        assert.deepStrictEqual(yield* statesOf, ["active", "active", "active", "over_limit"])
        yield* values(240, 50, 110)
        yield* look
        assert.deepStrictEqual(yield* countsOf([ids[3] ?? "", ids[4] ?? ""]), [2, 1])

        yield* values(50)
        yield* look

        yield* setTier(account, "agent")
        assert.strictEqual(yield* limits.apply, 1)
        yield* values(120)
        yield* look
        assert.deepStrictEqual(yield* countsOf([ids[3] ?? "", ids[4] ?? ""]), [3, 2])
        yield* nothing
      })
    )

    it.effect("are made, listed and ended by MCP", () =>
      Effect.gen(function* () {
        const { call } = yield* Service
        const key = String(json(yield* call({ method: "POST", path: "/v1/credits/register" }))["api_key"])
        const tool = (input: object) =>
          Effect.map(
            call({
              method: "POST",
              path: "/mcp",
              headers: {
                "content-type": "application/json",
                accept: "application/json, text/event-stream",
                "x-api-key": key
              },
              body: JSON.stringify({
                jsonrpc: "2.0",
                id: 1,
                method: "tools/call",
                params: { name: "manage_alerts", arguments: input }
              })
            }),
            (reply) => {
              const { result = assert.fail() } = messageOf(reply)
              const [{ text } = assert.fail()] = result["content"] as ReadonlyArray<{ readonly text: string }>
              return JSON.parse(text) as Record<string, unknown>
            }
          )
        const alert = yield* tool({
          action: "create",
          alert: {
            condition: { kind: "above", value: 250 },
            symbol: "FIL",
            metric: "nodes_online",
            channel: { kind: "feed" }
          }
        })
        const id = String(alert["id"])
        yield* values(50, 300)
        yield* look
        assert.lengthOf((yield* tool({ action: "crossings", id }))["crossings"] as ReadonlyArray<unknown>, 1)
        assert.strictEqual((yield* tool({ action: "list" }))["limit"], 3)
        assert.deepStrictEqual(yield* tool({ action: "end", id }), { id, removed: true })
        assert.deepStrictEqual((yield* tool({ action: "list" }))["alerts"], [])
        yield* nothing
      })
    )

    it.effect("look at changes, highs, ages, revisions and what is held", () =>
      Effect.gen(function* () {
        const { ask } = yield* accountOf("institutional")
        const sql = yield* SqlClient.SqlClient
        const stale = yield* newAlert(ask, { condition: { kind: "stale", hours: 5 } })
        const change = yield* newAlert(ask, { condition: { kind: "change", percent: 10, hours: 1 } })
        const high = yield* newAlert(ask, { condition: { kind: "new_high", days: 1 } })
        const revised = yield* newAlert(ask, { condition: { kind: "revised" } })
        const ingest = yield* Ingest
        const at = start + 30 * hour
        yield* TestClock.setTime(at)
        yield* look
        assert.lengthOf(yield* crossingsOf(ask, stale.id), 1)
        const write = (value: number, time: number) =>
          ingest.write(Runs.delivery(at, [Runs.row(value, isoTime(time))]))
        yield* write(1000, at - 2 * hour)
        yield* write(1050, at - hour)
        yield* look
        assert.lengthOf(yield* crossingsOf(ask, change.id), 0)
        yield* write(1200, at)
        // A restated value.
        yield* write(1001, at - 2 * hour)
        yield* (yield* EventLog).run
        yield* look
        assert.deepStrictEqual(
          (yield* crossingsOf(ask, change.id)).map(({ says }) => says.replace(/.*, /, "")),
          ["changed by +14.29 % from 1050 at 2026-09-06T14:00:00Z."]
        )
        assert.deepStrictEqual(
          (yield* crossingsOf(ask, high.id)).map(({ value }) => value),
          [1000]
        )
        const [{ event_id, value } = assert.fail()] = yield* crossingsOf(ask, revised.id)
        assert.deepStrictEqual([typeof event_id, value], ["number", 1001])
        assert.lengthOf(yield* crossingsOf(ask, stale.id), 1)
        assert.lengthOf(yield* sql`select 1 from alert_value`, 0)
        yield* nothing
      })
    )

    it.effect("are made by the form of a metric's page, without a script", () =>
      Effect.gen(function* () {
        const { call } = yield* Service
        const key = String(json(yield* call({ method: "POST", path: "/v1/credits/register" }))["api_key"])
        const form = (fields: object) =>
          call({
            method: "POST",
            path: "/alerts",
            headers: { "content-type": "application/x-www-form-urlencoded", accept: "text/html" },
            body: new URLSearchParams({
              symbol: "FIL",
              metric: "nodes_online",
              source: "test_feed",
              kind: "below",
              value: "12.5",
              email: "",
              key,
              ...fields
            }).toString()
          })
        const page = yield* call("/network/FIL/nodes_online")
        assert.include(page.body.toString(), 'action="/alerts" method="post"')
        const reply = yield* form({})
        assert.strictEqual(reply.status, 200)
        assert.include(reply.body.toString(), "nodes_online of FIL from test_feed is below 12.5")
        assert.strictEqual((yield* form({ key: "plk_wrong" })).status, 401)
        assert.strictEqual((yield* form({ value: "much" })).status, 400)
        const listed = json(yield* call({ path: "/v1/alerts", headers: { "x-api-key": key } }))
        assert.lengthOf(listed["alerts"] as ReadonlyArray<unknown>, 1)
        yield* nothing
      })
    )

    it.effect("refuse what is not a condition or not reachable, by name, and what is too much", () =>
      Effect.gen(function* () {
        const { call } = yield* Service
        const { ask, key } = yield* accountOf("free")
        const refused = (request: object) =>
          Effect.map(
            ask("POST", "/v1/alerts", {
              condition: { kind: "above", value: 1 },
              symbol: "FIL",
              metric: "nodes_online",
              channel: { kind: "feed" },
              ...request
            }),
            ({ body, status }) => `${status} ${body["field"] ?? body["error"]}`
          )
        assert.strictEqual(
          yield* refused({ condition: { kind: "above", value: 1, hours: 3 } }),
          "400 condition.hours"
        )
        assert.strictEqual(yield* refused({ condition: { kind: "abov", value: 1 } }), "400 condition.kind")
        assert.strictEqual(yield* refused({ channel: { kind: "pigeon" } }), "400 channel.kind")
        const raw = (type: string, body: string) =>
          Effect.map(
            call({
              method: "POST",
              path: "/v1/alerts",
              headers: { "x-api-key": key, "content-type": type },
              body
            }),
            ({ status }) => status
          )
        assert.strictEqual(yield* raw("text/plain", "{}"), 415)
        assert.strictEqual(yield* raw("application/json", "{"), 400)
        assert.strictEqual(yield* raw("application/json", "[]"), 400)
        assert.strictEqual(yield* refused({ category: "storage" }), "400 symbol")
        assert.strictEqual(yield* refused({ metric: undefined }), "400 metric")
        assert.strictEqual(yield* refused({ metric: "no_such" }), "400 metric")
        assert.strictEqual(yield* refused({ symbol: "NO_SUCH" }), "404 symbol")
        assert.match(
          yield* refused({ channel: { kind: "slack", url: "https://hooks.slack.com.evil.test/services/x" } }),
          /^400 channel/
        )
        assert.strictEqual(
          yield* refused({ channel: { kind: "webhook", webhook_id: "wh_00" } }),
          "402 tier_too_low"
        )
        assert.match(yield* refused({ min_interval: 59 }), /^400 min_interval/)
        for (let n = 0; n < 3; n++) assert.match(yield* refused({}), /^200/)
        assert.strictEqual(yield* refused({}), "409 too_many_alerts")
        const { ask: other } = yield* accountOf("agent")
        const mail = {
          condition: { kind: "revised" },
          symbol: "FIL",
          channel: { kind: "email", address: "b@example.org" }
        }
        for (let n = 0; n < 5; n++) assert.strictEqual((yield* other("POST", "/v1/alerts", mail)).status, 200)
        assert.strictEqual((yield* other("POST", "/v1/alerts", mail)).status, 429)
        yield* nothing
      })
    )
  })
})
