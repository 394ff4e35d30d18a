/** What only eyes would see: letters of charts that are too small, pages that jump, and a first screen without a figure. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { Page } from "playwright-core"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { Chromium } from "../support/browser.ts"
import { storeExplorerDays } from "../support/explorerDays.ts"
import { layerNeeding } from "../support/layerNeeding.ts"
import * as Runs from "../support/runs.ts"
import { manifest, Service } from "../support/service.ts"

const metric = "/network/FIL/active_storage_providers"

/** Pages with charts, or that many people open. */
const paths = [
  "/",
  "/networks",
  "/map",
  "/measure/storage-providers",
  "/category/storage",
  "/network/FIL",
  metric,
  "/compare?a=FIL",
  "/world",
  "/trust",
  "/docs"
]

const storage = {
  ...manifest,
  covers: { networks: ["FIL", "SC"] },
  metrics: {
    active_storage_providers: { unit: "count", meaning: "Providers with power.", role: "headline" }
  }
} as const

/** A second network with the same days, so that the category has a chart of shares. */
const storeDays = Effect.gen(function* () {
  yield* TestClock.setTime(Date.UTC(2026, 8, 4, 8))
  const rows = ["2026-08-31", "2026-09-01", "2026-09-03", "2026-09-04"].map((day, n) =>
    Runs.row(100 + n, `${day}T01:00:00Z`, {
      symbol: "SC",
      metric: "active_storage_providers",
      source: "made-up"
    })
  )
  yield* (yield* Ingest).write(Runs.delivery(Date.UTC(2026, 8, 4, 7), rows, "made-up"))
  yield* storeExplorerDays
})

/** Pixels of the smallest letter of a chart that is to be seen, as it is drawn; undefined without letters. */
const smallestLetter = async (page: Page): Promise<number | undefined> => {
  const size: unknown = await page.evaluate(`Math.min(...[...document.querySelectorAll("svg text")]
    .filter((text) => text.getClientRects().length > 0 && text.textContent !== "")
    .map((text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a))`)
  return typeof size === "number" && Number.isFinite(size) ? size : undefined
}

const watchShifts = `window.shifted = 0
new PerformanceObserver((list) => {
  for (const { value } of list.getEntries()) window.shifted += value
}).observe({ type: "layout-shift", buffered: true })
// A browser shows no letters at all for the first 100 ms, and those of the system after them.
new PerformanceObserver(() => setTimeout(() => window.painted(), 200)).observe({ type: "paint", buffered: true })`

/** How far a page jumps when its letters come after its first paint. */
const shiftOf = async (page: Page, address: string): Promise<number> => {
  let release = () => {}
  const painted = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route("**/*.woff2", async (route) => {
    await painted
    await route.continue()
  })
  await page.exposeFunction("painted", release)
  await page.addInitScript(watchShifts)
  await page.goto(address, { waitUntil: "load" })
  await page.evaluate(
    "document.fonts.ready.then(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))"
  )
  return Number(await page.evaluate("window.shifted"))
}

/** Text that stands whole on the first screen of a phone. */
const firstScreen = (page: Page, selector: string): Promise<unknown> =>
  page.evaluate(`[...document.querySelectorAll(${JSON.stringify(selector)})]
    .filter((one) => one.getBoundingClientRect().bottom <= 844 && one.getBoundingClientRect().height > 0).length`)

layerNeeding("chromium")(Chromium.layer.pipe(Layer.provideMerge(Service.layer({ manifests: [storage] }))), {
  timeout: 120_000
})("a page as it looks", (it) => {
  for (const width of [390, 1440])
    it.effect.each(paths)(`draws no letter of a chart below 10 pixels at ${width} pixels: %s`, (path) =>
      Effect.gen(function* () {
        yield* storeDays
        const { open } = yield* Chromium
        yield* open(
          path,
          async ({ page }) => {
            assert.isAtLeast((await smallestLetter(page)) ?? 10, 10, path)
          },
          { width }
        )
      })
    )

  for (const width of [390, 1440])
    it.effect.each(paths)(`does not jump when its letters come late, at ${width} pixels: %s`, (path) =>
      Effect.gen(function* () {
        yield* storeDays
        const { open } = yield* Chromium
        yield* open(
          "/about",
          async ({ page }) => {
            const shift = await shiftOf(page, new URL(path, page.url()).href)
            assert.isAtMost(shift, 0.1, path)
          },
          { width }
        )
      })
    )

  it.effect("has the day and a figure on the first screen of a phone", () =>
    Effect.gen(function* () {
      yield* storeDays
      const { open } = yield* Chromium
      yield* open(
        "/",
        async ({ page }) => {
          await page.setViewportSize({ width: 390, height: 844 })
          assert.isAtLeast(Number(await firstScreen(page, "h1")), 1)
          assert.isAtLeast(Number(await firstScreen(page, ".big")), 1)
        },
        { width: 390 }
      )
    })
  )

  it.effect("leads from the first page to pages that are there", () =>
    Effect.gen(function* () {
      yield* storeDays
      const { call } = yield* Service
      const { body } = yield* call({ path: "/", headers: { accept: "text/html" } })
      const links = new Set(
        [...body.toString("utf8").matchAll(/<a [^>]*href="(\/[^"#]*)/g)].map(([, path = ""]) =>
          path.replaceAll("&amp;", "&")
        )
      )
      assert.isAbove(links.size, 30)
      const lost: Array<string> = []
      for (const path of links) {
        const { status } = yield* call({ path, headers: { accept: "text/html" } })
        if (status !== 200) lost.push(`${path}: ${status}`)
      }
      assert.deepStrictEqual(lost, [])
    })
  )
})
