/** Every kind of page on a narrow phone: no page scrolls sideways, and a table that does shows where there is more. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Locator, Page } from "playwright-core"
import { Chromium } from "../support/browser.ts"
import { storeExplorerDays } from "../support/explorerDays.ts"
import { layerNeeding } from "../support/layerNeeding.ts"
import { Service } from "../support/service.ts"

const metric = "/network/FIL/active_storage_providers"

/** Every kind of page: a new one is a line here. */
const paths = [
  "/",
  "/map",
  "/measure/storage-providers",
  "/measures",
  "/networks",
  "/networks?q=providers",
  "/networks?columns=market",
  "/networks?columns=data",
  "/network/FIL",
  "/network/2BLOX",
  metric,
  `/embed${metric.replace("/network", "")}`,
  "/category/storage",
  "/compare",
  `/compare?${["a", "b", "c", "d", "e", "f"].map((letter) => `${letter}=FIL`).join("&")}&by=value`,
  "/world",
  "/brief",
  "/status",
  "/products",
  "/products/depin_networks",
  "/account",
  "/paid",
  "/log",
  "/log/2026-09-03",
  "/log/incidents",
  "/log/revisions",
  "/verify",
  "/trust",
  "/coverage",
  "/changes",
  "/corrections",
  "/sources",
  "/about",
  "/method",
  "/institutions",
  "/privacy",
  "/terms",
  "/changelog",
  "/docs",
  "/docs/recipes",
  "/docs/test-mode",
  "/docs/history",
  "/docs/account",
  "/problems/bad-parameter",
  "/nothing"
]

/** Pixels of the shade at an edge (`styles/tables.css`). */
const shade = 12

/** An element that scrolls, of which tests know no more. */
interface Scroller {
  scrollLeft: number
  readonly scrollWidth: number
  readonly clientWidth: number
}

/** Pixels by which the page is wider than its window. */
const overflow = (page: Page): Promise<unknown> =>
  page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")

/** What is wider than the place it stands in, other than in a place that scrolls and says so: elements by their first tag. */
const uncontained = (page: Page): Promise<unknown> =>
  page.evaluate(`[...document.querySelectorAll("table")]
    .filter((table) => table.closest(".scroll") === null && table.offsetWidth > table.parentElement.clientWidth)
    .map((table) => table.outerHTML.slice(0, 80))`)

/** How many of the pixels of a picture's right edge are of the page's own colour, from 0 to 1. */
const plainAtEdge = async (page: Page, region: Locator): Promise<number> => {
  const png = (await region.screenshot()).toString("base64")
  const share: unknown = await page.evaluate(`(async () => {
    const bytes = Uint8Array.from(atob("${png}"), (one) => one.charCodeAt(0))
    const picture = await createImageBitmap(new Blob([bytes], { type: "image/png" }))
    const context = new OffscreenCanvas(picture.width, picture.height).getContext("2d")
    context.drawImage(picture, 0, 0)
    const { data } = context.getImageData(picture.width - 3, 0, 1, picture.height)
    const [red, green, blue] = getComputedStyle(document.documentElement).backgroundColor.match(/\\d+/g).map(Number)
    let plain = 0
    for (let at = 0; at < data.length; at += 4)
      if (Math.abs(data[at] - red) + Math.abs(data[at + 1] - green) + Math.abs(data[at + 2] - blue) < 4) plain++
    return plain / (data.length / 4)
  })()`)
  return Number(share)
}

layerNeeding("chromium")(Chromium.layer.pipe(Layer.provideMerge(Service.layer())), { timeout: 120_000 })(
  "at 360 pixels",
  (it) => {
    it.effect.each([
      ["light", paths],
      ["dark", ["/networks", "/products"]]
    ] as const)(
      "in the %s theme no page scrolls sideways, and each table that does shows its edge and takes the keyboard",
      ([theme, some]) =>
        Effect.gen(function* () {
          yield* storeExplorerDays
          const { open } = yield* Chromium
          yield* open(
            "/",
            async ({ page }) => {
              const wide: Array<string> = []
              for (const path of some) {
                await page.goto(new URL(path, page.url()).href, { waitUntil: "load" })
                await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
                assert.isAtMost(Number(await overflow(page)), 0, path)
                assert.deepStrictEqual(await uncontained(page), [], path)
                for (const region of await page.locator(".scroll").all()) {
                  const name = `${path}: ${await region.getAttribute("aria-label")}`
                  const room = await region.evaluate((one: Scroller) => one.scrollWidth - one.clientWidth)
                  if (room <= 0) continue
                  wide.push(name)
                  assert.isAbove(
                    room,
                    shade,
                    `${name}: wider by less than its shade, which shows nothing then`
                  )
                  assert.strictEqual(await region.getAttribute("role"), "region", name)
                  assert.isBelow(await plainAtEdge(page, region), 0.3, `${name}: there is more to the right`)
                  await region.focus()
                  await region.evaluate((one: Scroller) => {
                    one.scrollLeft = one.scrollWidth
                  })
                  assert.isAbove(await plainAtEdge(page, region), 0.5, `${name}: this is the end`)
                }
              }
              // Pages without such a table would prove nothing.
              assert.includeMembers(wide, [
                "/networks: Table of the networks",
                "/products: Table of the tiers"
              ])
            },
            { width: 360, theme }
          )
        }),
      // Some forty pages, on a machine that does other things, too.
      120_000
    )
  }
)
