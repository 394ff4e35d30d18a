/** The card of a value in a browser: it says that nothing was altered only where this browser looked. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { violations } from "../support/axe.ts"
import { Chromium } from "../support/browser.ts"
import { storeExplorerDays } from "../support/explorerDays.ts"
import { layerNeeding } from "../support/layerNeeding.ts"
import { Service } from "../support/service.ts"
import { ask } from "../support/serviceCall.ts"

const metric = "/network/FIL/active_storage_providers"

/** The receipt of the newest sealed value. */
const receipt = Effect.gen(function* () {
  yield* storeExplorerDays
  const { body } = yield* ask({ path: metric, headers: { accept: "text/html" } })
  return /href="(\/p\/[a-z2-7]+)"/.exec(body.toString("utf8"))?.[1] ?? ""
})

layerNeeding("chromium")(Chromium.layer.pipe(Layer.provideMerge(Service.layer())), { timeout: 120_000 })(
  "a receipt in a browser",
  (it) => {
    it.effect.each(["light", "dark"] as const)("is checked there, and accessible in the %s theme", (theme) =>
      Effect.gen(function* () {
        const path = yield* receipt
        const { open } = yield* Chromium
        yield* open(
          path,
          async ({ errors, outside, page }) => {
            await page
              .locator("#checked", { hasText: "Not altered, checked in this browser just now." })
              .waitFor()
            assert.match((await page.locator("#checked").textContent()) ?? "", /signer is not known to you/)
            assert.deepStrictEqual(await violations(page), [])
            assert.deepStrictEqual({ errors, outside }, { errors: [], outside: [] })
          },
          { forbidden: true, theme, width: 390 }
        )
      })
    )

    it.effect("says nothing of it without a script, and reads whole at 360 pixels", () =>
      Effect.gen(function* () {
        const path = yield* receipt
        const { open } = yield* Chromium
        yield* open(
          path,
          async ({ page }) => {
            const text = (await page.locator("main").textContent()) ?? ""
            assert.notMatch(text, /not altered/i)
            assert.include(text, "Nothing was checked in this browser")
            assert.include(text, "302")
            assert.isAtMost(
              Number(
                await page.evaluate(
                  "document.documentElement.scrollWidth - document.documentElement.clientWidth"
                )
              ),
              0
            )
          },
          { script: false, width: 360 }
        )
      })
    )

    it.effect("is not called unaltered where the page has another value than the log", () =>
      Effect.gen(function* () {
        const path = yield* receipt
        const { open } = yield* Chromium
        yield* open("/about", async ({ page }) => {
          await page.route(`**${path}`, async (route) => {
            const response = await route.fetch()
            const body = (await response.text()).replace(/data-leaf="[0-9a-f]{4}/, 'data-leaf="0000')
            await route.fulfill({ response, body })
          })
          await page.goto(new URL(path, page.url()).href)
          await page.locator("#checked", { hasText: "Not what this page says." }).waitFor()
        })
      })
    )
  }
)
