/** How many messages that ask for a confirmation a stranger can have sent, to whom, and how their receiver refuses them permanently. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { Alerts } from "../../core/alerts/Alerts.ts"
import { mostConfirmations } from "../../core/alerts/checked.ts"
import { mailboxOf } from "../../core/alerts/mailbox.ts"
import { accountOf, alerting, Mail, newAlert, send, start } from "../support/alerts.ts"
import { postgres } from "../support/database.ts"
import { Service } from "../support/service.ts"

const to = (address: string) => ({
  symbol: "FIL",
  metric: "nodes_online",
  condition: { kind: "above" as const, value: 100 },
  channel: { kind: "email" as const, address }
})

const refusedWith = Effect.fnUntraced(function* (account: string, address: string, network: string) {
  const { create } = yield* Alerts
  const exit = yield* Effect.result(create({ id: account, tier: "enterprise" }, to(address), network))
  return exit._tag === "Failure" ? exit.failure._tag : "made"
})

/** Nothing was asked for before. */
const begin = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* TestClock.setTime(start)
  yield* sql`truncate alert_confirmation`
  yield* sql`delete from alert`
})

layer(alerting(postgres), { excludeTestServices: false })("messages that ask for a confirmation", (it) => {
  it.effect("are counted by mailbox, whatever is behind a plus", () =>
    Effect.gen(function* () {
      yield* begin
      assert.strictEqual(mailboxOf("Victim+a+b@Example.org"), "victim@example.org")
      assert.strictEqual(mailboxOf("+x@example.org"), "+x@example.org")
      const { account } = yield* accountOf("enterprise")
      for (let n = 0; n < mostConfirmations.addressee; n++)
        assert.strictEqual(yield* refusedWith(account, `victim+${n}@example.org`, `10.0.${n}.1`), "made")
      assert.strictEqual(
        yield* refusedWith(account, "Victim+again@example.org", "10.1.0.1"),
        "TooManyConfirmations"
      )
      assert.strictEqual(yield* refusedWith(account, "other@example.org", "10.1.0.1"), "made")
    })
  )

  it.effect("are counted by the asking network, whatever accounts it makes", () =>
    Effect.gen(function* () {
      yield* begin
      const accounts = [yield* accountOf("enterprise"), yield* accountOf("enterprise")]
      for (let n = 0; n < mostConfirmations.network; n++) {
        const { account = "" } = accounts[n % 2] ?? {}
        assert.strictEqual(yield* refusedWith(account, `a${n}@d${n}.example`, "10.0.0.1"), "made")
      }
      const { account = "" } = accounts[0] ?? {}
      assert.strictEqual(yield* refusedWith(account, "b@other.example", "10.0.0.1"), "TooManyConfirmations")
      assert.strictEqual(yield* refusedWith(account, "b@other.example", "10.0.0.2"), "made")
    })
  )

  it.effect("are counted by domain, all of whose addresses may be of one receiver, and in all", () =>
    Effect.gen(function* () {
      yield* begin
      const sql = yield* SqlClient.SqlClient
      const { account } = yield* accountOf("enterprise")
      const { account: other } = yield* accountOf("enterprise")
      const past = (domain: string, count: number) =>
        sql`insert into alert_confirmation (account, addressee, domain, network, at)
          select ${other}, n || '@' || ${domain}::text, ${domain}, n::text, ${new Date(start)} from generate_series(1, ${count}::int) n`
      yield* past("catch-all.example", mostConfirmations.domain - 1)
      assert.strictEqual(yield* refusedWith(account, "x@Catch-All.example", "10.0.0.1"), "made")
      assert.strictEqual(
        yield* refusedWith(account, "y@catch-all.example", "10.0.0.2"),
        "TooManyConfirmations"
      )
      assert.strictEqual(yield* refusedWith(account, "y@other.example", "10.0.0.2"), "made")
      yield* past("many.example", mostConfirmations.inAll)
      assert.strictEqual(yield* refusedWith(account, "z@third.example", "10.0.0.3"), "TooManyConfirmations")
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(yield* refusedWith(account, "z@third.example", "10.0.0.3"), "made")
    })
  )

  it.effect("have an address by which their receiver refuses all mail permanently", () =>
    Effect.gen(function* () {
      yield* begin
      const { call } = yield* Service
      const { mails } = yield* Mail
      const { account, ask } = yield* accountOf("enterprise")
      const condition = { kind: "above", value: 100 }
      const mail = (address: string) => ({ condition, channel: { kind: "email", address } })
      yield* newAlert(ask, mail("victim+1@example.org"))
      const { id } = yield* newAlert(ask, mail("Victim@example.org"))
      const { id: others } = yield* newAlert(ask, mail("victims@example.org"))
      yield* send
      const text = (mails.at(-1)?.text ?? "").replaceAll("=\r\n", "")
      const link = /\/alerts\/[\w-]+\/never\/[\w-]+/.exec(text)?.[0] ?? assert.fail(`no link in ${text}`)
      const victims = mails
        .map(({ text }) => /\/alerts\/[\w-]+\/never\/[\w-]+/.exec(text.replaceAll("=\r\n", ""))?.[0])
        .filter((one) => one?.includes(Buffer.from("victim@example.org").toString("base64url")))
      assert.lengthOf(victims, 2, link)
      const [never = ""] = victims
      assert.strictEqual(victims[1], never)
      // Scanners open every address: a GET changes nothing.
      assert.include((yield* call(never)).body.toString(), "<button")
      assert.strictEqual((yield* ask("GET", `/v1/alerts/${id}`)).status, 200)
      assert.strictEqual((yield* call({ method: "POST", path: `${never.slice(0, -1)}!` })).status, 404)
      assert.strictEqual((yield* call({ method: "POST", path: never })).status, 200)
      assert.strictEqual((yield* ask("GET", `/v1/alerts/${id}`)).status, 404)
      assert.strictEqual((yield* ask("GET", `/v1/alerts/${others}`)).status, 200)
      // The address outlives the alert.
      assert.strictEqual((yield* call({ method: "POST", path: never })).status, 200)
      yield* TestClock.adjust("400 days")
      const again = yield* ask("POST", "/v1/alerts", {
        symbol: "FIL",
        metric: "nodes_online",
        ...mail("victim+new@example.org")
      })
      assert.deepStrictEqual([again.status, again.body["field"]], [400, "channel.address"])
      assert.strictEqual(yield* refusedWith(account, "other@example.org", "10.0.0.9"), "made")
    })
  )

  it.effect("are not sent to whoever refused while the alert was made", () =>
    Effect.gen(function* () {
      yield* begin
      const sql = yield* SqlClient.SqlClient
      const { mails } = yield* Mail
      const { ask } = yield* accountOf("enterprise")
      const { id } = yield* newAlert(ask, {
        condition: { kind: "above", value: 100 },
        channel: { kind: "email", address: "late@example.org" }
      })
      yield* sql`insert into mail_refusal (mailbox, at) values ('late@example.org', ${new Date(start)})`
      const before = mails.length
      yield* send
      assert.strictEqual(mails.length, before)
      assert.strictEqual((yield* ask("GET", `/v1/alerts/${id}`)).status, 404)
    })
  )
})
