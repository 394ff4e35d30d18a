/** Unusual values over HTTP: the list and its forms, the page of the metric, and the page of the newest closed day. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { Brief } from "../../core/publications/Brief.ts"
import { Anomalies } from "../../core/readings/anomalies/Anomalies.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as Runs from "../support/runs.ts"
import { manifest, Service } from "../support/service.ts"
import { ask } from "../support/serviceCall.ts"
import { json } from "../support/signed.ts"

const length = 86_400_000
const first = Date.UTC(2026, 7, 20)
const metric = "active_storage_providers"

const page = (path: string) =>
  Effect.map(ask({ path, headers: { accept: "text/html" } }), ({ body, status }) => {
    assert.strictEqual(status, 200, path)
    return body.toString("utf8")
  })

const closed = Effect.fnUntraced(function* (n: number, value: number) {
  const noon = first + n * length + length / 2
  yield* TestClock.setTime(noon)
  const as_of = new Date(noon).toISOString()
  const row = Runs.row(value, as_of, { metric, source: "made-up" })
  yield* (yield* Ingest).write(Runs.delivery(noon, [row], "made-up"))
  yield* TestClock.setTime(first + (n + 1) * length + length / 3)
  yield* (yield* DailyClose).run
  yield* (yield* Anomalies).run
})

layer(Anomalies.layer.pipe(Layer.provideMerge(Service.layer({ manifests: [manifest] }))))(
  "unusual values",
  (it) => {
    it.effect("are listed, marked on the metric's page, and named by rule", () =>
      Effect.gen(function* () {
        const noteOf = (query: string) =>
          Effect.map(ask(`/v1/anomalies${query}`), (reply) => {
            assert.deepStrictEqual(json(reply)["anomalies"], [])
            return json(reply)["note"]
          })
        assert.strictEqual(
          yield* noteOf(""),
          "No day is judged yet, so the list says nothing about any value."
        )
        for (let n = 0; n < 12; n++) yield* closed(n, 1000 + ((7 * n) % 11))
        assert.isUndefined(yield* noteOf("?from=2026-08-20&to=2026-08-31"))
        const nothing = "are not judged, so the list says nothing about their values."
        for (const [query, days] of [
          ["?day=2026-09-01", "after 2026-08-31"],
          ["?day=2026-08-19", "before 2026-08-20"],
          ["?from=2026-08-10&to=2026-09-05", "before 2026-08-20 and after 2026-08-31"]
        ] as const)
          assert.strictEqual(yield* noteOf(query), `Days ${days} ${nothing}`)
        assert.notInclude(yield* page(`/network/FIL/${metric}`), "unusual")
        assert.include(yield* page("/anomalies"), "<p>None of the values of these days.</p>")
        yield* closed(12, 1600)
        const reply = yield* ask("/v1/anomalies")
        const { anomalies, judged_through } = json(reply) as unknown as {
          readonly judged_through: string
          readonly anomalies: ReadonlyArray<Readonly<Record<string, unknown>>>
        }
        assert.strictEqual(judged_through, "2026-09-01")
        assert.strictEqual(anomalies.length, 1)
        assert.deepInclude(anomalies[0], {
          symbol: "FIL",
          metric,
          value: 1600,
          rule: "level",
          date: "2026-09-01"
        })
        const cut = json(yield* ask("/v1/anomalies?fields=rule,score"))["anomalies"] as ReadonlyArray<object>
        assert.deepStrictEqual(Object.keys(cut[0] ?? {}), [
          "symbol",
          "metric",
          "date",
          "source",
          "as_of",
          "verify_url",
          "rule",
          "score"
        ])
        const table = (yield* ask("/v1/anomalies?format=csv")).body.toString("utf8").split("\r\n")
        assert.match(table[0] ?? "", /^symbol,metric,date,value,/)
        assert.match(table[1] ?? "", /^FIL,active_storage_providers,2026-09-01,1600,/)
        const wrong = yield* ask("/v1/anomalies?rule=odd")
        assert.strictEqual(wrong.status, 400)
        assert.include(wrong.body.toString("utf8"), "level")

        const drawn = yield* page(`/network/FIL/${metric}`)
        assert.include(drawn, 'class="mark unusual"')
        assert.match(
          drawn,
          /<p id="unusual" role="note"><strong>Unusual on 1 Sep 2026<\/strong>, by the rule <a href="\/method#anomalies">level<\/a>/
        )
        const newest = yield* page("/anomalies")
        assert.include(newest, 'id="level"')
        assert.include(newest, "It changed by +60 %")
        assert.include(yield* page("/changes"), 'href="/anomalies"')
        const method = yield* page("/method")
        assert.include(method, 'id="anomalies"')
        // From the list of the rule itself, with its tolerance.
        const factors = "10, 100, 1,000, 1,024, 10^6, 1,024^2, 10^9, 1,024^3, 10^12 or 10^18"
        assert.include(method, `within 5 % of ${factors}.`)
        assert.include(method, "a move by fewer than 10 says nothing")
      })
    )

    it.effect("are in the brief of their week, once the week is judged", () =>
      Effect.gen(function* () {
        for (let n = 13; n < 18; n++) yield* closed(n, 1600 + ((7 * n) % 11))
        const brief = yield* Brief
        assert.deepStrictEqual(yield* brief.run, ["2026-08-24", "2026-08-31", "2026-09-07"])
        const edition = json(yield* ask("/v1/brief"))
        const { n_rows, rows } = edition["unusual_values"] as {
          readonly n_rows: number
          readonly rows: ReadonlyArray<Readonly<Record<string, unknown>>>
        }
        assert.strictEqual(n_rows, 1)
        assert.deepInclude(rows[0], { symbol: "FIL", date: "2026-09-01", rule: "level" })
        assert.deepInclude(rows[0]?.["figure"], { metric, value: 1600, source: "made-up" })
        // A late edition has none: nobody knows what was judged of its week.
        assert.notProperty(json(yield* ask("/v1/brief?date=20260831")), "unusual_values")
        const people = yield* page("/brief")
        assert.include(people, '<h2 id="unusual">Unusual values</h2>')
        assert.include(people, "It changed by +60 %")
        const text = yield* ask({ path: "/v1/brief", headers: { accept: "text/markdown" } })
        assert.include(text.body.toString("utf8"), "## Unusual values")
      })
    )
  }
)
