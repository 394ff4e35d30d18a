/** Values of a feed that nothing has confirmed: the same in rows, tables, pages and prices, with a mark and left out of figures. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { products } from "../../core/products/builds.ts"
import { confirm } from "../../core/readings/ingest/compare/confirmation.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { Current } from "../../core/readings/read/Current.ts"
import type { Pricing } from "../../core/wire/credits/pricing.ts"
import { publish } from "../support/mcp.ts"
import * as Runs from "../support/runs.ts"
import { manifest, Service } from "../support/service.ts"
import { json } from "../support/signed.ts"

const metric = "active_storage_providers"
const now = Date.UTC(2026, 8, 5, 9)
const manifests = [
  {
    ...manifest,
    metrics: {
      [metric]: { unit: "count", min: 0, role: "headline", meaning: "Providers with power." }
    }
  } as const
]

layer(Service.layer({ products, manifests }))("an unconfirmed feed", (it) => {
  const setUp = Effect.gen(function* () {
    yield* TestClock.setTime(now)
    yield* publish
    const sql = yield* SqlClient.SqlClient
    yield* sql`insert into feed_confirmation ${sql.insert({
      plugin: "made-up",
      code_hash: "0".repeat(64),
      state: "unconfirmed",
      since: new Date(now)
    })}`
    yield* (yield* Current).reload
  })
  const read = Effect.fnUntraced(function* (path: string) {
    const { call } = yield* Service
    const reply = yield* call(path)
    assert.strictEqual(reply.status, 200, path)
    return reply.body.toString("utf8")
  })
  const page = Effect.fnUntraced(function* (path: string) {
    const { call } = yield* Service
    return (yield* call({ path, headers: { accept: "text/html" } })).body.toString("utf8")
  })
  const lists = [
    "/v1/network/FIL",
    "/v1/supply",
    "/v1/supply?network=FIL",
    "/v1/provenance?network=FIL",
    "/v1/data-dictionary"
  ]

  it.effect("marks its values wherever they are, until it is confirmed", () =>
    Effect.gen(function* () {
      yield* setUp
      for (const path of lists) assert.include(yield* read(path), '"unconfirmed":true', path)
      const table = yield* read("/v1/supply?format=csv")
      const [head = "", first = ""] = table.split(/\r?\n/)
      assert.match(
        head,
        /,unconfirmed,licence,attribution,held,level_in_doubt,source_method,by_definition,by_definition_reason,reviewed(,rung)?$/
      )
      assert.match(first, /,true,CC-BY-4\.0,"Data: Made-up, Inc\.",,,,,,,?$/)
      assert.include(yield* read(`/network/FIL/${metric}/data.csv`), ",unconfirmed")
      assert.include(yield* read("/v1/history?network=FIL"), '"unconfirmed":true')
      const days = yield* read("/v1/history?network=FIL&format=csv")
      // Columns that came later stand after it.
      assert.match(
        days,
        /,unconfirmed,n_observers,n_agree,licence,attribution,source_method,by_definition,by_definition_reason,reviewed\r?\n.*,true,,,CC-BY-4\.0,"Data: Made-up, Inc\.",,,,\r?\n/
      )
      const before = yield* read(`/v1/history?network=FIL&as_known_at=2026-09-05T08:30:00Z`)
      assert.notInclude(before, "unconfirmed")
      assert.include(yield* read("/health"), '"unconfirmed_series":2')
      const { call } = yield* Service
      const pricing = json(yield* call("/v1/credits/pricing")) as unknown as typeof Pricing.Type
      assert.deepInclude(pricing.sections["depin_provenance"]?.covers, { series: 2, unconfirmed: 2 })
      assert.include(yield* page("/products/depin_provenance"), "2 of them unconfirmed")
      const symbols = yield* read("/v1/symbols")
      assert.include(symbols, `"missing_headline":{"metric":"${metric}","reason":"unconfirmed"}`)
      assert.notInclude(symbols, `"headline":"${metric}"`)
      assert.include(yield* page("/network/FIL"), "does not stand for the network. Unconfirmed:")
      assert.include(yield* page(`/network/FIL/${metric}`), "<strong>unconfirmed</strong>")
      assert.include(
        yield* page("/networks"),
        "2 of 2 figures here are unconfirmed and wait until the operator has compared their feed with the sources"
      )
      assert.include(yield* page("/category/storage"), "1 of 1 figure here is unconfirmed and waits until")
      assert.include(yield* page("/status"), "Unconfirmed: 1 of 1 feeds</h2>")

      yield* confirm("made-up", "operator")
      // The price list is made again every few seconds.
      yield* TestClock.setTime(now + 60_000)
      for (const path of [
        ...lists,
        "/v1/history?network=FIL",
        "/v1/symbols",
        "/health",
        "/v1/credits/pricing"
      ])
        assert.notInclude(yield* read(path), "unconfirmed", path)
      assert.include(yield* read("/v1/symbols"), `"headline":"${metric}"`)
      for (const path of ["/network/FIL", "/", "/status"])
        assert.notInclude(yield* page(path), "nconfirmed", path)
      assert.notInclude(yield* read(`/network/FIL/${metric}/data.csv`), "unconfirmed")
    })
  )

  it.effect("says on the page of a metric that a newer reading is held, and why", () =>
    Effect.gen(function* () {
      const [row] = yield* (yield* Current).snapshot.pipe(Effect.map(({ rows }) => rows))
      if (row === undefined) return assert.fail("no row")
      const jump = { ...row.row, value: row.row.value * 1000, as_of: "2026-09-05T08:30:00Z" }
      yield* (yield* Ingest).write(Runs.delivery(now, [jump], "made-up"))
      assert.include(
        (yield* page(`/network/${jump.symbol}/${metric}`)).replaceAll(/<[^>]+>|&nbsp;/g, ""),
        `is held: ${jump.value} is 1,000 times ${row.row.value}, the last accepted value`
      )
    })
  )
})
