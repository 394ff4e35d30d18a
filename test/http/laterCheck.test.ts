/** Checks that end before an earlier one does, in a real browser: a place shows the one that was asked for last. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page, Route } from "playwright-core"
import { Chromium } from "../support/browser.ts"
import { cometBlock, cometBundle } from "../support/chain/finalityBundle.ts"
import { layerNeeding } from "../support/layerNeeding.ts"
import { Service } from "../support/service.ts"
import { metric, storeVerifierDays } from "../support/verifierPage.ts"

/** Counts what the verifier replied to the page, after the page has seen it. */
const countReplies = async (page: Page): Promise<(least: number) => Promise<void>> => {
  await page.evaluate(`
    globalThis.replies = 0
    const Channel = MessageChannel
    globalThis.MessageChannel = class extends Channel {
      constructor() {
        super()
        this.port1.addEventListener("message", () => setTimeout(() => { globalThis.replies += 1 }))
      }
    }
  `)
  return async (least) => void (await page.waitForFunction(`globalThis.replies >= ${least}`))
}

/** Holds back the first request for what the log has of a value; the others pass. */
const holdFirst = async (page: Page) => {
  const waiting = Promise.withResolvers<Route>()
  let isFirst = true
  await page.route("**/v1/attest**", async (route) => {
    if (!isFirst) return route.continue()
    isFirst = false
    waiting.resolve(route)
    return undefined
  })
  return waiting.promise
}

layerNeeding("chromium")(Chromium.layer.pipe(Layer.provideMerge(Service.layer())), { timeout: 120_000 })(
  "a check that ends before an earlier one",
  (it) => {
    it.effect("is what /verify shows of files", () =>
      Effect.gen(function* () {
        const { open } = yield* Chromium
        yield* open("/verify", async ({ errors, page }) => {
          const replied = await countReplies(page)
          const give = (bundle: object) =>
            page.locator("#files").setInputFiles({
              name: "a.bundle.json",
              mimeType: "application/json",
              buffer: Buffer.from(JSON.stringify(bundle))
            })
          const firstRequest = holdFirst(page)
          await give(cometBundle(cometBlock({ votes: (at) => (at < 2 ? "block" : "absent") })))
          const route = await firstRequest
          await give(cometBundle())
          const verdict = page.locator("#results .verdict .state")
          await verdict.waitFor()
          await route.continue()
          await replied(2)
          assert.deepStrictEqual([await verdict.allTextContents(), errors], [["not altered"], []])
        })
      })
    )

    it.effect("is what the page of a metric shows of its days", () =>
      Effect.gen(function* () {
        yield* storeVerifierDays
        const { open } = yield* Chromium
        yield* open(metric, async ({ errors, page }) => {
          const replied = await countReplies(page)
          const buttons = page.locator("#days button", { hasText: "verify" })
          const firstRequest = holdFirst(page)
          await buttons.nth(0).press("Enter")
          const route = await firstRequest
          await buttons.nth(1).press("Enter")
          await page.locator("#verified .verdict").waitFor()
          const before = await page.locator("#verified .what").textContent()
          await route.continue()
          await replied(2)
          assert.deepStrictEqual(
            [await page.locator("#verified .what").allTextContents(), errors],
            [[before], []]
          )
        })
      })
    )

    it.effect("says that a file cannot be read that was changed since it was chosen", () =>
      Effect.gen(function* () {
        const { open } = yield* Chromium
        yield* open("/verify", async ({ page }) => {
          const folder = await mkdtemp(join(tmpdir(), "plumbline-chosen-"))
          try {
            const file = join(folder, "a.bundle.json")
            await writeFile(file, JSON.stringify(cometBundle()))
            await page.locator("#files").setInputFiles(file)
            await page.locator("#results .verdict .state").waitFor()
            await writeFile(file, "other")
            await page.locator("#files").dispatchEvent("change")
            await page.locator("#results .summary", { hasText: "could not be read" }).waitFor()
          } finally {
            await rm(folder, { recursive: true })
          }
        })
      })
    )
  }
)
