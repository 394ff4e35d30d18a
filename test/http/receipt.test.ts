/** Short addresses of published values: one never means another, and a card says what was checked of it. */
import { assert, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { valueAt, valueOfLeaf } from "../../core/log/record/shortAddress.ts"
import { fromHex, toHex } from "../../core/proof/bytes.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as Runs from "../support/runs.ts"
import { manifest, Service } from "../support/service.ts"
import { ask } from "../support/serviceCall.ts"
import { json } from "../support/signed.ts"

const name = { symbol: "FIL", metric: "active_storage_providers", source: "made-up" } as const

const feed = {
  ...manifest,
  metrics: {
    active_storage_providers: { unit: "count", meaning: "Providers with power.", role: "headline" }
  }
} as const

const write = (at: string, value: number, as_of: string) =>
  Effect.flatMap(Ingest, ({ write }) =>
    write(Runs.delivery(Date.parse(at), [Runs.row(value, as_of, name)], "made-up"))
  )

const close = (at: string) =>
  Effect.andThen(
    TestClock.setTime(Date.parse(at)),
    Effect.flatMap(DailyClose, ({ run }) => run)
  )

const page = (path: string) =>
  Effect.map(ask({ path, headers: { accept: "text/html" } }), ({ body, status }) => {
    const whole = body.toString("utf8")
    return { status, body: whole, text: whole.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ") }
  })

const metricPage = "/network/FIL/active_storage_providers"

const addressOn = (body: string): string => /href="(\/p\/[a-z2-7]+)"/.exec(body)?.[1] ?? ""

layer(Service.layer({ manifests: [feed] }))("a receipt", (it) => {
  it.effect(
    "is one value of one day under a short address, which stays its own when the value is revised",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.parse("2026-09-03T09:00:00Z"))
        yield* write("2026-09-03T07:00:00Z", 302, "2026-09-02T02:00:00Z")
        yield* write("2026-09-03T07:10:00Z", 305, "2026-09-03T02:00:00Z")
        yield* close("2026-09-03T09:00:00Z")
        const before = addressOn((yield* page(metricPage)).body)
        assert.match(before, /^\/p\/[a-z2-7]{10}$/)
        const card = yield* page(before)
        assert.strictEqual(card.status, 200)
        assert.include(card.text, "Active storage providers of Filecoin")
        assert.match(card.body, /<p class="big"><data value="302" title="302">302</)
        assert.include(card.text, "2 Sep 2026")
        assert.include(card.text, "made-up")
        assert.match(card.body, /data-lamp="sealed" class="lit"/)
        assert.notInclude(card.text, "Revised.")
        // Only a browser that looked may say so.
        assert.notMatch(card.text, /not altered/i)

        // The upstream restates it, and the next close seals the revision.
        yield* write("2026-09-03T12:00:00Z", 303, "2026-09-02T02:00:00Z")
        yield* close("2026-09-04T09:00:00Z")
        const old = yield* page(before)
        assert.match(old.body, /<p class="big"><data value="302"/)
        const after = /The newest is <a href="(\/p\/[a-z2-7]+)">303<\/a>/.exec(old.body)?.[1] ?? ""
        assert.notStrictEqual(after, before)
        const newest = yield* page(after)
        assert.match(newest.body, /<p class="big"><data value="303"/)
        assert.notInclude(newest.text, "Revised.")
        const picture = yield* ask(`${before}/picture.png`)
        assert.deepStrictEqual([picture.status, picture.headers["content-type"]], [200, "image/png"])
      })
  )

  it.effect("is none of an address that names no leaf", () =>
    Effect.gen(function* () {
      for (const code of ["aaaaaaaaaa", "abc", "AAAAAAAAAA", "nope-nope1"])
        assert.strictEqual((yield* page(`/p/${code}`)).status, 404, code)
    })
  )

  it.effect("has a longer address where an earlier leaf begins alike, whose address stays", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const attested = json(yield* ask("/v1/attest?symbol=FIL&metric=active_storage_providers&date=20260903"))
      const hash = fromHex(String(attested["leaf_hash"]))
      const own = Option.getOrThrow(yield* valueOfLeaf(toHex(hash)))
      assert.lengthOf(own.code, 10)
      const earlier = Uint8Array.from(hash)
      earlier[31] = (earlier[31] ?? 0) ^ 1
      yield* sql`insert into leaf (batch, place, series, day, incident, version, text, hash)
        select batch, 999, series, '2026-08-01'::date, 0, 1, text, ${earlier} from leaf where hash <> ${hash} and place = 0
        order by batch limit 1`
      // What is remembered is of the head before.
      yield* close("2026-09-05T09:00:00Z")
      const longer = Option.getOrThrow(yield* valueOfLeaf(toHex(hash)))
      assert.isAbove(longer.code.length, 10)
      assert.strictEqual(longer.row.value, own.row.value)
      // The earlier leaf is not what its hash says, so that nothing is said of it.
      assert.isTrue(Option.isNone(yield* valueAt(own.code)))
    })
  )

  it.effect("is a badge too", () =>
    Effect.gen(function* () {
      const reply = yield* ask("/badge/FIL/active_storage_providers.svg")
      assert.strictEqual(reply.status, 200)
      assert.match(String(reply.headers["content-type"]), /^image\/svg\+xml/)
      assert.match(reply.body.toString("utf8"), /Filecoin active storage providers: 305 on 3 Sep, sealed/)
      assert.strictEqual((yield* ask("/badge/FIL/none.svg")).status, 404)
      assert.strictEqual((yield* ask("/badge/FIL/active_storage_providers.png")).status, 404)
    })
  )
})
