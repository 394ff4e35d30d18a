/** Pictures for previews of the pages that people share: each has one, as large as previews want, and none has what may not be handed on. */
import { Worker } from "node:worker_threads"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { vi } from "vitest"
import { DailyClose } from "../../core/log/DailyClose.ts"
import type { Manifest, Terms } from "../../core/plugin/Manifest.ts"
import { flow } from "../../core/plugin/shapes/metric.ts"
import { everyUse, notHandedOn, termsOn } from "../../core/plugin/shapes/provenance.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { storeExplorerDays } from "../support/explorerDays.ts"
import * as Runs from "../support/runs.ts"
import { manifest, Service } from "../support/service.ts"
import { ask } from "../support/serviceCall.ts"

/** Pages that are shared, over the days of `explorerDays.ts`, and where each has its picture. */
const pages = [
  ["/", "/picture.png"],
  ["/networks", "/networks/picture.png"],
  ["/category/storage", "/category/storage/picture.png"],
  ["/world", "/world/picture.png"],
  ["/changes", "/changes/2026-09-03/picture.png"],
  ["/changes/2026-09-03", "/changes/2026-09-03/picture.png"],
  ["/measure/storage-providers", "/measure/storage-providers/picture.png"],
  ["/measure/earned", "/measure/earned/picture.png"]
] as const

/** Width and height of a PNG, which stand in its first chunk. */
const sizeOf = (png: Buffer): readonly [number, number] => [png.readUInt32BE(16), png.readUInt32BE(20)]

const pictureOf = Effect.fnUntraced(function* (page: string) {
  const { body, status } = yield* ask({ path: page, headers: { accept: "text/html" } })
  assert.strictEqual(status, 200, page)
  const [, address] =
    /og:image" content="https:[/]{2}plumbline[.]test([^"]*)"/.exec(body.toString("utf8")) ?? []
  return address?.replaceAll("&amp;", "&")
})

layer(Service.layer())("a page that people share", (it) => {
  it.effect.each(pages)("has a picture: %s", ([page, picture]) =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      assert.strictEqual(yield* pictureOf(page), picture)
      const { body, headers, status } = yield* ask(picture)
      assert.strictEqual(status, 200)
      assert.strictEqual(headers["content-type"], "image/png")
      assert.deepStrictEqual(sizeOf(body), [1200, 630])
    })
  )

  it.effect("has none of a search, and none of what there is not", () =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      assert.isUndefined(yield* pictureOf("/networks?q=filecoin"))
      for (const path of [
        "/category/none/picture.png",
        "/changes/2026-09-04/picture.png",
        "/changes/then/picture.png",
        "/brief/2026-08-31/picture.png",
        "/brief/then/picture.png"
      ])
        assert.strictEqual((yield* ask(path)).status, 404, path)
    })
  )

  it.effect("is kept until the day is over", () =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      const spy = vi.spyOn(Worker.prototype, "postMessage")
      const [first, again] = [yield* ask("/networks/picture.png"), yield* ask("/networks/picture.png")]
      assert.deepStrictEqual(first.body, again.body)
      assert.isAtMost(spy.mock.calls.length, 1)
      spy.mockRestore()
    })
  )
})

const networks = ["FIL", "SC"] as const

/** Two storage networks that move each day and earn, and ships, under these terms. */
const feedsUnder = (terms: Terms): ReadonlyArray<Manifest> => [
  {
    ...manifest,
    id: "planted",
    source: "planted",
    covers: { networks },
    metrics: {
      active_storage_providers: { unit: "count", meaning: "Providers with power.", role: "headline" },
      earned_24h_usd: flow("usd", "Rents.", {
        at: "`rents` of https://planted.test",
        formula: "rents",
        without: "Tips.",
        code: "acme/planted@0123abc planted.go",
        rung: "chain_indexed"
      })
    },
    terms
  },
  {
    ...manifest,
    id: "ships",
    source: "ships",
    tier: "physical",
    covers: { sector: "MARITIME_AIS", symbols: ["SHIPS"], gauges: ["ais_vessels_tracked"] },
    metrics: { ais_vessels_tracked: { unit: "vessels", meaning: "Ships in sight." } },
    terms
  }
]

const stored = Effect.gen(function* () {
  const ingest = yield* Ingest
  for (const [n, day] of ["2026-09-02", "2026-09-03", "2026-09-04"].entries()) {
    const at = Date.parse(`${day}T09:00:00Z`)
    const as_of = `${day}T08:30:00Z`
    const row = (symbol: string, metric: string, unit: "count" | "usd") =>
      Runs.row(4000 + 700 * n + (symbol === "SC" ? 90 : 0), as_of, {
        symbol,
        metric,
        unit,
        source: "planted"
      })
    const rows = networks.flatMap((symbol) => [
      row(symbol, "active_storage_providers", "count"),
      row(symbol, "earned_24h_usd", "usd")
    ])
    yield* TestClock.setTime(at)
    yield* ingest.write(Runs.delivery(at, rows, "planted"))
    const ships = {
      symbol: "SHIPS",
      metric: "ais_vessels_tracked",
      unit: "vessels",
      source: "ships"
    } as const
    yield* ingest.write(Runs.delivery(at, [Runs.row(2317, as_of, ships)], "ships"))
    yield* (yield* DailyClose).run
  }
})

/** Where each picture has a figure of the planted ones, and what would tell it. */
const planted = [
  ["/picture.png", /Filecoin|Sia/],
  ["/category/storage/picture.png", /Filecoin|Sia/],
  ["/changes/2026-09-03/picture.png", /Filecoin|Sia/],
  ["/measure/storage-providers/picture.png", /Filecoin|Sia/],
  ["/measure/earned/picture.png", /Filecoin|Sia/],
  ["/world/picture.png", /2,317/]
] as const

/** The pictures that draw planted figures, by their path. */
const tellingPictures = Effect.gen(function* () {
  yield* stored
  const spy = vi.spyOn(Worker.prototype, "postMessage")
  const drawn: Array<string> = []
  for (const [path, figure] of planted) {
    spy.mockClear()
    assert.strictEqual((yield* ask(path)).status, 200, path)
    const text = spy.mock.calls.map(([task]) => JSON.stringify(task)).join("")
    assert.include(text, "<svg", path)
    if (figure.test(text)) drawn.push(path)
  }
  spy.mockRestore()
  return drawn
})

const rules: ReadonlyArray<readonly [uses: Partial<Terms>, pictures: ReadonlyArray<string>]> = [
  [notHandedOn, []],
  [everyUse, planted.map(([path]) => path)]
]

for (const [uses, pictures] of rules)
  layer(
    Service.layer({ manifests: feedsUnder(termsOn("2026-09-01", "Data: Planted", { ...uses, show: "yes" })) })
  )(`figures of a source of which handing on is: ${uses.bulk}`, (it) => {
    it.effect(`are in ${pictures.length} of ${planted.length} pictures`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* tellingPictures, [...pictures])
      })
    )
  })
