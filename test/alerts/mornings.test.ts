/** Yesterday by mail without a key: confirmed first, once per closed day, ended by its address, and never to who refused all mail. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { mostConfirmations } from "../../core/alerts/checked.ts"
import { MorningSender } from "../../core/alerts/MorningSender.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { alerting, fresh, Mail, start } from "../support/alerts.ts"
import { postgres } from "../support/database.ts"
import * as Runs from "../support/runs.ts"
import { Service } from "../support/service.ts"

const day = 86_400_000

const request = (email: string, of: { readonly symbol?: string; readonly category?: string } = {}) =>
  Effect.flatMap(Service, ({ call }) =>
    call({
      method: "POST",
      path: "/mornings",
      headers: { "content-type": "application/x-www-form-urlencoded", accept: "text/html" },
      body: String(new URLSearchParams({ email, symbol: "", category: "", ...of }))
    })
  )

const send = Effect.flatMap(MorningSender, ({ run }) => run)

/** The mails to an address, their lines whole. */
const mailsTo = (address: string) =>
  Effect.map(Mail, ({ mails }) =>
    mails.map(({ text }) => text.replaceAll("=\r\n", "")).filter((text) => text.includes(`To: ${address}`))
  )

const linkIn = (text: string, kind: "confirm" | "end" | "never"): string =>
  new RegExp(`/(?:mornings|alerts)/[\\w-]+/${kind}/[\\w-]+`).exec(text)?.[0] ??
  assert.fail(`no ${kind} in ${text}`)

const post = (path: string) => Effect.flatMap(Service, ({ call }) => call({ method: "POST", path }))

/** Two days with a value each, of which the nth is closed. */
const closed = Effect.fnUntraced(function* (n: number) {
  const at = start + n * day
  yield* TestClock.setTime(at)
  const row = (value: number, before: number) => Runs.row(value, new Date(at - before).toISOString())
  yield* (yield* Ingest).write(Runs.delivery(at, [row(100 + 10 * n, 26 * 3_600_000)]))
  yield* (yield* DailyClose).run
})

const begin = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* fresh
  yield* sql`delete from morning`
  yield* sql`delete from mail_refusal`
  const { mails } = yield* Mail
  mails.length = 0
})

layer(alerting(postgres), { excludeTestServices: false })("yesterday by mail", (it) => {
  it.effect("comes once per closed day after it was confirmed, in words, until it is ended", () =>
    Effect.gen(function* () {
      yield* begin
      yield* closed(0)
      const reply = yield* request("reader@example.org", { symbol: "FIL" })
      assert.strictEqual(reply.status, 200)
      assert.include(reply.body.toString("utf8"), "Open your mail")
      yield* send
      const [first = ""] = yield* mailsTo("reader@example.org")
      assert.include(first, "of Filecoin")
      const { call } = yield* Service
      // Scanners of mail open every address.
      assert.include((yield* call(linkIn(first, "confirm"))).body.toString(), "<button")
      yield* closed(1)
      yield* send
      assert.lengthOf(yield* mailsTo("reader@example.org"), 1, "nothing before it is confirmed")
      assert.strictEqual((yield* post(linkIn(first, "confirm"))).status, 200)
      yield* send
      assert.lengthOf(yield* mailsTo("reader@example.org"), 1, "not the day before it was confirmed")

      yield* closed(2)
      yield* send
      yield* send
      const mails = yield* mailsTo("reader@example.org")
      assert.lengthOf(mails, 2)
      const [, second = ""] = mails
      assert.match(second, /Nodes online of Filecoin rose by 10/)
      assert.match(second, /No published value was corrected\./)
      assert.match(second, /List-Unsubscribe-Post/i)
      assert.strictEqual((yield* post(linkIn(second, "end"))).status, 200)
      yield* closed(3)
      yield* send
      assert.lengthOf(yield* mailsTo("reader@example.org"), 2)
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`select * from morning`, [])
    })
  )

  it.effect("is asked for as often as alerts are, and never comes to who refused all mail", () =>
    Effect.gen(function* () {
      yield* begin
      yield* closed(0)
      for (let n = 0; n < mostConfirmations.addressee; n++)
        assert.strictEqual((yield* request(`victim+${n}@example.org`)).status, 200)
      assert.strictEqual((yield* request("victim@example.org")).status, 429)
      yield* send
      const [mail = ""] = yield* mailsTo("victim+0@example.org")
      assert.strictEqual((yield* post(linkIn(mail, "confirm"))).status, 200)
      assert.strictEqual((yield* post(linkIn(mail, "never"))).status, 200)
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`select * from morning`, [])
      yield* TestClock.adjust("2 hours")
      assert.strictEqual((yield* request("victim@example.org")).status, 400)
    })
  )

  it.effect("is refused for what is no address, no symbol or no category", () =>
    Effect.gen(function* () {
      yield* begin
      assert.strictEqual((yield* request("nobody")).status, 400)
      assert.isAtLeast((yield* request("a@example.org", { symbol: "none-such" })).status, 400)
      assert.strictEqual((yield* request("a@example.org", { category: "none" })).status, 400)
      assert.strictEqual((yield* post("/mornings/mo_00/confirm/none")).status, 404)
    })
  )
})
