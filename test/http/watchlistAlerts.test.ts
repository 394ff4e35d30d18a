/** Alerts on the page of the watchlist: listed in words with the key of an account, paused, resumed and ended there. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { accountOf, newAlert } from "../support/alerts.ts"
import { violations } from "../support/axe.ts"
import { Chromium } from "../support/browser.ts"
import { storeExplorerDays } from "../support/explorerDays.ts"
import { layerNeeding } from "../support/layerNeeding.ts"
import { Service } from "../support/service.ts"

layerNeeding("chromium")(Chromium.layer.pipe(Layer.provideMerge(Service.layer())), { timeout: 120_000 })(
  "alerts on the watchlist",
  (it) => {
    it.effect("are listed in words, and paused, resumed and ended by a button", () =>
      Effect.gen(function* () {
        yield* storeExplorerDays
        const { ask, key } = yield* accountOf("pro")
        yield* newAlert(ask, {
          symbol: "FIL",
          metric: "active_storage_providers",
          condition: { kind: "below", value: 1_100_000 }
        })
        const { open } = yield* Chromium
        yield* open(
          "/watchlist",
          async ({ errors, page }) => {
            await page.getByLabel("API key").fill(key)
            await page.getByRole("button", { name: "List them" }).click()
            const row = page.locator("main li")
            await row.waitFor()
            assert.match(
              (await row.textContent()) ?? "",
              /^Filecoin: active storage providers below 1,100,000 Pause.* End.*is looked at$/
            )
            assert.deepStrictEqual(await violations(page), [])
            const list = async () => {
              await page.goto(new URL("/watchlist", page.url()).href)
              await page.getByLabel("API key").fill(key)
              await page.getByRole("button", { name: "List them" }).click()
              await row.waitFor()
            }
            await row.getByRole("button", { name: /^Pause/ }).click()
            await page.locator("h1", { hasText: "The alert is paused" }).waitFor()
            await list()
            assert.match((await row.textContent()) ?? "", /Resume.* End.*is paused$/)
            await row.getByRole("button", { name: /^Resume/ }).click()
            await page.locator("h1", { hasText: "The alert is resumed" }).waitFor()
            await list()
            assert.match((await row.textContent()) ?? "", /Pause.*is looked at$/)
            await row.getByRole("button", { name: /^End/ }).click()
            await page.locator("h1", { hasText: "The alert is ended" }).waitFor()
            assert.deepStrictEqual(errors, [])
          },
          { forbidden: true, width: 390 }
        )
        const { body } = yield* ask("GET", "/v1/alerts")
        assert.deepStrictEqual(body["alerts"], [])
      })
    )
  }
)
