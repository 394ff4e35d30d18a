/** What fingers, keys and assistive tools meet: places large enough to touch, charts that say what the arrow keys reach, names as people write them. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Chromium } from "../support/browser.ts"
import { storeExplorerDays } from "../support/explorerDays.ts"
import { layerNeeding } from "../support/layerNeeding.ts"
import { Service } from "../support/service.ts"

const metric = "/network/FIL/active_storage_providers"

layerNeeding("chromium")(Chromium.layer.pipe(Layer.provideMerge(Service.layer())), { timeout: 120_000 })(
  "a page in the hand",
  (it) => {
    it.effect("has 24 pixels for each link of its foot, on a phone", () =>
      Effect.gen(function* () {
        yield* storeExplorerDays
        const { open } = yield* Chromium
        yield* open(
          "/log/incidents",
          async ({ page }) => {
            const small: unknown = await page.evaluate(`[...document.querySelectorAll(".foot nav a")]
              .map((one) => [one.textContent, one.getBoundingClientRect()])
              .filter(([, { height, width }]) => height < 24 || width < 24).map(([text]) => text)`)
            assert.deepStrictEqual(small, [])
          },
          { width: 390 }
        )
      })
    )

    it.effect("shows the watchlist on 320 pixels without scrolling sideways", () =>
      Effect.gen(function* () {
        const { open } = yield* Chromium
        yield* open(
          "/watchlist",
          async ({ page }) => {
            const over: unknown = await page.evaluate(
              "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            )
            assert.isAtMost(Number(over), 0)
          },
          { width: 320 }
        )
      })
    )

    it.effect("calls a chart a slider, and says the day that the arrow keys reach", () =>
      Effect.gen(function* () {
        yield* storeExplorerDays
        const { open } = yield* Chromium
        yield* open(metric, async ({ page }) => {
          const chart = page.locator("#figure svg[role=slider]:visible")
          await chart.focus()
          await page.keyboard.press("ArrowLeft")
          await page.keyboard.press("ArrowLeft")
          assert.strictEqual(
            await chart.getAttribute("aria-valuetext"),
            await page.locator("#figure .readout").textContent()
          )
          const [least, now, most] = await Promise.all(
            ["aria-valuemin", "aria-valuenow", "aria-valuemax"].map((name) => chart.getAttribute(name))
          )
          assert.strictEqual(least, "0")
          assert.strictEqual(Number(now), Number(most) - 1)
        })
      })
    )

    it.effect("verifies a value by the names that people write", () =>
      Effect.gen(function* () {
        yield* storeExplorerDays
        const { open } = yield* Chromium
        yield* open("/verify", async ({ page }) => {
          await page.fill("#symbol", "filecoin")
          await page.fill("#metric", "Active storage providers")
          await page.fill("[name=date]", "2026-09-03")
          await page.getByRole("button", { name: "Verify the value" }).click()
          await page.locator("#answer .verdict").waitFor()
          assert.include((await page.locator("#answer .verdict").textContent()) ?? "", "not altered")
        })
      })
    )
  }
)
