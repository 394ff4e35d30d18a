/** Who runs the service, how he is reached, what was put right: with and without the operator's settings. */
import { assert, describe, it, layer } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { addReport, reports, settleReport } from "../../core/publications/reports.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { Operator } from "../../http/Operator.ts"
import { operatorFindings } from "../../runtime/doctor/operator.ts"
import { operatorConfig } from "../../runtime/settings/operator.ts"
import * as Runs from "../support/runs.ts"
import { authority, Service } from "../support/service.ts"
import { header, json, signatureFault } from "../support/signed.ts"

const noon = Date.UTC(2026, 8, 5, 12)

const operator = {
  name: "Lot & Sons <Ltd>",
  address: "Quay 1, Bergen",
  law: "the law of Norway",
  email: "data@lot.example",
  security: "https://lot.example/weakness",
  keyUrl: "https://lot.example/key"
}

/** A value of FIL. */
const served = Effect.gen(function* () {
  yield* TestClock.setTime(noon)
  yield* (yield* Ingest).write(
    Runs.delivery(
      noon,
      [
        Runs.row(7, "2026-09-05T11:00:00Z", {
          metric: "active_storage_providers",
          source: "made-up",
          verify_url: "https://upstream.test/v1"
        })
      ],
      "made-up"
    )
  )
})

const page = Effect.fnUntraced(function* (path: string) {
  const reply = yield* (yield* Service).call(path)
  assert.strictEqual(reply.status, 200, path)
  return reply.body.toString("utf8")
})

layer(Service.layer().pipe(Layer.provide(Layer.succeed(Operator, operator))))(
  "a service whose operator says who he is",
  (it) => {
    it.effect("names him on its pages, in security.txt, and in mails that are filled in", () =>
      Effect.gen(function* () {
        yield* served
        for (const path of ["/about", "/terms", "/privacy"]) {
          const text = yield* page(path)
          assert.include(text, "Lot &amp; Sons &lt;Ltd&gt;", path)
          assert.include(text, "mailto:data@lot.example", path)
        }
        assert.include(yield* page("/terms"), "under the law of Norway")
        for (const path of ["/trust", "/verify"])
          assert.include(yield* page(path), 'href="https://lot.example/key"', path)
        const text = yield* page("/.well-known/security.txt")
        assert.match(
          text,
          /^Contact: https:\/\/lot\.example\/weakness\nExpires: 2027-03-04T00:00:00Z\n[\s\S]*\nCanonical: https:\/\/plumbline\.test\/\.well-known\/security\.txt\n/
        )
        const metric = yield* page("/network/FIL/active_storage_providers")
        const [, address = ""] = /href="(mailto:[^"]+)">Something wrong\?/.exec(metric) ?? []
        const mail = new URL(address.replaceAll("&amp;", "&"))
        assert.strictEqual(mail.pathname, "data@lot.example")
        assert.match(mail.searchParams.get("body") ?? "", /Value: 7 \(count\), true at 2026-09-05T11:00:00Z/)
        assert.include(yield* page("/network/2BLOX"), "Your network?")
        const institutions = yield* page("/institutions")
        assert.include(institutions, "Talk to somebody")
        assert.include(institutions, "mailto:data@lot.example")
      })
    )

    it.effect("lists what was reported and what came of it, signed", () =>
      Effect.gen(function* () {
        yield* served
        const { call, keys } = yield* Service
        const metric = { symbol: "FIL", metric: "active_storage_providers" }
        const refused = yield* Effect.flip(addReport({ ...metric, metric: "nodes", what: "too low" }))
        assert.include(refused.message, "no series of FIL")
        const id = yield* addReport({
          ...metric,
          day: "2026-09-04",
          what: "half of what the dashboard <says>"
        })
        assert.strictEqual((yield* reports(10))[0]?.outcome, "open")
        yield* settleReport(id, "upstream_wrong", "the dashboard counts test networks")
        assert.include((yield* Effect.flip(settleReport(id, "corrected", "again"))).message, "no open report")
        const reply = yield* call("/v1/corrections")
        assert.isUndefined(signatureFault(reply, keys, authority))
        assert.deepInclude((json(reply)["reports"] as ReadonlyArray<object>)[0], {
          ...metric,
          date: "2026-09-04",
          outcome: "upstream_wrong",
          note: "the dashboard counts test networks"
        })
        const text = yield* page("/corrections")
        assert.include(text, "half of what the dashboard &lt;says&gt;")
        assert.include(text, "the source is wrong")
        const sql = yield* SqlClient.SqlClient
        yield* sql`delete from report`
      })
    )
  }
)

layer(Service.layer())("a service whose operator says nothing", (it) => {
  it.effect("says so plainly", () =>
    Effect.gen(function* () {
      yield* served
      for (const path of [
        "/about",
        "/terms",
        "/privacy",
        "/network/FIL/active_storage_providers",
        "/corrections"
      ])
        assert.include(yield* page(path), "The operator of this service has given no address.", path)
      const institutions = yield* page("/institutions")
      assert.include(institutions, "Without talking to anybody")
      assert.notInclude(institutions, "Talk to somebody")
      const reply = yield* (yield* Service).call("/.well-known/security.txt")
      assert.strictEqual(reply.status, 404)
      assert.include(header(reply, "content-type"), "html")
      assert.include(reply.body.toString("utf8"), "no address for weaknesses")
      const footer = yield* page("/about")
      for (const path of ["/trust", "/method", "/corrections", "/sources", "/privacy", "/institutions"])
        assert.include(footer, `href="${path}"`)
    })
  )
})

describe("the operator's settings", () => {
  const read = (env: Readonly<Record<string, string>>) =>
    operatorConfig.parse(ConfigProvider.fromEnv({ env: { ...env } }))

  it.effect("are what is set, and a wrong one is named", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* read({}), {})
      assert.deepStrictEqual(yield* read({ OPERATOR_NAME: "Lot", SECURITY_CONTACT: "mailto:a@b.example" }), {
        name: "Lot",
        security: "mailto:a@b.example"
      })
      for (const [name, value] of [
        ["CONTACT_EMAIL", "nobody"],
        ["SECURITY_CONTACT", "javascript:alert(1)"],
        ["SALES_URL", "http://lot.example"],
        ["OPERATOR_NAME", "two\nlines"]
      ] as const)
        assert.include(String(yield* Effect.flip(read({ [name]: value }))), name)
    })
  )

  it.effect("are missed by the doctor, who also reads the page that names the key", () =>
    Effect.gen(function* () {
      const of = (page: string) => operatorFindings(operator, "kid-1", () => Effect.succeed(page))
      assert.deepStrictEqual(
        (yield* of("the key is kid-1")).map(({ state }) => state),
        ["ok", "ok"]
      )
      assert.strictEqual((yield* of("nothing"))[1]?.state, "warn")
      const away = yield* operatorFindings(operator, "kid-1", () => Effect.fail("HTTP 500"))
      assert.strictEqual(away[1]?.state, "skip")
      const [finding] = yield* operatorFindings({}, "kid-1")
      assert.deepInclude(finding, { state: "warn" })
      assert.include(finding?.message, "OPERATOR_NAME, CONTACT_EMAIL, SECURITY_CONTACT are not set")
    })
  )
})
