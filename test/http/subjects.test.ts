/** The explorer's pages about subjects other than one network: as answers, in words that a reader relies on. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { LimitSettings } from "../../core/credits/Limits.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import type { Unit } from "../../core/plugin/Value.ts"
import { sold } from "../../core/products/build.ts"
import { aiIntel } from "../../core/products/depin_ai_intel/build.ts"
import depinNetworks from "../../core/products/depin_networks/build.ts"
import { Brief } from "../../core/publications/Brief.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { chartsOf } from "../../http/explorer/charts/compareChart.ts"
import type { Letter } from "../../http/explorer/charts/letters.ts"
import { storeExplorerDays } from "../support/explorerDays.ts"
import * as Runs from "../support/runs.ts"
import { manifest, Service } from "../support/service.ts"
import { ask } from "../support/serviceCall.ts"
import { json } from "../support/signed.ts"

const text = (path: string) =>
  Effect.gen(function* () {
    const reply = yield* ask({ path, headers: { accept: "text/html" } })
    return { reply, body: reply.body.toString("utf8") }
  })

const metric = "/network/FIL/active_storage_providers"

const world = {
  ...manifest,
  id: "made-up-world",
  covers: { sector: "MARITIME_AIS", symbols: ["MARITIME_AIS"], gauges: ["ais_vessels_tracked"] },
  tier: "physical",
  metrics: { ais_vessels_tracked: { unit: "vessels", meaning: "Vessels that were heard." } }
} as const

const service = Service.layer({
  manifests: [manifest, world],
  products: Effect.all([
    depinNetworks.sale,
    sold({ key: "depin_ai_intel" }, () => aiIntel, { holds: () => true })
  ]),
  states: Effect.succeed(
    new Map([
      [
        "made-up",
        {
          plugin: "made-up",
          state: "failing" as const,
          reason: "the upstream answered 503",
          last_started: null,
          last_success: "2026-09-04T06:00:00.000Z",
          last_failure: "2026-09-04T07:00:00.000Z",
          last_error: "503",
          next_run: "2026-09-04T09:00:00.000Z",
          runs: 5,
          failures: 1
        }
      ]
    ])
  )
})

const limits = Layer.succeed(LimitSettings, { perDay: 4321, perMinute: null })

layer(service.pipe(Layer.provide(limits)))("the pages of the other subjects", (it) => {
  it.effect("explain each word of the field once a page, by an element that is there", () =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      for (const [path, words] of [
        ["/log", ["batch", "head", "witness", "closed-day", "anchor"]],
        ["/log/2026-09-03", ["batch", "head", "leaf"]],
        [metric, ["closed-day", "leaf", "batch", "head", "anchor"]],
        ["/trust", ["head", "witness", "anchor"]],
        ["/method", ["leaf", "witness", "head", "anchor"]],
        ["/changes/2026-09-03", ["closed-day"]],
        ["/coverage", ["leaf"]],
        ["/status", ["batch"]],
        ["/institutions", ["leaf", "witness", "anchor"]]
      ] as const) {
        const { body } = yield* text(path)
        const targets = [...body.matchAll(/popovertarget="([^"]+)"/g)].map(([, id]) => id)
        const explained = [...body.matchAll(/<span popover role="note" class="explained" id="([^"]+)">/g)]
        assert.includeMembers(
          targets,
          words.map((word) => `term-${word}`),
          path
        )
        assert.deepStrictEqual(
          targets,
          explained.map(([, id]) => id)
        )
        assert.strictEqual(new Set(targets).size, targets.length, path)
      }
    })
  )

  it.effect("compare series as an index from the first common day, and as they were measured", () =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      const { body } = yield* text("/compare?a=FIL&b=filecoin&c=FIL/storage_providers")
      assert.include(body, "Each series is 100 on 31 Aug 2026")
      assert.include(body, "storage_providers is not measured of Filecoin")
      assert.include(body, "FIL/active_storage_providers</a>")
      // One address for one choice, whatever it was written as.
      assert.include(
        body,
        "https://plumbline.test/compare?a=FIL/active_storage_providers&amp;b=FIL/active_storage_providers&amp;c="
      )
      assert.include((yield* text("/compare?a=FIL&by=value")).body, "30 days as measured")
      assert.include((yield* text("/compare?a=nowhere")).body, "No network has this name")
    })
  )

  it("compare values in charts of their own unit and order of magnitude, so that none lies flat", () => {
    const sizes: ReadonlyArray<readonly [Letter, Unit, number]> = [
      ["a", "count", 900],
      ["b", "count", 32_000],
      ["c", "count", 36],
      ["d", "count", 1_100_000],
      ["e", "mw", 58],
      ["f", "count", 5600]
    ]
    const lines = sizes.map(([letter, unit, value]) => ({
      letter,
      name: letter.toUpperCase(),
      label: letter.toUpperCase(),
      unit,
      points: [{ date: "2026-09-03", value }]
    }))
    const charts = chartsOf(lines, { by: "value", now: Date.UTC(2026, 8, 4), days: 30 })
    assert.deepStrictEqual(
      charts.map(({ title }) => title),
      ["D", "B; F", "A", "C", "E, in MW"]
    )
    assert.strictEqual(new Set(charts.map(({ id }) => id)).size, charts.length)
    assert.strictEqual(chartsOf(lines, { by: "index", now: 0, days: 30 }).length, 1)
  })

  it.effect("give a comparison as CSV, with both the values and the indexes", () =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      const { body, reply } = yield* text("/compare/data.csv?a=FIL&b=FIL")
      assert.include(String(reply.headers["content-type"]), "text/csv")
      const [head, ...rows] = body.trim().split("\r\n")
      assert.strictEqual(head, "symbol,metric,source,unit,date,value,index,closed,simulated")
      assert.strictEqual(rows.length, 8)
      assert.include(rows, "FIL,active_storage_providers,made-up,count,2026-08-31,298,100,true,false")
    })
  )

  it.effect("give a comparison as a picture that says what it shows and where it is from", () =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      const query = "a=FIL/active_storage_providers&b=nope&by=value"
      const { body, reply } = yield* text(`/compare/chart.svg?${query}`)
      assert.strictEqual(reply.headers["content-type"], "image/svg+xml; charset=utf-8")
      for (const written of [
        ">30 days as measured.</text>",
        ">A Filecoin</text>",
        "A: Filecoin, Active storage providers. Source: made-up.",
        "/compare?a=FIL/active_storage_providers&amp;b=nope&amp;by=value&amp;days=30</text>"
      ])
        assert.include(body, written)
      const png = yield* ask({ path: `/compare/chart.png?${query}`, headers: {} })
      assert.strictEqual(png.body.toString("latin1", 1, 4), "PNG")
      assert.include((yield* text(`/compare?${query}`)).body, 'href="/compare/chart.svg?a=FIL')
      assert.strictEqual((yield* text("/compare/chart.svg?a=nope")).reply.status, 404)
    })
  )

  it.effect("name a gauge that is not read now, instead of an old value", () =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      const { body } = yield* text("/world")
      assert.include(body, "No gauge was read in the last 6 hours")
      assert.include(body, "AIS vessels tracked")
      assert.include(body, "no row in 24 hours")
    })
  )

  it.effect("say which feed fails, why, when it last succeeded and when it runs again", () =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      const { body } = yield* text("/status")
      assert.match(body, /<h1>1 of 2 running feeds delivers nothing<\/h1>/)
      assert.include(body, "the upstream answered 503")
      assert.match(body, /datetime="2026-09-04T06:00:00.000Z"[^>]*>2 h</)
      assert.match(body, /datetime="2026-09-04T09:00:00.000Z"[^>]*>in 1 h</)
    })
  )

  it.effect("count a promise as kept or missed only for days that can be judged", () =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      const { body } = yield* text("/status")
      // Three days were closed when the fourth was; none of them waits for its anchor longer than a day.
      assert.include(
        body,
        "<strong>1 of 4</strong> days kept; missed: 31 Aug 2026 (in the log 80 h after its end)"
      )
      assert.include(body, "No day to judge yet.")
      assert.include(body, "What is not measured here")
    })
  )

  it.effect("say for how much of the time the service was up, and nothing before it was measured", () =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      const before = yield* text("/status")
      assert.include(before.body, "Nothing is recorded yet.")
      const sql = yield* SqlClient.SqlClient
      const row = (part: string, from: string, until: string) => ({
        part,
        process: "one",
        up_from: new Date(`2026-09-04T${from}:00Z`),
        up_until: new Date(`2026-09-04T${until}:00Z`)
      })
      yield* sql`insert into uptime ${sql.insert([
        row("answering", "04:00", "05:00"),
        row("answering", "05:30", "08:00"),
        row("collecting", "06:00", "08:00")
      ])}`
      // A page is kept for a minute.
      yield* TestClock.adjust("1 minute")
      const { body, reply } = yield* text("/status")
      assert.include(body, "<strong>87.500 %</strong> of 4 h; 1 gap, the newest of 30 min from")
      assert.include(body, "<strong>50.000 %</strong> of 4 h")
      assert.strictEqual(reply.status, 200)
      const answer = json(yield* ask({ path: "/v1/uptime" }))
      assert.deepInclude(answer, {
        measured_from: "2026-09-04T04:00:00Z",
        measured_until: "2026-09-04T08:00:00Z"
      })
      assert.deepInclude(answer["answering"], { percent: 87.5, minutes: 210, of_minutes: 240, n_gaps: 1 })
    })
  )

  it.effect("say what callers without a subscription may call, as the operator set it", () =>
    Effect.gen(function* () {
      const { body } = yield* text("/products")
      const first = (row: string) => new RegExp(`<th scope="row">${row}</th><td>([^<]*)</td>`).exec(body)?.[1]
      assert.deepStrictEqual([first("Calls per day"), first("Calls per minute")], ["4,321", "no limit"])
      assert.include(body, "also without a key")
    })
  )

  it.effect("say before the sale that rules write the analyses", () =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      for (const path of ["/products", "/products/depin_ai_intel"]) {
        assert.include((yield* text(path)).body, "author is “rules”", path)
      }
    })
  )

  it.effect("show a product's own payload, its counts, its price and commands that buy it", () =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      const { body } = yield* text("/products/depin_networks")
      assert.include(body, "&quot;symbol&quot;: &quot;FIL&quot;")
      assert.match(body, /<dt>Networks<\/dt><dd>[\d,]+<\/dd>/)
      assert.include(body, "$0.99")
      assert.include(body, "https://plumbline.test/v1/credits/purchase")
      // Nobody can pay these ways here, so no command says how.
      assert.include(body, "This service takes no cards.")
      assert.notInclude(body, "https://plumbline.test/x402/v1/data/depin_networks")
      assert.notInclude(body, "Simulated:")
      assert.strictEqual((yield* text("/products/none")).reply.status, 404)
      assert.include((yield* text("/products")).body, "$199 per month")
    })
  )

  it.effect("are found: robots, a sitemap of real addresses, llms.txt and data sets with a licence", () =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      assert.include((yield* text("/robots.txt")).body, "Sitemap: https://plumbline.test/sitemap.xml")
      const sitemap = (yield* text("/sitemap.xml")).body
      const paths = [...sitemap.matchAll(/<loc>https:\/\/plumbline\.test([^<]+)<\/loc>/g)].map(
        ([, path = ""]) => path
      )
      assert.includeMembers(paths, ["/", "/compare", "/products/depin_networks", "/network/FIL", metric])
      assert.strictEqual((yield* text("/sitemap/2.xml")).reply.status, 404)
      const llms = (yield* text("/llms.txt")).body
      assert.include(llms, "[Filecoin](https://plumbline.test/network/FIL)")
      const { start } = JSON.parse((yield* text("/v1")).body)
      for (const path of ["/v1/events", "/v1/archive/"]) {
        assert.include(llms, `(https://plumbline.test${path})`)
        assert.include(start, path)
      }
      const addresses = new Set(
        [...llms.matchAll(/\]\(https:\/\/plumbline\.test([^)]+)\)/g)].map(([, path]) => path)
      )
      const { paths: operations } = JSON.parse((yield* text("/openapi.json")).body)
      const { skills } = JSON.parse((yield* text("/.well-known/agent-skills/index.json")).body)
      assert.isAbove(Object.keys(operations).length, 100)
      assert.isNotEmpty(skills)
      const unnamed = [
        ...Object.keys(operations),
        ...skills.map(({ url }: { readonly url: string }) => url),
        "/.well-known/x402",
        "/.well-known/agent-card.json",
        "/.well-known/mcp.json"
      ].filter((path) => !addresses.has(path))
      assert.deepStrictEqual(unnamed, [])
      const { body } = yield* text(metric)
      const [, json = "{}"] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(body) ?? []
      const data = JSON.parse(json)
      assert.deepInclude(data, { "@type": "Dataset", license: "https://plumbline.test/terms" })
      assert.strictEqual(data.temporalCoverage, "2026-08-31/2026-09-04")
      assert.strictEqual(data.distribution[0].contentUrl, `https://plumbline.test${metric}/data.csv`)
    })
  )

  it.effect("choose an axis by a link, which pictures, frames and the form follow", () =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      const { body: plain } = yield* text(metric)
      assert.include(plain, `href="${metric}?days=30&amp;axis=log"`)
      const { body: log } = yield* text(`${metric}?axis=log`)
      assert.include(log, "number, logarithmic")
      assert.include(log, `href="${metric}/chart.png?days=30&amp;axis=log"`)
      assert.include(log, `href="${metric}?days=7&amp;axis=log"`)
      for (const path of [`${metric}/chart.svg?axis=log`, `/embed/FIL/active_storage_providers?axis=log`])
        assert.include((yield* text(path)).body, "number, logarithmic")
      assert.notInclude((yield* text(`${metric}/chart.svg`)).body, "logarithmic")
      const { body: zero } = yield* text("/compare?a=FIL&by=value&axis=zero")
      assert.include(zero, '<input type="hidden" name="axis" value="zero">')
      assert.include(zero, 'by=value&amp;days=30&amp;axis=zero" download')
    })
  )

  it.effect("a comparison is cited, framed and previewed as a metric is", () =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      const query = "a=FIL/active_storage_providers&by=index&days=30"
      const escaped = query.replaceAll("&", "&amp;")
      const { body } = yield* text(`/compare?${query}`)
      assert.match(
        body,
        /id="cite"[^>]*>A: Filecoin, Active storage providers\. Source: made-up\. .*100 on 31 Aug 2026.*https:\/\/plumbline\.test\/compare\?a=FIL/
      )
      assert.include(body, `content="https://plumbline.test/compare/picture.png?${escaped}"`)
      assert.include(body, `&lt;iframe src=&quot;https://plumbline.test/embed/compare?${escaped}&quot;`)
      const frame = yield* text(`/embed/compare?${query}`)
      assert.include(String(frame.reply.headers["content-security-policy"]), "frame-ancestors *")
      assert.include(frame.body, `href="https://plumbline.test/compare?${escaped}"`)
      assert.notInclude(frame.body, "<script")
      for (const path of ["/embed/compare?a=nope", "/compare/picture.png"])
        assert.strictEqual((yield* text(path)).reply.status, 404, path)
      assert.notInclude((yield* text("/compare")).body, "og:image")
    })
  )

  it.effect("have pictures for previews in the size that previews have", () =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      for (const path of [
        "/network/FIL/picture.png",
        `${metric}/picture.png`,
        "/network/HNT/picture.png",
        "/compare/picture.png?a=FIL"
      ]) {
        const reply = yield* ask(path)
        assert.strictEqual(reply.headers["content-type"], "image/png", path)
        assert.deepStrictEqual([reply.body.readUInt32BE(16), reply.body.readUInt32BE(20)], [1200, 630])
      }
      assert.include((yield* text(metric)).body, `content="https://plumbline.test${metric}/picture.png"`)
    })
  )

  it.effect("write the proof's address and date into a chart that leaves the site", () =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      const { body } = yield* text(`${metric}/chart.svg`)
      const lines = [...body.matchAll(/class="source"[^>]*>([^<]*)/g)].map(([, line]) => line)
      assert.include(
        lines.join(" "),
        "302 on 3 Sep 2026, proof: plumbline.test/v1/attest?symbol=FIL&amp;metric=active_storage_providers&amp;date=20260903"
      )
      assert.include(
        (yield* text(metric)).body,
        `&lt;img src=&quot;https://plumbline.test${metric}/chart.svg`
      )
    })
  )
})

/** Its metric is a capacity, so that it moves in the brief. */
const counting = {
  ...manifest,
  metrics: {
    active_storage_providers: { unit: "count", meaning: "Providers with power.", role: "capacity" }
  }
} as const

layer(Service.layer({ manifests: [counting] }))("the pages of the brief", (it) => {
  it.effect("show the brief of each date, and a feed of the editions", () =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      assert.include((yield* text("/brief")).body, "No edition has been written yet")
      yield* TestClock.setTime(Date.UTC(2026, 8, 7, 9))
      const rows = [280, 310].map((value, n) =>
        Runs.row(value, ["2026-08-29T01:00:00Z", "2026-09-06T01:00:00Z"][n] ?? "", {
          symbol: "FIL",
          metric: "active_storage_providers",
          source: "made-up"
        })
      )
      yield* (yield* Ingest).write(Runs.delivery(Date.UTC(2026, 8, 7, 7), rows, "made-up"))
      yield* (yield* DailyClose).run
      yield* (yield* Brief).run
      const editions = yield* (yield* Brief).editions
      assert.deepStrictEqual(
        editions.map(({ date }) => date),
        ["2026-09-07"]
      )
      const feed = yield* text("/brief/atom.xml")
      assert.include(String(feed.reply.headers["content-type"]), "application/atom+xml")
      assert.strictEqual([...feed.body.matchAll(/<entry>/g)].length, editions.length)
      assert.strictEqual((yield* text("/brief")).reply.status, 200)
      for (const { date, sha256 } of editions) {
        const { body } = yield* text(`/brief/${date}`)
        assert.include(body, sha256)
        assert.include(body, `/v1/brief?date=${date}`)
        const regions = [
          ...body.matchAll(/role="region" aria-label="([^"]*)"><table[^>]* aria-label="([^"]*)"/g)
        ]
        assert.isNotEmpty(regions)
        assert.strictEqual(regions.length, [...body.matchAll(/role="region"/g)].length, "each has a name")
        assert.strictEqual(new Set(regions.map(([, name]) => name)).size, regions.length, "of its own")
        assert.isTrue(regions.every(([, name, table]) => name !== "" && name === table))
      }
      assert.strictEqual((yield* text("/brief/2020-01-06")).reply.status, 404)
      assert.strictEqual((yield* text("/brief/yesterday")).reply.status, 404)
    })
  )
})
