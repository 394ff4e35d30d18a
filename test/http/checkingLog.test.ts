/** The log in a real browser: a fork of it raises an alarm, and its days are walked by keyboard. */
import { mkdtempSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { violations } from "../support/axe.ts"
import { Chromium } from "../support/browser.ts"
import { startBetween } from "../support/interceptor.ts"
import { layerNeeding } from "../support/layerNeeding.ts"
import * as Runs from "../support/runs.ts"
import { Service } from "../support/service.ts"
import { logCheckText, metric, series, storeVerifierDays } from "../support/verifierPage.ts"

/** Both services have the same keys, as after a fork of the operator's or a thief's making. */
const keyFolder = mkdtempSync(join(tmpdir(), "plumbline-keys-"))

layerNeeding("chromium")(Chromium.layer.pipe(Layer.provideMerge(Service.layer({ keyFolder }))), {
  timeout: 120_000
})("in a browser", (it) => {
  it.effect("a log that does not follow from the one seen before raises an alarm that stays", () =>
    Effect.gen(function* () {
      yield* storeVerifierDays
      const { open } = yield* Chromium
      const { port: first } = yield* Service
      const between = yield* startBetween(first)
      const forked = Effect.gen(function* () {
        const ingest = yield* Ingest
        const rows = [
          Runs.row(777, "2026-09-03T01:00:00Z", series),
          Runs.row(778, "2026-09-04T01:00:00Z", series)
        ]
        yield* TestClock.setTime(Date.UTC(2026, 8, 4, 8))
        yield* ingest.write(Runs.delivery(Date.UTC(2026, 8, 4, 7), rows, "made-up"))
        yield* (yield* DailyClose).run
        // It is longer than the log that was seen, so only a consistency proof tells them apart.
        for (let day = 5; day < 13; day++) {
          yield* TestClock.setTime(Date.UTC(2026, 8, day, 8))
          yield* (yield* DailyClose).run
        }
        const { port } = yield* Service
        yield* open(
          metric,
          async ({ page }) => {
            assert.include(await logCheckText(page), "The log has only grown: the first head")
            between.port = port
            await page.goto(`${between.origin}/log`)
            assert.include(await logCheckText(page), "The log does not follow")
            const alarm = page.getByRole("alert")
            const text = (await alarm.textContent()) ?? ""
            assert.include(text, "The log does not follow from what this browser saw before")
            assert.include(text, "history was rewritten")
            assert.include(text, "Send both heads to the witnesses")
            assert.strictEqual(await alarm.locator("pre").count(), 2)
            const [file] = await Promise.all([
              page.waitForEvent("download"),
              alarm.getByRole("button", { name: "Save both heads" }).press("Enter")
            ])
            const evidence: { kept: { note: string }; shown: string } = JSON.parse(
              await readFile(await file.path(), "utf8")
            )
            assert.notStrictEqual(evidence.kept.note, evidence.shown)
            assert.deepStrictEqual(await violations(page), [])
            // The first log again, on a page without the verifier: what was seen was seen.
            between.port = first
            await page.goto(`${between.origin}/`)
            await page.getByRole("alert").waitFor()
            await page.goto(`${between.origin}/verify#heads`)
            await page.getByRole("button", { name: "Forget it" }).press("Enter")
            await page.goto(`${between.origin}/`)
            assert.strictEqual(await page.getByRole("alert").count(), 0)
          },
          { at: between.origin, forbidden: true }
        )
      })
      yield* forked.pipe(Effect.provide(Service.layer({ keyFolder }), { local: true }))
    })
  )

  it.effect("the verifier works beside the page, and in it where a browser has no workers", () =>
    Effect.gen(function* () {
      yield* storeVerifierDays
      const { open } = yield* Chromium
      yield* open("/network/FIL", async ({ errors, page }) => {
        assert.match(await logCheckText(page), /^The log has only grown/)
        assert.strictEqual(page.workers().length, 1)
        await page.addInitScript("delete window.Worker")
        await page.reload()
        assert.match(await logCheckText(page), /^The log has only grown/)
        assert.strictEqual(page.workers().length, 0)
        assert.deepStrictEqual(errors, [])
      })
    })
  )

  it.effect(
    "the calendar is walked by arrow keys, and a day shows what was late, revised and held back",
    () =>
      Effect.gen(function* () {
        yield* storeVerifierDays
        const { open } = yield* Chromium
        yield* open("/log", async ({ page }) => {
          await page.locator(".calendar a[data-day='2026-09-03']").focus()
          await page.keyboard.press("ArrowRight")
          await page.keyboard.press("Enter")
          await page.waitForURL("**/log/2026-09-04")
          const late = (await page.locator("section[aria-labelledby=late]").textContent()) ?? ""
          assert.include(late, "2 Sep 2026")
          const revised = (await page.locator("section[aria-labelledby=revised]").textContent()) ?? ""
          assert.match(revised, /3 Sep 2026.*302.*303/s)
          await page.goto(new URL("/log/revisions", page.url()).href)
          assert.match((await page.locator("main").textContent()) ?? "", /302.*303/s)
          await page.goto(new URL("/log/incidents", page.url()).href)
          assert.include((await page.locator("main").textContent()) ?? "", "the source counted twice")
          await page.locator("a[href='/network/FIL/active_storage_providers#figure']").first().click()
          await page.waitForURL("**/active_storage_providers#figure")
        })
      })
  )
})
