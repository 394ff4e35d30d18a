/** The newest asked is the one shown: an answer that comes after that to a later question changes nothing on the page. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { Page } from "playwright-core"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { Chromium } from "../support/browser.ts"
import { storeExplorerDays } from "../support/explorerDays.ts"
import { asks, holdBack, textsShown } from "../support/heldBack.ts"
import { layerNeeding } from "../support/layerNeeding.ts"
import { Service } from "../support/service.ts"
import { json } from "../support/signed.ts"
import { logCheckText, metric, verifyPage } from "../support/verifierPage.ts"

/** Two products can be bought. */
const service = Service.layer({
  products: (["depin_networks", "depin_provenance"] as const).map((key) => ({
    key,
    build: () => Effect.succeed({ networks: ["FIL"] })
  }))
})

/** A key of a new account, by the name that the account page shows. */
const newKey = Effect.fnUntraced(function* (name: string) {
  const { call } = yield* Service
  const post = (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
    Effect.map(
      call({
        method: "POST",
        path,
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(body)
      }),
      (reply) => String(json(reply)["api_key"])
    )
  const first = yield* post("/v1/credits/register", {})
  return yield* post("/v1/credits/keys", { name, scopes: ["read", "buy", "account"] }, { "x-api-key": first })
})

const enterKey = async (page: Page, key: string) => {
  await page.locator("#enter [name=key]").fill(key)
  await page.locator("#enter [type=submit]").click()
}

/** Plans and packs on the account page of a service that takes no cards. */
const offerPlans = (page: Page) =>
  page.route("**/account", async (route) => {
    const response = await route.fetch()
    const plans = ["plan_a", "plan_b"].map((tier, n) => ({ sku: tier, tier, price_usd: 10 + n }))
    const offers = `"plans":${JSON.stringify(plans)},"packs":[20,50]`
    await route.fulfill({ response, body: (await response.text()).replace('"plans":[],"packs":[]', offers) })
  })

layerNeeding("chromium")(Chromium.layer.pipe(Layer.provideMerge(service)), { timeout: 120_000 })(
  "a page that was asked twice",
  (it) => {
    it.effect.each([metric, "/compare?a=FIL/active_storage_providers"])(
      "keeps the window that was asked for last at %s",
      (path) =>
        Effect.gen(function* () {
          yield* storeExplorerDays
          const { open } = yield* Chromium
          yield* open(path, async ({ page }) => {
            const key = page.locator("#more [name=key]")
            const send = page.locator("#more button")
            const message = page.locator("#more .readout")
            const ask = async (characters: string) => {
              await key.fill(characters)
              await send.click()
            }
            const first = await holdBack(page, asks("/v1/history"))
            await ask("")
            await first.arrived
            await ask(`plk_${"x".repeat(43)}`)
            await message.filter({ hasText: "is unknown, so it was ignored" }).waitFor()
            const texts = await textsShown(page, "#more .readout")
            await first.release()
            const third = page.waitForResponse((response) => response.url().includes("/v1/history"))
            await ask(`plk_${"y".repeat(43)}`)
            await third
            await message.filter({ hasText: "is unknown, so it was ignored" }).waitFor()
            assert.deepStrictEqual(
              (await texts()).filter((text) => !/Loading|is unknown, so it was ignored/.test(text)),
              []
            )
          })
        })
    )

    it.effect("remembers the newest head of the log, whichever look at it ends last", () =>
      Effect.gen(function* () {
        yield* storeExplorerDays
        const { run: close } = yield* DailyClose
        const run = Effect.runPromiseWith(yield* Effect.context<never>())
        const { open } = yield* Chromium
        yield* open("/", async ({ page }) => {
          const storedSize = async () => {
            const heads = await page.evaluate<string>('localStorage.getItem("plumbline.heads")')
            const [head] = Object.values<{ readonly note: string }>(JSON.parse(heads))
            return Number(head?.note.split("\n")[1])
          }
          const first = await holdBack(page, asks("/checkpoint"))
          await page.goto(new URL(metric, page.url()).href)
          await first.arrived
          await run(Effect.andThen(TestClock.setTime(Date.UTC(2026, 8, 5, 8)), close))
          await verifyPage(page)
          const size = await storedSize()
          await first.release()
          assert.include(await logCheckText(page), "The log has only grown")
          assert.strictEqual(await storedSize(), size)
        })
      })
    )

    it.effect("keeps the list that was shown last on the watchlist", () =>
      Effect.gen(function* () {
        yield* storeExplorerDays
        const { open } = yield* Chromium
        yield* open("/watchlist", async ({ page }) => {
          const show = (hash: string) => page.evaluate(`location.hash = ${JSON.stringify(hash)}`)
          const row = (entry: string) => page.locator(`.watched [data-entry="${entry}"]`).waitFor()
          const first = await holdBack(page, asks("/v1/symbols"))
          await show("#FIL")
          await first.arrived
          await show("#FIL/active_storage_providers")
          await row("FIL/active_storage_providers")
          const texts = await textsShown(page, "#said")
          await first.release("refused")
          await show("#HNT")
          await row("HNT")
          assert.deepStrictEqual(
            (await texts()).filter((text) => text.includes("did not answer")),
            []
          )
        })
      })
    )

    it.effect("suggests for what was typed last, and nothing once the list was closed", () =>
      Effect.gen(function* () {
        const { open } = yield* Chromium
        yield* open("/", async ({ page }) => {
          const input = page.locator(".search input")
          const list = page.locator("#found")
          const first = await holdBack(page, asks("/suggestions?q=filec"))
          await input.fill("filec")
          await first.arrived
          await input.fill("helium")
          await list.filter({ hasText: "Helium" }).waitFor()
          const texts = await textsShown(page, "#found")
          // A failure of the first would have closed the list of the second.
          await first.release("refused")
          assert.isTrue(await list.isVisible())
          const second = await holdBack(page, asks("/suggestions?q=filecoin"))
          await input.fill("filecoin")
          await second.arrived
          await input.press("Escape")
          await second.release()
          await input.fill("helium")
          await list.filter({ hasText: "Helium" }).waitFor()
          assert.deepStrictEqual(
            (await texts()).filter((text) => text.includes("Filecoin")),
            []
          )
        })
      })
    )

    it.effect("shows the account of the key that was entered last", () =>
      Effect.gen(function* () {
        const [one, two] = [yield* newKey("key one"), yield* newKey("key two")]
        const { open } = yield* Chromium
        yield* open("/account", async ({ page }) => {
          const first = await holdBack(page, asks("/v1/credits/balance"))
          await enterKey(page, one)
          await first.arrived
          await enterKey(page, two)
          await page.locator("#overview", { hasText: "key two" }).waitFor()
          const texts = await textsShown(page, "#shown")
          await first.release()
          await page.getByRole("button", { name: "Forget the key" }).click()
          await enterKey(page, two)
          await page.locator("#overview", { hasText: "key two" }).waitFor()
          assert.deepStrictEqual(
            (await texts()).filter((text) => text.includes("key one")),
            []
          )
        })
      })
    )

    it.effect("offers nothing of a product that is no longer chosen", () =>
      Effect.gen(function* () {
        const key = yield* newKey("a buyer")
        const { open } = yield* Chromium
        yield* open("/account", async ({ page }) => {
          await enterKey(page, key)
          await page.locator("#overview").waitFor()
          const product = page.locator("#buy [name=product]")
          const buy = page.locator("#with-credits")
          await product.selectOption("depin_networks")
          const first = await holdBack(page, asks("/v1/credits/purchase/dry-run"))
          await buy.click()
          await first.arrived
          await product.selectOption("depin_provenance")
          await first.release()
          // It can be pressed again once the first is over.
          await buy.click({ trial: true })
          assert.strictEqual(await page.locator("#bought").textContent(), "")
          await buy.click()
          await page.locator("#bought", { hasText: /^depin_provenance: .*Pay \$/ }).waitFor()
        })
      })
    )

    it.effect("offers the plan and goes to the checkout that were pressed last", () =>
      Effect.gen(function* () {
        const key = yield* newKey("a subscriber")
        const { open } = yield* Chromium
        yield* open("/account", async ({ page }) => {
          await offerPlans(page)
          await page.reload()
          await enterKey(page, key)
          const plan = (name: string) => page.getByRole("button", { name: `Subscribe to ${name}` })
          const subscription = page.locator("section", { has: plan("plan a") })
          await page.route("**/v1/credits/subscription", (route) =>
            route.fulfill({ json: { due_now: route.request().postDataJSON().sku === "plan_a" ? 10 : 11 } })
          )
          const first = await holdBack(page, asks("/v1/credits/subscription"))
          await plan("plan a").click()
          await first.arrived
          await plan("plan b").click()
          await subscription.filter({ hasText: "$11.00 are charged now." }).waitFor()
          await first.release("refused")
          // It can be pressed again once the first is over.
          await plan("plan a").click({ trial: true })
          assert.include((await subscription.textContent()) ?? "", "$11.00 are charged now.")

          await page.route("**/v1/credits/topup", (route) => {
            const { amount } = route.request().postDataJSON()
            return route.fulfill({ json: { checkout_url: `/products#${amount}` } })
          })
          const small = await holdBack(page, asks("/v1/credits/topup"))
          await page.getByRole("button", { name: "Add $20.00" }).click()
          await small.arrived
          await page.getByRole("button", { name: "Add $50.00" }).click()
          await page.waitForURL("**/products#50")
        })
      })
    )

    it.effect("makes one key at a time, so that each is seen", () =>
      Effect.gen(function* () {
        const key = yield* newKey("a keeper")
        const { open } = yield* Chromium
        yield* open("/account", async ({ page }) => {
          await enterKey(page, key)
          const create = page.getByRole("button", { name: "Create a key" })
          const first = await holdBack(page, (request) => request.method() === "POST")
          await create.click()
          await first.arrived
          assert.isTrue(await create.isDisabled())
          assert.isTrue(await page.getByRole("button", { name: "Rotate" }).first().isDisabled())
          await first.release()
          await page.locator("#new-key .key").waitFor()
          await create.click({ trial: true })
        })
      })
    )
  }
)
