/** The explorer as its answers: what a page says, how it is sent, and what it refuses. */
import { brotliCompressSync, constants } from "node:zlib"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { IngestCounts } from "../../core/readings/read/IngestCounts.ts"
import {
  axisTexts,
  categoryTitle,
  formatAged,
  formatIndex,
  metricTitle,
  metricWords
} from "../../http/explorer/html/format.ts"
import { storeExplorerDays } from "../support/explorerDays.ts"
import * as Runs from "../support/runs.ts"
import { manifest, Service } from "../support/service.ts"
import { ask } from "../support/serviceCall.ts"

const text = (path: string) =>
  Effect.gen(function* () {
    const reply = yield* ask({ path, headers: { accept: "text/html" } })
    return { reply, body: reply.body.toString("utf8") }
  })

const metric = "/network/FIL/active_storage_providers"

layer(Service.layer())("the explorer", (it) => {
  it("writes the values of an axis with the same decimals, unless they are of several scales", () => {
    assert.deepStrictEqual(axisTexts([0.75, 0.8, 1], "usd"), ["$0.75", "$0.80", "$1.00"])
    assert.deepStrictEqual(axisTexts([860, 880, 900], "count"), ["860", "880", "900"])
    assert.deepStrictEqual(axisTexts([97.5, 100], "mw"), ["97.5 MW", "100.0 MW"])
    assert.deepStrictEqual(axisTexts([0, 5e8, 1.5e9], "count"), ["0", "500M", "1.5B"])
    assert.deepStrictEqual([100, 101.9, 1234.567].map(formatIndex), ["100.00", "101.90", "1,234.57"])
  })

  it.effect("shows in the legend of a chart only what the chart shows, and folds the proof to one line", () =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      const { body } = yield* text(metric)
      const signs = /<ul class="legend"[\s\S]*?<\/ul>/.exec(body)?.[0] ?? ""
      assert.deepStrictEqual(
        [...signs.matchAll(/<\/svg>(?:<button[^>]*>)?([^<]+)/g)].map(([, sign]) => sign),
        ["closed day", "open day, can still change", "now"]
      )
      assert.match(
        body,
        /<details><summary>[\s\S]*? on 3 Sep 2026: sealed in the batch of 3 Sep 2026, [\s\S]*?<\/summary>\s*<div id="proof"/
      )
      assert.include(body, '<a href="#proof">')
    })
  )

  it("names metrics, categories and ages as words", () => {
    assert.deepStrictEqual(["tvl_usd", "active_storage_providers"].map(metricWords), [
      "TVL",
      "active storage providers"
    ])
    assert.deepStrictEqual(
      ["price_usd", "price_change_24h_pct", "STORAGE_USED_BYTES", "memory_gib"].map(metricTitle),
      ["Price", "Price change 24h %", "Storage used", "Memory"]
    )
    assert.strictEqual(metricTitle("quality_adj_power"), "Quality adjusted power")
    assert.deepStrictEqual(["ai", "compute"].map(categoryTitle), ["AI", "Compute"])
    assert.deepStrictEqual([5000, 240_000].map(formatAged), ["less than 1 min old", "4 min old"])
  })

  it.effect(
    "tells those who cannot see a chart its ends, its lowest and its highest value, and its gaps",
    () =>
      Effect.gen(function* () {
        yield* storeExplorerDays
        assert.include(
          (yield* text(metric)).body,
          "4 days with a reading, from 298 on 31 Aug 2026 to 304 on 4 Sep 2026; " +
            "lowest 298 on 31 Aug 2026, highest 304 on 4 Sep 2026; 1 day without a reading."
        )
      })
  )

  it.effect("tells those who cannot see a sparkline how many days it has, and its ends", () =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      for (const path of ["/networks", "/network/FIL"]) {
        assert.match(
          (yield* text(path)).body,
          /class="spark"[^>]* role="img" aria-label="4 of 30 days have a reading, from 298 to 304"/,
          path
        )
      }
    })
  )

  it.effect("is at the base URL whatever a client accepts, and the index for programs is at /v1", () =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      for (const accept of ["application/json", "text/html", "*/*"]) {
        const reply = yield* ask({ path: "/", headers: { accept } })
        assert.strictEqual(reply.headers["content-type"], "text/html; charset=utf-8")
        assert.include(reply.body.toString("utf8"), '<h2 id="pulse">')
      }
      const index = yield* ask("/v1")
      assert.include(index.body.toString("utf8"), '"explorer":"/"')
    })
  )

  it.effect("says that readings are being counted, rather than 0, until they are", () =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      assert.include(
        (yield* text("/networks?page=1")).body,
        "<dt>Readings</dt><dd>n/a<small>being counted</small>"
      )
      yield* (yield* IngestCounts).refresh
      yield* TestClock.adjust("10 seconds")
      assert.match((yield* text("/networks")).body, /<dt>Readings<\/dt><dd>\d+<small>in the last 24 hours/)
    })
  )

  it.effect("loads only its own files, which never change under their names", () =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      const { body, reply } = yield* text("/")
      assert.include(reply.headers["content-security-policy"] ?? "", "default-src 'none'; script-src 'self'")
      assert.include(reply.headers["content-security-policy"] ?? "", "frame-ancestors 'none'")
      assert.include(
        reply.headers["content-security-policy"] ?? "",
        "require-trusted-types-for 'script'; trusted-types plumbline"
      )
      const files = [...body.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path = ""]) => path)
      assert.isAtLeast(files.length, 4)
      const { call } = yield* Service
      for (const path of files) {
        const file = yield* ask(path)
        assert.strictEqual(file.status, 200, path)
        assert.strictEqual(file.headers["cache-control"], "public, max-age=31536000, immutable")
        if (/\.(?:css|js)$/.test(path) && file.body.length > 1024) {
          const coded = yield* call({ path, headers: { "accept-encoding": "br" } })
          const best = brotliCompressSync(file.body, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } })
          assert.strictEqual(coded.headers["content-length"], String(best.length), `compressed well: ${path}`)
        }
      }
      assert.strictEqual((yield* ask("/assets/none.css")).status, 404)
    })
  )

  it.effect("shows a value with its unit, its time and its source, and a day without a reading as n/a", () =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      const { body } = yield* text(metric)
      assert.match(
        body,
        /<data value="304" title="304">304<\/data>(?!&nbsp;)/,
        "its metric says what is counted"
      )
      assert.include(body, "https://stats.example.net/v1/nodes")
      assert.include(body, "no reading")
      assert.include(body, '<span class="quiet">n/a</span>')
      assert.include(
        body,
        '<span class="option">npx --no plumbline verify value</span> <span class="option">--symbol FIL</span> <span'
      )
    })
  )

  it.effect("draws a gap where no day was read, and an open day apart", () =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      const { body } = yield* text(`${metric}/chart.svg`)
      assert.strictEqual([...body.matchAll(/class="line"/g)].length, 1)
      assert.include(body, 'class="dot open"')
      assert.notInclude(body, "var(--")
      const png = yield* ask(`${metric}/chart.png`)
      assert.strictEqual(png.headers["content-type"], "image/png")
      assert.strictEqual(png.body.subarray(1, 4).toString("latin1"), "PNG")
    })
  )

  it.effect("gives the days as CSV, exactly as they were measured", () =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      const { body } = yield* text(`${metric}/data.csv`)
      const [head, ...rows] = body.trim().split("\r\n")
      assert.strictEqual(
        head,
        "symbol,metric,source,unit,date,value,n_observations,closed,simulated,licence,attribution"
      )
      assert.include(
        rows,
        'FIL,active_storage_providers,made-up,count,2026-09-03,302,2,true,false,CC-BY-4.0,"Data: Made-up, Inc."'
      )
    })
  )

  it.effect("says whom to credit and what the source allows, wherever a value leaves the site", () =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      const page = (yield* text(metric)).body
      assert.include(page, "<dt>Rights</dt>")
      assert.include(page, "Data: Made-up, Inc.; licence CC-BY-4.0; its values may be published again")
      assert.include(page, "Licence: CC-BY-4.0.")
      assert.include((yield* text(`${metric}/chart.svg`)).body, "Data: Made-up, Inc. Licence: CC-BY-4.0.")
      const dictionary = JSON.parse((yield* text("/v1/data-dictionary")).body) as {
        readonly feeds: ReadonlyArray<{ readonly terms: unknown }>
      }
      assert.deepInclude(dictionary.feeds[0]?.terms, {
        licence: "CC-BY-4.0",
        values: "yes",
        bodies: "unknown"
      })
    })
  )

  it.effect("answers an unknown network, metric or path with a page that leads on", () =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      const network = yield* text("/network/filecoi")
      assert.strictEqual(network.reply.status, 404)
      assert.include(network.body, '<a href="/network/FIL">Filecoin</a>')
      assert.notInclude(network.body, "symbol:")
      const unknown = yield* text("/network/FIL/storage_providers")
      assert.strictEqual(unknown.reply.status, 404)
      assert.include(unknown.body, `href="${metric}"`)
      // It states nothing, so it is not signed: anybody can invent paths.
      const { call } = yield* Service
      const path = yield* call({ path: "/no/such/page", headers: { accept: "text/html" } })
      assert.strictEqual(path.status, 404)
      assert.include(path.body.toString("utf8"), 'role="search"')
      assert.notProperty(path.headers, "signature")
      const program = yield* ask("/no/such/page")
      assert.strictEqual(program.headers["content-type"], "application/problem+json")
    })
  )

  it.effect("leads from a page's address with a slash at its end to the page, and a program nowhere", () =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      const { call } = yield* Service
      const asPerson = { accept: "text/html" }
      for (const [path, page] of [
        ["/network/FIL/", "/network/FIL"],
        [`${metric}/?days=7`, `${metric}?days=7`],
        ["/log/", "/log"]
      ] as const) {
        const { headers, status } = yield* call({ path, headers: asPerson })
        assert.deepStrictEqual([status, headers["location"]], [308, page])
        assert.notProperty(headers, "signature")
        assert.notStrictEqual((yield* call(path)).status, 308)
      }
      for (const path of ["/", "/none/", "/v1/networks/", "//network/FIL/"]) {
        assert.notProperty((yield* call({ path, headers: asPerson })).headers, "location", path)
      }
    })
  )

  it.effect("tells networks with one ticker apart", () =>
    Effect.gen(function* () {
      assert.include((yield* text("/network/GPU")).body, 'href="/network/GPU.GPUNET"')
      assert.include((yield* text("/network/GPU.GPUNET")).body, 'href="/network/GPU"')
      assert.notInclude((yield* text("/network/FIL")).body, "Not to be confused")
    })
  )

  it.effect("says what changed with a day, and of no other day", () =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      const { body } = yield* text("/changes/2026-09-03")
      assert.include(body, "<h1>What changed on 3 Sep 2026</h1>")
      for (const section of ["moves", "revised", "incidents", "begun", "ended"])
        assert.include(body, `<h2 id="${section}">`)
      assert.include((yield* text("/changes")).body, "<h1>What changed on 3 Sep 2026</h1>")
      assert.include((yield* text("/changes/2026-09-04")).body, "4 Sep 2026 is not closed yet")
      assert.include((yield* text("/changes/2026-09-31")).body, "No batch of this day")
      assert.include((yield* text("/log/2026-09-03")).body, 'href="/changes/2026-09-03"')
    })
  )

  it.effect("marks the place in its main links that a page belongs to", () =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      const marked = function* (path: string) {
        return [...(yield* text(path)).body.matchAll(/aria-current="(\w+)">(\w+)<\/a>/g)].map(
          ([, how, name]) => `${name} ${how}`
        )
      }
      assert.deepStrictEqual(yield* marked("/log"), ["Log page"])
      assert.deepStrictEqual(yield* marked("/log/2026-09-03"), ["Log true"])
      assert.deepStrictEqual(yield* marked("/network/FIL"), ["Networks true"])
      assert.deepStrictEqual(yield* marked("/network/none-such"), [])
    })
  )

  it.effect("leads every spelling of a page's address to one, before the page is made", () =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      const { call } = yield* Service
      for (const [path, address] of [
        ["/products?x=1", "/products"],
        ["/?x=2", "/"],
        ["/networks?x=2", "/networks"],
        ["/network/FIL/price_usd/chart.png?x=3", "/network/FIL/price_usd/chart.png"],
        ["/network/FIL/price_usd/picture.png?x=3", "/network/FIL/price_usd/picture.png"],
        ["/sitemap/1.xml?x=4", "/sitemap/1.xml"],
        ["/favicon.svg?v=2", "/favicon.svg"],
        [`${metric}?utm_source=x&fbclid=y`, metric],
        [`${metric}?utm_source=x&days=7`, `${metric}?days=7`],
        [`${metric}?days=8`, metric],
        [`${metric}?`, metric],
        [`${metric}?%64ays=%37`, `${metric}?days=7`],
        ["/networks?category=none&page=-1", "/networks"],
        ["/networks?page=2&q=a+b", "/networks?q=a+b&page=2"],
        ["/networks?q=a%20b", "/networks?q=a+b"],
        ["/networks?q=", "/networks"],
        ["/networks?query=helium+price", "/networks?q=helium+price"],
        ["/?query=helium", "/networks?q=helium"],
        ["/networks?query=a&q=b", "/networks?q=b"],
        [
          "/compare?days=7&b=STORJ&a=FIL%2Factive_storage_providers&c=",
          "/compare?a=FIL/active_storage_providers&b=STORJ&days=7"
        ],
        ["/compare?axis=log&a=FIL", "/compare?a=FIL&axis=log"],
        ["/compare?a=FIL&axis=sideways", "/compare?a=FIL"],
        ["/log?month=2026-13", "/log"],
        ["/network/fil?x", "/network/FIL"],
        ["/network/%46IL", "/network/FIL"],
        ["/network/Filecoin", "/network/FIL"]
      ] as const) {
        for (const method of ["GET", "HEAD"]) {
          const { headers, status } = yield* call({ method, path })
          assert.deepStrictEqual([status, headers["location"]], [308, address], path)
        }
        assert.notStrictEqual((yield* call(address)).status, 308, address)
      }
    })
  )

  it.effect("refuses a parameter that a page gets twice", () =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      assert.strictEqual((yield* text(`${metric}?days=7&days=30`)).reply.status, 400)
    })
  )

  it.effect("finds networks by name and by metric without a script", () =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      assert.include((yield* text("/networks?q=filecoin")).body, 'href="/network/FIL"')
      assert.include((yield* text("/networks?q=storage+providers")).body, 'href="/network/FIL"')
      assert.include((yield* text("/networks?q=zzzzzz")).body, "Nothing matches")
      assert.include(
        (yield* text("/networks?q=filecoim")).body,
        'Did you mean <a href="/network/FIL">Filecoin</a>'
      )
      // A number is not a misspelt name of a subnet.
      assert.include(
        (yield* text("/networks?q=filecoim+100")).body,
        'Did you mean <a href="/network/FIL">Filecoin</a>?'
      )
    })
  )

  it.effect("lets other sites frame an embed, and nothing else", () =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      const { reply } = yield* text("/embed/FIL/active_storage_providers")
      assert.include(reply.headers["content-security-policy"] ?? "", "frame-ancestors *")
    })
  )

  it.effect("lists every symbol with its coverage and no value", () =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      const { body } = yield* text("/v1/symbols")
      const { n_symbols, symbols } = JSON.parse(body)
      assert.strictEqual(symbols.length, n_symbols)
      assert.deepInclude(symbols[0], {
        symbol: "FIL",
        telemetry_tier: "first_party",
        metrics: ["active_storage_providers"]
      })
      assert.notInclude(body, '"value"')
    })
  )
})

layer(Service.layer({ limited: true }))("the limit of pages", (it) => {
  it.effect("is one of minutes alone, and leaves the day's reads as they are", () =>
    Effect.gen(function* () {
      const policy = (path: string) =>
        Effect.map(ask(path), ({ headers }) => String(headers["ratelimit-policy"]))
      assert.match(
        yield* policy("/"),
        /^"burst";q=200;w=20, "minute";q=600;w=60, "millis";.*, "bytes";[^,]*$/
      )
      assert.strictEqual(yield* policy("/network/FIL"), yield* policy("/docs"))
      assert.strictEqual(yield* policy("/favicon.svg"), yield* policy("/"))
      assert.include(yield* policy("/v1/network/FIL"), '"day"')
    })
  )
})

const agreeing = {
  ...manifest,
  sources: ["second"],
  agreesWith: [
    { metric: "active_storage_providers", source: "second", tolerance: 0.1, why: "the same providers" }
  ]
}

layer(Service.layer({ manifests: [agreeing] }))("the page of a metric", (it) => {
  it.effect("says what a second source says, where the two disagree", () =>
    Effect.gen(function* () {
      const at = Date.UTC(2026, 8, 4, 7)
      yield* TestClock.setTime(at)
      const read = (value: number, source: string) =>
        Runs.row(value, "2026-09-04T06:00:00Z", { metric: "active_storage_providers", source })
      yield* (yield* Ingest).write(Runs.delivery(at, [read(300, "made-up"), read(200, "second")], "made-up"))
      assert.match(
        (yield* text(metric)).body,
        /<p id="disagreement"><strong>A second source disagrees\.<\/strong> <code>second<\/code> says .*200.* may differ by 10 %/
      )
      yield* (yield* Ingest).write(
        Runs.delivery(
          at,
          [Runs.row(295, "2026-09-04T06:30:00Z", { metric: "active_storage_providers", source: "second" })],
          "made-up"
        )
      )
      yield* TestClock.adjust("10 minutes")
      assert.notInclude((yield* text(metric)).body, "disagreement")
    })
  )
})
