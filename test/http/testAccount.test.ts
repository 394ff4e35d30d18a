/** The account page of the live service with a key of test mode: what it shows and buys is of the test service. */
import { mkdirSync } from "node:fs"
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Chromium } from "../support/browser.ts"
import { layerNeeding } from "../support/layerNeeding.ts"
import { Service } from "../support/service.ts"
import { json } from "../support/signed.ts"
import { bothSides } from "../support/testMode.ts"

const folder = process.env["SCREENSHOTS"]

const live = Layer.effect(
  Service,
  Effect.map(bothSides(), ({ live }) => Service.of(live))
)

layerNeeding("chromium")(Chromium.layer.pipe(Layer.provideMerge(live)), { excludeTestServices: true })(
  "a test key in the account page",
  (it) => {
    it.effect("opens an account of test mode, says so, and buys what is simulated", () =>
      Effect.gen(function* () {
        const { call } = yield* Service
        const { open } = yield* Chromium
        const registered = yield* call({
          method: "POST",
          path: "/test/v1/credits/register",
          headers: { "content-type": "application/json" },
          body: "{}"
        })
        const key = String(json(registered)["api_key"])
        if (folder !== undefined) mkdirSync(folder, { recursive: true })
        for (const [width, theme] of [
          [390, "light"],
          [1440, "dark"]
        ] as const)
          yield* open(
            "/account",
            async ({ errors, page }) => {
              await page.locator("#enter [name=key]").fill(key)
              await page.locator("#enter [type=submit]").click()
              await page.locator("#overview").waitFor()
              assert.include((await page.locator("#test-mode").textContent()) ?? "", "credits are no money")
              const wallet = page.locator("#with-wallet")
              assert.isTrue(await wallet.isDisabled())
              assert.strictEqual(await wallet.textContent(), "A wallet pays real money here")
              await page.locator("#buy [name=product]").selectOption("depin_provenance")
              await page.locator("#with-credits").click()
              await page.getByRole("button", { name: "Pay $0.49" }).click()
              await page.locator("#bought", { hasText: "SHA-256 of the data" }).waitFor()
              if (folder !== undefined)
                await page.screenshot({ path: `${folder}/test-key-${width}-${theme}.png`, fullPage: true })
              assert.strictEqual(
                await page.evaluate(
                  "document.documentElement.scrollWidth - document.documentElement.clientWidth"
                ),
                0
              )
              // Without the key the page is that of the live service again.
              await page.getByRole("button", { name: "Forget the key" }).click()
              await page.locator("#enter").waitFor()
              assert.strictEqual(await page.locator("#test-mode").count(), 0)
              assert.notStrictEqual(await wallet.textContent(), "A wallet pays real money here")
              assert.deepStrictEqual(errors, [])
            },
            { width, theme }
          )
        const headers = { "x-api-key": key }
        const balance = yield* call({ path: "/test/v1/credits/balance", headers })
        assert.deepInclude(json(balance), { test: true, credits_balance: 4.02 })
        assert.strictEqual((yield* call({ path: "/v1/credits/balance", headers })).status, 401)
      })
    )
  }
)
