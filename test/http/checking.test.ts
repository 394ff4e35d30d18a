/** Verification in a real browser: by its buttons, its files and its memory, against forged pages and forked logs. */
import { mkdtempSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { Page } from "playwright-core"
import { Incidents } from "../../core/data/ingest/Incidents.ts"
import { Ingest } from "../../core/data/ingest/Ingest.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { violations } from "../support/axe.ts"
import { startBetween } from "../support/between.ts"
import { Chromium } from "../support/browser.ts"
import { explored } from "../support/explored.ts"
import * as Runs from "../support/runs.ts"
import { Service } from "../support/service.ts"

const metric = "/network/FIL/active_storage_providers"
const bundlePath =
  "/v1/attest?symbol=FIL&metric=active_storage_providers&date=20260903&source=made-up&format=bundle"

const series = { symbol: "FIL", metric: "active_storage_providers", source: "made-up" } as const

/** The days of `explored`, and one more that a late value, a revision and an incident belong to. */
const done = new WeakSet<object>()
const recorded = Effect.gen(function* () {
  yield* explored
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

const verdict = (page: Page) => page.locator("#verified .verdict")

/** What the verdict and the steps say. */
const outcome = async (page: Page, within = "#verified") => ({
  verdict: await page.locator(`${within} .verdict .state`).first().textContent(),
  summary: await page.locator(`${within} .summary`).first().textContent(),
  steps: await page.locator(`${within} .step h3`).allTextContents()
})

const verified = async (page: Page) => {
  await page.locator("#verify button").focus()
  await page.keyboard.press("Enter")
  await verdict(page).waitFor()
  return outcome(page)
}

/** Waits until the page has checked itself, by its button if it has one, and gives what it says. */
const checked = async (page: Page): Promise<string> => {
  const button = page.locator("#page-check button")
  if ((await button.count()) > 0) await button.press("Enter")
  const place = page.locator("#page-check", { hasText: "log" })
  await place.waitFor()
  return (await place.textContent()) ?? ""
}

const pin = async (page: Page, key: string) => {
  await page.locator("#keys").fill(key)
  await page.locator("#trust-form button").press("Enter")
  await page.locator("#trust-said", { hasText: /Kept|not a key/ }).waitFor()
  return page.locator("#trust-said").textContent()
}

/** Both services have the same keys, as after a fork of the operator's or a thief's making. */
const keyFolder = mkdtempSync(join(tmpdir(), "plumbline-keys-"))

layer(Chromium.layer.pipe(Layer.provideMerge(Service.layer({ keyFolder }))), { timeout: 120_000 })(
  "in a browser",
  (it) => {
    const kids = Effect.gen(function* () {
      const { call: ask } = yield* Service
      const reply = yield* ask("/.well-known/service-signing-key.json")
      const document: { keys: ReadonlyArray<{ kid: string; purpose: string }> } = JSON.parse(
        reply.body.toString("utf8")
      )
      return document.keys.map(({ kid }) => kid)
    })

    it.effect("a value is verified step by step, by keyboard only, and nobody vouches without a key", () =>
      Effect.gen(function* () {
        yield* recorded
        const { open } = yield* Chromium
        yield* open(
          metric,
          async ({ errors, outside, page }) => {
            const found = await verified(page)
            assert.strictEqual(found.verdict, "not proved")
            assert.include(found.summary ?? "", "nobody vouches for the key")
            assert.deepStrictEqual(found.steps, [
              "Answer holds",
              "Leaf holds",
              "Batch holds",
              "Log holds",
              "Head not proved",
              "Witnesses not checked",
              "Bitcoin not checked",
              "Same log as before holds"
            ])
            assert.isTrue(
              await page.evaluate("document.activeElement.matches('#verified .verdict')"),
              "the focus is on the verdict"
            )
            const text = (await page.locator("#verified").textContent()) ?? ""
            assert.match(text, /hash of the leaf, computed here[0-9a-f]{64}/)
            assert.match(text, /root that the path must lead to[0-9a-f]{64}/)
            assert.include(text, "npx plumbline verify value --symbol FIL --metric active_storage_providers")
            assert.deepStrictEqual(await violations(page), [])
            assert.deepStrictEqual({ errors, outside }, { errors: [], outside: [] })
          },
          { forbidden: true }
        )
      })
    )

    it.effect("a value holds by the operator's key, and not by another one", () =>
      Effect.gen(function* () {
        yield* recorded
        const keys = yield* kids
        const { open } = yield* Chromium
        yield* open("/verify", async ({ page }) => {
          assert.include((await pin(page, "my key")) ?? "", "“my” is not a key")
          await pin(page, keys.join("\n"))
          const address = new URL(metric, page.url()).href
          await page.goto(address)
          const held = await verified(page)
          assert.deepStrictEqual([held.verdict, held.steps[4]], ["holds", "Head holds"])
          assert.include((await page.locator("#verified pre").textContent()) ?? "", `--key=${keys[0]}`)
          assert.include(await checked(page), "by a key that you gave")
          await page.goto(new URL("/verify", address).href)
          await pin(page, "A".repeat(43))
          await page.goto(address)
          const refused = await verified(page)
          assert.deepStrictEqual([refused.verdict, refused.steps[4]], ["does not hold", "Head fails"])
        })
      })
    )

    it.effect("each closed day has a button of its own", () =>
      Effect.gen(function* () {
        yield* recorded
        const { open } = yield* Chromium
        yield* open(metric, async ({ page }) => {
          await page.locator("tr[data-date='2026-09-01'] button").press("Enter")
          await verdict(page).waitFor()
          assert.include((await verdict(page).textContent()) ?? "", "of 2026-09-01")
          assert.include((await page.locator("#verified").textContent()) ?? "", "= 299 count")
        })
      })
    )

    it.effect("a proof that was altered on the way does not hold", () =>
      Effect.gen(function* () {
        yield* recorded
        const between = yield* startBetween((yield* Service).port)
        between.alter = (path, body) =>
          path.includes("format=bundle")
            ? body.toString("utf8").replaceAll('"value":305', '"value":999')
            : body
        const { open } = yield* Chromium
        yield* open(
          metric,
          async ({ page }) => {
            const found = await verified(page)
            assert.strictEqual(found.verdict, "does not hold")
            assert.include(found.steps, "Answer fails")
            assert.include(found.steps, "Leaf fails")
          },
          { at: between.origin }
        )
      })
    )

    const honest = [
      [metric, "31 values and the chart are what the key signed"],
      ["/network/FIL", "1 values with their times and sources, and their charts, are what the key signed"],
      ["/", "and 1 of 1 values"],
      ["/log", "4 batches and the head are what the key signed"],
      ["/log/2026-09-03", "the counts and the root of this day, and its entry, are what the key signed"]
    ] as const

    it.effect.each(honest)("a page that shows what is signed says so: %s", ([path, says]) =>
      Effect.gen(function* () {
        yield* recorded
        const { open } = yield* Chromium
        yield* open(path, async ({ errors, page }) => {
          const said = await checked(page)
          assert.match(said, /^Checked just now in this browser: /)
          assert.include(said, says)
          assert.include(said, "The log has only grown")
          assert.strictEqual(await page.locator(".alarm").count(), 0)
          assert.deepStrictEqual(errors, [])
        })
      })
    )

    /** What is altered in one page alone, and what the alarm then says. */
    const forgeries: ReadonlyArray<
      readonly [path: string, altered: ReadonlyArray<readonly [RegExp, string]>, says: ReadonlyArray<string>]
    > = [
      [
        metric,
        [
          [/305<\/data>/, "3,050</data>"],
          // As if the newest reading were one that no day has yet.
          [/(?<hero>class="big">.*?<time datetime=")[^"]*/s, "$<hero>2026-09-05T07:30:00Z"],
          [/<data value="300"/, '<data value="301"'],
          [/ class="line" d="M[^"]*"/g, ' class="line" d="M0 0h9"'],
          [/<code id="page-key">[^<]*/, `<code id="page-key">${"A".repeat(43)}`]
        ],
        ["3,050", "2026-09-05T07:30:00Z", "(exactly)", "another line", "AAAA"]
      ],
      [
        "/network/FIL",
        [
          [/(class="value"><data [^>]*>)305/, "$1999"],
          [
            /<td role="cell" class="extra"><a href="https:[^"]*"/,
            '<td role="cell" class="extra"><a href="https://evil.example/"'
          ],
          [/class="spark-(line|dot)"/, 'class="spark-$1 other"']
        ],
        ["999", "https://evil.example/", "30 days"]
      ],
      [
        "/",
        [
          [/(class="value"><data [^>]*>)305/, "$1998"],
          [/(Networks measured<\/dt><dd>)\d+/, "$1900"],
          [/(<a href="\/network\/FIL">)Filecoin/, "$1Filecorn"]
        ],
        ["998", "900of", "Filecorn"]
      ],
      [
        "/log",
        [
          [/<code title="[0-9a-f]{64}">[0-9a-f]{12}/, `<code title="${"0".repeat(64)}">${"0".repeat(12)}`],
          [/(<code id="log-head">[^<]*\n[^<]*\n)..../, "$1ABCD"]
        ],
        ["000000000000", "ABCD"]
      ],
      ["/log/2026-09-03", [[/(Leaves<\/dt><dd>)\d+/, "$177"]], ["Leaves77"]]
    ]

    it.effect.each(forgeries)("a forged page raises an alarm: %s", ([forged, altered, says]) =>
      Effect.gen(function* () {
        yield* recorded
        const between = yield* startBetween((yield* Service).port)
        between.alter = (path, body) =>
          path === forged
            ? altered.reduce((page, [from, to]) => {
                const next = page.replace(from, to)
                assert.notStrictEqual(next, page, String(from))
                return next
              }, body.toString("utf8"))
            : body
        const { open } = yield* Chromium
        yield* open(
          forged,
          async ({ page }) => {
            assert.include(await checked(page), "It does not hold: this page shows other values.")
            const alarm = (await page.getByRole("alert").textContent()) ?? ""
            assert.include(alarm, "This page does not show what the service signed")
            for (const one of says) assert.include(alarm, one)
            if (forged === metric) assert.deepStrictEqual(await violations(page), [])
          },
          { at: between.origin, forbidden: true }
        )
      })
    )

    it.effect("the verifier works beside the page, and in it where a browser has no workers", () =>
      Effect.gen(function* () {
        yield* recorded
        const { open } = yield* Chromium
        yield* open("/network/FIL", async ({ errors, page }) => {
          assert.match(await checked(page), /^Checked just now/)
          assert.strictEqual(page.workers().length, 1)
          await page.addInitScript("delete window.Worker")
          await page.reload()
          assert.match(await checked(page), /^Checked just now/)
          assert.strictEqual(page.workers().length, 0)
          assert.deepStrictEqual(errors, [])
        })
      })
    )

    it.effect("data that is not signed by the service raises an alarm too", () =>
      Effect.gen(function* () {
        yield* recorded
        const between = yield* startBetween((yield* Service).port)
        between.alter = (path, body) =>
          path === metric || path.startsWith("/v1/history")
            ? body.toString("utf8").replaceAll("305", "306")
            : body
        const { open } = yield* Chromium
        yield* open(
          metric,
          async ({ page }) => {
            assert.include(await checked(page), "It does not hold")
            assert.include(
              (await page.getByRole("alert").textContent()) ?? "",
              "The data behind this page is not signed by the service"
            )
          },
          { at: between.origin }
        )
      })
    )

    it.effect("data that is kept from the reader is said at the top of the page", () =>
      Effect.gen(function* () {
        yield* recorded
        const between = yield* startBetween((yield* Service).port)
        between.alter = (path, body) => (path.startsWith("/v1/history") ? undefined : body)
        const { open } = yield* Chromium
        yield* open(
          metric,
          async ({ page }) => {
            assert.include(await checked(page), "Not checked")
            assert.include(
              (await page.getByRole("alert").textContent()) ?? "",
              "This page could not be checked"
            )
          },
          { at: between.origin }
        )
      })
    )

    it.effect("a log that does not follow from the one seen before raises an alarm that stays", () =>
      Effect.gen(function* () {
        yield* recorded
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
              assert.include(await checked(page), "The log has only grown: the first head")
              between.port = port
              await page.goto(`${between.origin}/log`)
              assert.include(await checked(page), "The log does not follow")
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

    it.effect("files are verified without the network, several at once, and a bad one says what to do", () =>
      Effect.gen(function* () {
        yield* recorded
        const { call: ask, port } = yield* Service
        const bundle = (yield* ask(bundlePath)).body
        const answer = yield* ask("/v1/network/FIL")
        const keys = (yield* ask("/.well-known/service-signing-key.json")).body
        const heads = Object.entries(answer.headers).map(([name, value]) => `${name}: ${value}\r\n`)
        const saved = Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\n${heads.join("")}\r\n`), answer.body])
        const ots = yield* Effect.promise(() => readFile("fixtures/ots/pending.ots"))
        const file = (name: string, buffer: Buffer) => ({
          name,
          mimeType: "application/octet-stream",
          buffer
        })
        const { open } = yield* Chromium
        yield* open("/verify", async ({ errors, page }) => {
          await checked(page)
          await page.context().setOffline(true)
          const give = async (results: number, ...files: ReadonlyArray<ReturnType<typeof file>>) => {
            await page.locator("#files").setInputFiles([...files])
            await page
              .locator("#results .verdict")
              .nth(results - 1)
              .waitFor()
            return page.locator("#results .outcome").allTextContents()
          }
          await page.locator("#address").fill("https://plumbline.test/v1/network/FIL")
          const [proved = "", answered = "", stamped = "", cut = "", other = ""] = await give(
            5,
            file("proof.bundle.json", bundle),
            file("answer.txt", saved),
            file("head.ots", ots),
            file("cut.bundle.json", bundle.subarray(0, 300)),
            file("picture.png", Buffer.from([137, 80, 78, 71]))
          )
          assert.include(proved, "active_storage_providers of 2026-09-03")
          assert.include(proved, "nobody vouches")
          assert.include(answered, "did not answer, or its answer was altered")
          assert.include(stamped, "still pending at")
          assert.include(cut, "Save it again")
          assert.include(other, "This is not a bundle, a saved answer or a timestamp")
          const [again = ""] = await give(1, file("answer.txt", saved), file("keys.json", keys))
          assert.include(again, "The public keys come from keys.json")
          assert.include(again, "returned 200")
          await page.evaluate(
            `(() => {
              const files = new DataTransfer()
              files.items.add(new File([${JSON.stringify(bundle.toString("utf8").replaceAll('"value":303', '"value":304'))}], "dropped.json"))
              document.querySelector("#drop").dispatchEvent(new DragEvent("drop", { dataTransfer: files, bubbles: true }))
            })()`
          )
          await page.locator("#results .outcome", { hasText: "does not hold" }).waitFor()
          assert.deepStrictEqual(
            errors.filter((error) => !error.includes("ERR_INTERNET_DISCONNECTED")),
            []
          )
          assert.isAbove(port, 0)
        })
      })
    )

    it.effect("any value is verified by its name, and one without a proof says why", () =>
      Effect.gen(function* () {
        yield* recorded
        const { open } = yield* Chromium
        yield* open("/verify", async ({ page }) => {
          await page.locator("#symbol").fill("fil")
          await page.locator("#metric").fill("active_storage_providers")
          await page.locator("[name=date]").fill("2026-09-03")
          await page.locator("#ask button").press("Enter")
          await page.locator("#answer .verdict", { hasText: "2026-09-03" }).waitFor()
          assert.include((await outcome(page, "#answer")).steps, "Leaf holds")
          await page.locator("[name=date]").fill("2020-01-01")
          await page.locator("#ask button").press("Enter")
          await page.locator("#answer .summary", { hasText: "the first published day is" }).waitFor()
        })
      })
    )

    it.effect(
      "the calendar is walked by arrow keys, and a day shows what was late, revised and held back",
      () =>
        Effect.gen(function* () {
          yield* recorded
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
  }
)
