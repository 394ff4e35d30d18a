/** What a reader does in the browser to verify a page, a value or a file, and the days that there are to verify. */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Page } from "playwright-core"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { storeExplorerDays } from "./explorerDays.ts"
import * as Runs from "./runs.ts"

export const metric = "/network/FIL/active_storage_providers"
export const bundlePath =
  "/v1/attest?symbol=FIL&metric=active_storage_providers&date=20260903&source=made-up&format=bundle"

export const series = { symbol: "FIL", metric: "active_storage_providers", source: "made-up" } as const

const done = new WeakSet<object>()

/** The days of `explored`, and one more that a late value, a revision and an incident belong to. */
export const storeVerifierDays = Effect.gen(function* () {
  yield* storeExplorerDays
  const ingest = yield* Ingest
  const next = Date.UTC(2026, 8, 5, 8)
  yield* TestClock.setTime(next)
  if (done.has(ingest)) return
  done.add(ingest)
  const rows = [
    Runs.row(300, "2026-09-02T01:00:00Z", series),
    Runs.row(303, "2026-09-03T02:00:00Z", series),
    Runs.row(305, "2026-09-04T09:00:00Z", series)
  ]
  yield* ingest.write(Runs.delivery(next - 3_600_000, rows, "made-up"))
  const incidents = yield* Incidents
  yield* incidents.open(
    {
      symbol: "FIL",
      metric: "active_storage_providers",
      from: Date.UTC(2026, 7, 31),
      to: Date.UTC(2026, 7, 31, 23)
    },
    "the source counted twice"
  )
  yield* (yield* DailyClose).run
})

export const verdict = (page: Page) => page.locator("#verified .verdict")

/** What the verdict and the steps say. */
export const outcome = async (page: Page, within = "#verified") => ({
  verdict: await page.locator(`${within} .verdict .state`).first().textContent(),
  summary: await page.locator(`${within} :is(.answers, .summary)`).first().textContent(),
  steps: await page.locator(`${within} .step h3`).allTextContents()
})

export const verifyPage = async (page: Page) => {
  await page.locator("#verify button").focus()
  await page.keyboard.press("Enter")
  await verdict(page).waitFor()
  return outcome(page)
}

/** Waits until the page has compared the log's head, by its button if it has one, and gives what it says. */
export const logCheckText = async (page: Page): Promise<string> => {
  const button = page.locator("#log-check button")
  if ((await button.count()) > 0) await button.press("Enter")
  const place = page.locator("#log-check", { hasText: "The log" })
  await place.waitFor()
  return (await place.textContent()) ?? ""
}

export const pin = async (page: Page, key: string) => {
  await page.locator("#keys").fill(key)
  await page.locator("#trust-form button").press("Enter")
  await page.locator("#trust-said", { hasText: /Kept|not a key/ }).waitFor()
  return page.locator("#trust-said").textContent()
}
