/** The list of networks: its order, its columns, its counts and its file. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { DailyClose } from "../../core/log/DailyClose.ts"
import type { Manifest } from "../../core/plugin/Manifest.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as Runs from "../support/runs.ts"
import { manifest, Service } from "../support/service.ts"

const usd = (meaning: string) => ({ unit: "usd" as const, meaning, min: 0 })

/** Storage, wireless, compute, a reference chain and two subnets; AR has no value at all. */
const networks = ["FIL", "HNT", "AKT", "BTC", "SN1", "SN2"]
const market: Manifest = {
  ...manifest,
  id: "made-up-market",
  title: "Made-up market",
  covers: { networks },
  tier: "market",
  source: "made-up-market",
  metrics: { price_usd: usd("Price."), market_cap_usd: usd("Value."), fees_30d_usd: usd("Fees.") }
}
const supply: Manifest = { ...manifest, covers: { networks } }

const metric = "active_storage_providers"
const days = ["2026-08-20", "2026-08-27", "2026-09-02", "2026-09-03", "2026-09-04"]

/** One value for each of `days`: the last is of the open day. */
const supplied = {
  FIL: [100, 200, 210, 220, 900],
  // The largest rise begins from too few to be ranked first.
  HNT: [10, 20, 30, 60, 60],
  BTC: [100, 100, 100, 150, 150],
  SN1: [100, 100, 100, 100, 100]
}

const store = Effect.gen(function* () {
  const ingest = yield* Ingest
  yield* TestClock.setTime(Date.UTC(2026, 8, 4, 8))
  const rows = Object.entries(supplied).flatMap(([symbol, values]) =>
    values.map((value, n) =>
      Runs.row(value, `${days[n]}T01:00:00Z`, { symbol, metric, source: manifest.source })
    )
  )
  const figures = [
    ["FIL", "market_cap_usd", 500],
    ["FIL", "price_usd", 3.5],
    ["FIL", "fees_30d_usd", 70],
    ["AKT", "market_cap_usd", 900],
    ["AKT", "fees_30d_usd", 0],
    ["BTC", "market_cap_usd", 1e6]
  ] as const
  const at = Date.UTC(2026, 8, 4, 7)
  yield* ingest.write(Runs.delivery(at, rows, supply.id))
  yield* ingest.write(
    Runs.delivery(
      at,
      figures.map(([symbol, name, value]) =>
        Runs.row(value, "2026-09-04T01:00:00Z", { symbol, metric: name, unit: "usd", source: market.source })
      ),
      market.id
    )
  )
  yield* (yield* DailyClose).run
})

const page = Effect.fnUntraced(function* (path: string) {
  const reply = yield* (yield* Service).call({ path, headers: { accept: "text/html" } })
  assert.strictEqual(reply.status, 200, path)
  return reply.body.toString("utf8")
})

const order = (body: string) =>
  [...body.matchAll(/<tr role="row" data-symbol="([^"]+)"/g)].map(([, symbol]) => symbol)

const cellsOf = (body: string, symbol: string) =>
  (new RegExp(`data-symbol="${symbol}".*?</tr>`, "s").exec(body)?.[0] ?? "")
    .replace(/<[^>]*>/g, " ")
    .replace(/&nbsp;|\s+/g, " ")

const csv = Effect.fnUntraced(function* (path: string) {
  const reply = yield* (yield* Service).call(path)
  const [head = [], ...rows] = reply.body
    .toString("utf8")
    .trim()
    .split("\r\n")
    .map((line) => line.split(","))
  return rows.map((cells) => Object.fromEntries(head.map((name, n) => [name, cells[n] ?? ""])))
})

layer(Service.layer({ manifests: [supply, market] }))("the list", (it) => {
  it.effect("is ordered and filled, and counts each kind apart", () =>
    Effect.gen(function* () {
      yield* store
      const home = yield* page("/networks")
      // By market value, then by telemetry; neither the reference chain nor the subnets are among them.
      assert.deepStrictEqual(order(home).slice(0, 3), ["AKT", "FIL", "HNT"])
      assert.match(
        cellsOf(home, "FIL"),
        /900 Active storage providers · .* \+10\.0 % \+120 % \$3\.50 \$500\.00 \$70\.00/
      )
      assert.match(cellsOf(home, "AKT"), /not measured n\/a n\/a n\/a \$900\.00 \$0 /)
      assert.match(
        home,
        /7 days<span class="sub">27 Aug to 3 Sep<.*30 days<span class="sub">20 Aug to 3 Sep</s
      )
      assert.match(home, /Market cap: <strong>\$1\.4K<\/strong>, sum of 2 tokens/)
      assert.match(home, /Fees in 30 days: <strong>\$70\.00<\/strong>, sum of 2 networks/)
      assert.match(home, /own telemetry <span class="quiet">2</)
      assert.match(home, /market only <span class="quiet">1</)
      assert.deepStrictEqual(order(yield* page("/networks?show=subnet"))[0], "SN1")
      assert.deepStrictEqual(order(yield* page("/networks?show=reference"))[0], "BTC")
      assert.deepStrictEqual(order(yield* page("/networks?category=reference"))[0], "BTC")
      assert.deepStrictEqual(order(yield* page("/networks?show=all"))[0], "BTC")
      assert.deepStrictEqual(order(yield* page("/networks?category=storage"))[0], "FIL")
      assert.include(order(yield* page("/networks?q=bitcoin")), "BTC")
    })
  )

  it.effect("answers a search within a category with figures of that category alone", () =>
    Effect.gen(function* () {
      const figures = (path: string) =>
        Effect.map(page(path), (body) => {
          const section = /<section aria-labelledby="answers">.*?<\/section>/s.exec(body)?.[0] ?? ""
          return new Set([...section.matchAll(/href="\/network\/(\w+)/g)].map(([, symbol]) => symbol))
        })
      assert.isAbove((yield* figures("/networks?q=market+cap")).size, 1)
      assert.deepStrictEqual([...(yield* figures("/networks?q=market+cap&category=storage"))], ["FIL"])
    })
  )

  it.effect("sorts all rows, a rise from few behind the others", () =>
    Effect.gen(function* () {
      const sorted = (sort: string) =>
        Effect.map(page(`/networks?show=all&sort=${sort}`), (body) => order(body).slice(0, 4))
      assert.deepStrictEqual(yield* sorted("change"), ["FIL", "BTC", "SN1", "HNT"])
      assert.deepStrictEqual(yield* sorted("week"), ["BTC", "FIL", "SN1", "HNT"])
      assert.deepStrictEqual((yield* sorted("fees_30d_usd")).slice(0, 2), ["FIL", "AKT"])
      assert.deepStrictEqual((yield* sorted("price_usd"))[0], "FIL")
      const market = yield* page("/networks?columns=market")
      assert.match(cellsOf(market, "FIL"), /Storage \$3\.50 n\/a n\/a \$500\.00 n\/a n\/a/)
      assert.match(
        cellsOf(yield* page("/networks?columns=data"), "FIL"),
        /Active storage providers First-party 4 /
      )
    })
  )

  it.effect("has a file with market and fee figures of all rows, and supply of the day's sample", () =>
    Effect.gen(function* () {
      const rows = yield* csv("/networks/data.csv")
      assert.isAbove(rows.length, 500)
      assert.deepStrictEqual(
        rows
          .slice(0, 2)
          .map(({ fees_30d_usd, market_cap_usd, price_usd, symbol }) => [
            symbol,
            market_cap_usd,
            price_usd,
            fees_30d_usd
          ]),
        [
          ["AKT", "900", "", "0"],
          ["FIL", "500", "3.5", "70"]
        ]
      )
      const all = yield* csv("/networks/data.csv?show=all")
      const supplied = all.filter(({ supply_metric }) => supply_metric !== "")
      assert.deepStrictEqual(
        new Set(supplied.map(({ symbol }) => symbol)),
        new Set(["FIL", "HNT", "BTC", "SN1"])
      )
      const sampled = supplied.filter(({ supply_value }) => supply_value !== "")
      assert.lengthOf(sampled, 1)
      assert.strictEqual(sampled[0]?.["supply_note"], "in today's open sample")
      for (const row of supplied)
        if (row["supply_value"] === "")
          assert.strictEqual(
            row["supply_note"],
            `not in today's open sample of 1 networks: see /v1/network/${row["symbol"]}`
          )
    })
  )

  it.effect("leads to one definition of each count, with its value", () =>
    Effect.gen(function* () {
      const body = yield* page("/coverage")
      const count = (id: string) =>
        Number(new RegExp(`id="${id}">.*?class="n">([\\d,]+)<`, "s").exec(body)?.[1]?.replace(",", ""))
      const parts = ["own", "market", "listed"].map(count)
      assert.deepStrictEqual(parts.slice(0, 2), [2, 1])
      assert.strictEqual(
        parts.reduce((sum, n) => sum + n, 0),
        count("all-networks")
      )
      assert.strictEqual(count("all-networks") + count("subnets") + count("reference"), count("catalog"))
      assert.deepStrictEqual([count("subnets"), count("telemetry"), count("series")], [129, 4, 10])
      assert.deepStrictEqual([count("all-feeds"), count("hosts")], [2, 1])
      assert.match(
        yield* page("/networks"),
        /<a href="\/coverage#own">2<\/a><small>and 1 subnets, 1 reference chains/
      )
    })
  )
})
