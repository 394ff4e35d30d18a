/**
 * Every way to the same value of a closed day gives the same value, and what the price list calls open is refused to
 * nobody: without a key, by any tier, at any age.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { parquetReadObjects } from "hyparquet"
import { Accounts } from "../../core/credits/Accounts.ts"
import { openPaths, openWords, soldWords } from "../../core/credits/openData.ts"
import { Archive } from "../../core/log/archive/Archive.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { products } from "../../core/products/builds.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import type { Pricing } from "../../core/wire/credits/pricing.ts"
import { AccountTier } from "../../core/wire/credits/tiers.ts"
import * as Archives from "../support/archive.ts"
import { grant, register } from "../support/credits.ts"
import { callTool } from "../support/mcp.ts"
import { readCsv } from "../support/readCsv.ts"
import * as Runs from "../support/runs.ts"
import { manifest, Service } from "../support/service.ts"
import { json } from "../support/signed.ts"

// biome-ignore lint/suspicious/noExplicitAny: a test reads what is there
type Answer = any

const date = "2026-09-03"
const value = 301.25
const of = { symbol: "FIL", metric: "active_storage_providers", source: "made-up" }

const addressOf = (path: string): string => {
  const [year = "", month = "", day = ""] = date.split("-")
  const values = path.startsWith("/v1/archive") ? { year, month, day } : { day: date, date, ...of }
  return path.replace(/\{(\w+)\}/g, (_, name: string) => new Map(Object.entries(values)).get(name) ?? "?")
}

const services = Archive.layer.pipe(
  Layer.provide(Archives.drafts),
  Layer.provideMerge(Service.layer({ products, manifests: [manifest] }))
)

const closed = Effect.gen(function* () {
  yield* partitions.ensure(Date.parse(date))
  yield* TestClock.setTime(Date.parse(`${date}T12:00:00Z`))
  const rows = [Runs.row(value, `${date}T10:00:00Z`, of)]
  yield* (yield* Ingest).write(Runs.delivery(Date.parse(`${date}T12:00:00Z`), rows, "made-up"))
  yield* TestClock.setTime(Date.parse(`${date}T12:00:00Z`) + 86_400_000)
  yield* (yield* DailyClose).run
  yield* (yield* Archive).run
})

layer(services)("a value of a closed day", (it) => {
  const answered = (path: string, headers: Record<string, string> = {}) =>
    Effect.flatMap(Service, ({ call }) =>
      Effect.map(call({ path, headers }), (reply) => {
        assert.strictEqual(reply.status, 200, `${path} ${JSON.stringify(headers)} ${reply.body}`)
        return reply
      })
    )
  const jsonOf = (path: string, headers?: Record<string, string>) =>
    Effect.map(answered(path, headers), (reply) => json(reply) as Answer)
  const leafIn = (text: string) => text.split("\n").filter((line) => line.includes(`"${of.metric}"`))

  const inCsv = (body: Buffer) =>
    Effect.map(readCsv(body), ({ rows }) => Number(rows.find((row) => row["date"] === date)?.["value"]))

  /** The value by each way, with a key that may have more. */
  const everyWay = Effect.fnUntraced(function* (headers: Record<string, string>) {
    const [leaves, dayFile, attest, bundle] = openPaths.map(addressOf)
    const parquet = (yield* answered(dayFile ?? "", headers)).body
    const file = parquet.buffer.slice(parquet.byteOffset, parquet.byteOffset + parquet.byteLength)
    const rows = yield* Effect.promise(() => parquetReadObjects({ file: file as ArrayBuffer }))
    const history = yield* jsonOf(`/v1/history?network=FIL&metric=${of.metric}`, headers)
    const network = yield* jsonOf("/v1/network/FIL", headers)
    const leaf = leafIn((yield* answered(leaves ?? "", headers)).body.toString())
    const tool = yield* callTool("get_metric_history", { symbol: "FIL", metric: of.metric }, { headers })
    return {
      leaf: JSON.parse(leaf[0] ?? "{}").value,
      dayFile: rows.find((row) => row["metric"] === of.metric)?.["value"],
      attest: (yield* jsonOf(attest ?? "", headers)).value.value,
      bundle: JSON.parse((yield* jsonOf(bundle ?? "", headers)).leaf).value,
      history: history.data.FIL[of.metric].points.at(-1).value,
      network: network.find((row: Answer) => row.metric === of.metric).value,
      mcp: tool.data.data.FIL[of.metric].points.at(-1).value,
      csv: yield* inCsv((yield* answered(`/network/FIL/${of.metric}/data.csv`, headers)).body)
    }
  })

  it.effect("is the same by every way, without a key and by tier, in exports and products", () =>
    Effect.gen(function* () {
      yield* closed
      const accounts = yield* Accounts
      const { id, key } = yield* register("192.0.2.1")
      yield* grant(id, 1_000_000_000n, "for a product")
      const headers = { "x-api-key": Redacted.value(key) }
      const same = (answers: Readonly<Record<string, unknown>>, who: string) =>
        assert.deepStrictEqual(
          Object.entries(answers).filter(([, one]) => one !== value),
          [],
          who
        )
      same(yield* everyWay({}), "without a key")
      same(yield* everyWay({ "x-api-key": "plk_unknown" }), "an unknown key")
      for (const tier of AccountTier.literals) {
        yield* accounts.setTier(id, tier)
        same(yield* everyWay(headers), tier)
      }
      const exported = yield* answered("/v1/export?dataset=history&symbol=FIL", headers)
      const { call } = yield* Service
      const sale = yield* call({
        method: "POST",
        path: "/v1/credits/purchase",
        headers: { ...headers, "content-type": "application/json", "idempotency-key": "the-same-value" },
        body: JSON.stringify({ product_key: "depin_history" })
      })
      assert.strictEqual(sale.status, 200, String(sale.body))
      const [series] = (json(sale) as Answer).data.series
      same(
        {
          export: yield* inCsv(exported.body),
          product: series.values[series.dates.indexOf(date)]
        },
        "sold"
      )
    })
  )

  it.effect("is refused to nobody where the price list calls it open, however old it is", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const { id, key } = yield* register("192.0.2.2")
      const { open, sold } = json(yield* answered("/v1/credits/pricing")) as unknown as typeof Pricing.Type
      assert.deepStrictEqual({ open, sold }, { open: { says: openWords, paths: openPaths }, sold: soldWords })
      yield* TestClock.setTime(Date.parse(`${date}T12:00:00Z`) + 400 * 86_400_000)
      const before = yield* Effect.forEach(open.paths, (path) => answered(addressOf(path)))
      assert.isAbove(before.length, 3)
      for (const tier of AccountTier.literals) {
        yield* accounts.setTier(id, tier)
        for (const [n, path] of open.paths.entries()) {
          const reply = yield* answered(addressOf(path), { "x-api-key": Redacted.value(key) })
          assert.deepStrictEqual(reply.body, before[n]?.body, `${tier} ${path}`)
        }
      }
    })
  )

  it.effect("is explained in the same words by the terms and the tiers' table", () =>
    Effect.gen(function* () {
      for (const path of ["/terms", "/products"]) {
        const page = (yield* answered(path, { accept: "text/html" })).body.toString().replaceAll("&#39;", "'")
        assert.include(page, openWords, path)
        assert.include(page, soldWords, path)
      }
    })
  )
})
