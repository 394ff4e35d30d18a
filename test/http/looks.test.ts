/** What only eyes would see, on every kind of page: letters of charts that are too small, pages that jump, first screens without a figure, names of programs. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { flow } from "../../core/plugin/shapes/metric.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { Chromium } from "../support/browser.ts"
import { storeExplorerDays } from "../support/explorerDays.ts"
import { layerNeeding } from "../support/layerNeeding.ts"
import {
  doubledSentences,
  emptyBelowChart,
  emptyHalf,
  figuresInSight,
  hiddenNumbers,
  highWords,
  links,
  longNumbers,
  narrowTexts,
  programNames,
  shiftOf,
  smallestLetter
} from "../support/looks.ts"
import { figurePages, otherPages, programmersPages } from "../support/pages.ts"
import * as Runs from "../support/runs.ts"
import { manifest, Service } from "../support/service.ts"

/** Of a source whose label people do not read as it is spelt. */
const storage = {
  ...manifest,
  id: "hosts",
  source: "host_list",
  covers: { networks: ["SC"] },
  metrics: {
    active_storage_providers: { unit: "count", meaning: "Providers with power.", role: "headline" },
    nodes_online: { unit: "count", meaning: "Nodes that answer." },
    market_cap_usd: { unit: "usd", meaning: "Market capitalisation." },
    earned_24h_usd: flow("usd", "Rents.", {
      at: "`rents` of https://hosts.test",
      formula: "rents",
      without: "Tips.",
      code: "acme/hosts@0123abc hosts.go",
      rung: "chain_indexed"
    })
  }
} as const

/** Of the physical world, whose symbols are no names. */
const grid = {
  ...manifest,
  id: "grid",
  source: "grid_operator",
  tier: "physical",
  covers: { sector: "PHYSICAL_GRID", symbols: ["GB_GRID"] },
  metrics: { generation_mw: { unit: "mw", meaning: "Power generated.", role: "headline" } }
} as const

/** Pages where figures are compared at a glance. */
const listPages = figurePages.filter((path) => !/^\/(?:network\/|log|status|compare)/.test(path))

/** Text to read is in one column, however long it is. */
const isProse = (path: string): boolean => ["/terms", "/privacy", "/method"].includes(path)

/** Pixels of a page at 1440 by 900 of which one half may be empty: two thirds of a screen. */
const mostEmpty = 600

const gridPages = ["/network/GB_GRID", "/network/GB_GRID/generation_mw"] as const

/** A second network with the same days, so that the category has a chart of shares; what it says moves. */
const storeDays = Effect.gen(function* () {
  yield* TestClock.setTime(Date.UTC(2026, 8, 4, 8))
  const figures = [
    ["active_storage_providers", "count"],
    ["nodes_online", "count"],
    ["market_cap_usd", "usd"],
    ["earned_24h_usd", "usd"]
  ] as const
  const days = ["2026-08-31", "2026-09-01", "2026-09-02", "2026-09-03", "2026-09-04"]
  // More digits than anybody reads at a glance.
  const valueOf = (unit: string, n: number) => 1000 + 400 * n + (unit === "count" ? 0 : 0.37)
  const rows = days.flatMap((day, n) =>
    figures.map(([metric, unit]) =>
      Runs.row(valueOf(unit, n), `${day}T01:00:00Z`, { symbol: "SC", metric, unit, source: "host_list" })
    )
  )
  const ofGrid = days.map((day, n) =>
    Runs.row(valueOf("mw", n), `${day}T01:00:00Z`, {
      symbol: "GB_GRID",
      metric: "generation_mw",
      unit: "mw",
      source: "grid_operator"
    })
  )
  const at = Date.UTC(2026, 8, 4, 7)
  yield* (yield* Ingest).write(Runs.delivery(at, rows, storage.id))
  yield* (yield* Ingest).write(Runs.delivery(at, ofGrid, grid.id))
  yield* storeExplorerDays
})

const isText = (one: unknown): one is string => typeof one === "string"

const textsOf = (list: unknown): ReadonlyArray<string> => (Array.isArray(list) ? list.filter(isText) : [])

const people = [...figurePages, ...otherPages]
const all = [...people, ...programmersPages]

layerNeeding("chromium")(
  Chromium.layer.pipe(Layer.provideMerge(Service.layer({ manifests: [manifest, storage, grid] }))),
  {
    timeout: 300_000
  }
)("a page as it looks", (it) => {
  for (const width of [390, 1440])
    it.effect(`has letters that can be read, at ${width} pixels`, () =>
      Effect.gen(function* () {
        yield* storeDays
        const { open } = yield* Chromium
        yield* open(
          "/about",
          async ({ page }) => {
            const small: Array<string> = []
            for (const path of all) {
              await page.goto(new URL(path, page.url()).href, { waitUntil: "load" })
              const size = (await smallestLetter(page)) ?? 10
              if (size < 10) small.push(`${path}: ${size}`)
            }
            assert.deepStrictEqual(small, [])
          },
          { width }
        )
      })
    )

  for (const width of [390, 1440])
    it.effect(`does not jump when its letters come late, at ${width} pixels`, () =>
      Effect.gen(function* () {
        yield* storeDays
        const { open } = yield* Chromium
        const jumping: Array<string> = []
        for (const path of [...figurePages, "/docs", "/trust"])
          yield* open(
            "/about",
            async ({ page }) => {
              const shift = await shiftOf(page, new URL(path, page.url()).href)
              if (shift > 0.1) jumping.push(`${path}: ${shift}`)
            },
            { width }
          )
        assert.deepStrictEqual(jumping, [])
      })
    )

  it.effect("has a figure on the first screen of a phone, where it is about figures", () =>
    Effect.gen(function* () {
      yield* storeDays
      const { open } = yield* Chromium
      yield* open(
        "/about",
        async ({ page }) => {
          await page.setViewportSize({ width: 390, height: 844 })
          const without: Array<string> = []
          for (const path of figurePages) {
            await page.goto(new URL(path, page.url()).href, { waitUntil: "load" })
            if (Number(await figuresInSight(page)) < 1) without.push(path)
          }
          assert.deepStrictEqual(without, [])
        },
        { width: 390 }
      )
    })
  )

  for (const width of [390, 1440])
    it.effect(
      `has no text in a strip, no number out of sight and no word that parts its lines, at ${width} pixels`,
      () =>
        Effect.gen(function* () {
          yield* storeDays
          const { open } = yield* Chromium
          yield* open(
            "/about",
            async ({ page }) => {
              const faults: Array<string> = []
              for (const path of all) {
                await page.goto(new URL(path, page.url()).href, { waitUntil: "load" })
                for (const look of [narrowTexts, hiddenNumbers, highWords])
                  for (const text of textsOf(await look(page))) faults.push(`${path}, ${look.name}: ${text}`)
              }
              assert.deepStrictEqual(faults, [])
            },
            { width }
          )
        })
    )

  it.effect(
    "keeps room for texts and numbers on a phone beside long names and long words of other sources",
    () =>
      Effect.gen(function* () {
        yield* storeDays
        const { open } = yield* Chromium
        yield* open(
          "/measure/earned",
          async ({ page }) => {
            await page.evaluate(`(() => {
            const text = "defillama fees: $39,406.47 (from an aggregator, 455.4 % more)"
            for (const cell of document.querySelectorAll("main td.n .sub")) cell.textContent = text
            const facts = document.createElement("dl")
            facts.className = "facts"
            for (const [name, words] of [["dt", "World Mobile Token earned, paid out, since 29 Nov 2026"], ["dd", (text + " ").repeat(4)]]) {
              const part = document.createElement(name)
              part.textContent = words
              facts.append(part)
            }
            document.querySelector("main").append(facts)
          })()`)
            assert.isAbove(
              Number(await page.evaluate('document.querySelectorAll("main td.n .sub").length')),
              0
            )
            assert.deepStrictEqual(await hiddenNumbers(page), [])
            assert.deepStrictEqual(await narrowTexts(page), [])
            assert.strictEqual(
              await page.evaluate("document.documentElement.scrollWidth <= innerWidth"),
              true
            )
          },
          { width: 390 }
        )
      })
  )

  it.effect("calls nothing by the name that programs have for it", () =>
    Effect.gen(function* () {
      yield* storeDays
      const { open } = yield* Chromium
      yield* open("/about", async ({ page }) => {
        const named: Array<string> = []
        for (const path of [...people, ...gridPages]) {
          await page.goto(new URL(path, page.url()).href, { waitUntil: "load" })
          const names = textsOf(await programNames(page))
          if (names.length > 0) named.push(`${path}: ${names.join(", ")}`)
        }
        assert.deepStrictEqual(named, [])
      })
    })
  )

  it.effect("has no more digits in a list or a sentence than are read there", () =>
    Effect.gen(function* () {
      yield* storeDays
      const { open } = yield* Chromium
      yield* open("/about", async ({ page }) => {
        const long: Array<string> = []
        for (const path of listPages) {
          await page.goto(new URL(path, page.url()).href, { waitUntil: "load" })
          for (const text of textsOf(await longNumbers(page))) long.push(`${path}: ${text}`)
        }
        assert.deepStrictEqual(long, [])
      })
    })
  )

  it.effect("says nothing twice, and leaves no half of a wide screen empty for long", () =>
    Effect.gen(function* () {
      yield* storeDays
      const { open } = yield* Chromium
      yield* open("/about", async ({ page }) => {
        const faults: Array<string> = []
        for (const path of [...people, ...gridPages]) {
          await page.goto(new URL(path, page.url()).href, { waitUntil: "load" })
          for (const text of textsOf(await doubledSentences(page))) faults.push(`${path}, twice: ${text}`)
          const pixels = Number(await emptyHalf(page))
          if (pixels > mostEmpty && !isProse(path)) faults.push(`${path}, half empty for ${pixels} pixels`)
        }
        assert.deepStrictEqual(faults, [])
      })
    })
  )

  it.effect("leaves no hole below the chart of a metric or a network", () =>
    Effect.gen(function* () {
      yield* storeDays
      const { open } = yield* Chromium
      yield* open("/about", async ({ page }) => {
        for (const path of ["/network/FIL", "/network/FIL/active_storage_providers"]) {
          await page.goto(new URL(path, page.url()).href, { waitUntil: "load" })
          assert.isAtMost(Number(await emptyBelowChart(page)), 120, path)
        }
      })
    })
  )

  it.effect("leads to pages that are there, from all of them", () =>
    Effect.gen(function* () {
      yield* storeDays
      const { open } = yield* Chromium
      const { call } = yield* Service
      const from = new Map<string, string>()
      yield* open("/about", async ({ page }) => {
        for (const path of all) {
          await page.goto(new URL(path, page.url()).href, { waitUntil: "load" })
          for (const href of textsOf(await links(page))) from.set(href.replace(/#.*/, ""), path)
        }
      })
      assert.isAbove(from.size, 100)
      const lost: Array<string> = []
      for (const [path, on] of from) {
        const { status } = yield* call({ path, headers: { accept: "text/html" } })
        // No code of a run is stored here, and no archive is written.
        if (status >= 400 && !/^\/v1\/(derivation\/code|archive\/daily)\//.test(path))
          lost.push(`${path} on ${on}: ${status}`)
      }
      assert.deepStrictEqual(lost, [])
    })
  )
})
