/** Pages in a real browser that check themselves against what the service signed: true ones and forged ones. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { violations } from "../support/axe.ts"
import { Chromium } from "../support/browser.ts"
import { startBetween } from "../support/interceptor.ts"
import { layerNeeding } from "../support/layerNeeding.ts"
import { Service } from "../support/service.ts"
import { metric, pageCheckText, storeVerifierDays } from "../support/verifierPage.ts"

layerNeeding("chromium")(Chromium.layer.pipe(Layer.provideMerge(Service.layer())), { timeout: 120_000 })(
  "in a browser",
  (it) => {
    const honest = [
      [metric, "31 values and the chart are what the key signed"],
      [`${metric}?axis=zero`, "31 values and the chart are what the key signed"],
      ["/network/FIL", "1 values with their times and sources, and their charts, are what the key signed"],
      ["/", "and 1 of 1 values"],
      ["/?columns=market", "networks with their market and fee figures are what the key signed"],
      ["/?columns=data", "networks with their market and fee figures are what the key signed"],
      ["/log", "4 batches and the head are what the key signed"],
      ["/log/2026-09-03", "the counts and the root of this day, and its entry, are what the key signed"]
    ] as const

    it.effect.each(honest)("a page that shows what is signed says so: %s", ([path, says]) =>
      Effect.gen(function* () {
        yield* storeVerifierDays
        const { open } = yield* Chromium
        yield* open(path, async ({ errors, page }) => {
          const report = await pageCheckText(page)
          assert.match(report, /^Checked just now in this browser: /)
          assert.include(report, says)
          assert.include(report, "The log has only grown")
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
          [/(Networks measured<\/dt><dd><a[^>]*>)\d+/, "$1900"],
          [/(data-field="price_usd">.*?)n\/a/, "$1$9"],
          [/(<a href="\/network\/FIL">)Filecoin/, "$1Filecorn"]
        ],
        ["998", "900and", "Filecorn", "price_usd"]
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
        yield* storeVerifierDays
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
            assert.include(await pageCheckText(page), "It does not hold: this page shows other values.")
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
        yield* storeVerifierDays
        const { open } = yield* Chromium
        yield* open("/network/FIL", async ({ errors, page }) => {
          assert.match(await pageCheckText(page), /^Checked just now/)
          assert.strictEqual(page.workers().length, 1)
          await page.addInitScript("delete window.Worker")
          await page.reload()
          assert.match(await pageCheckText(page), /^Checked just now/)
          assert.strictEqual(page.workers().length, 0)
          assert.deepStrictEqual(errors, [])
        })
      })
    )

    it.effect("data that is not signed by the service raises an alarm too", () =>
      Effect.gen(function* () {
        yield* storeVerifierDays
        const between = yield* startBetween((yield* Service).port)
        between.alter = (path, body) =>
          path === metric || path.startsWith("/v1/history")
            ? body.toString("utf8").replaceAll("305", "306")
            : body
        const { open } = yield* Chromium
        yield* open(
          metric,
          async ({ page }) => {
            assert.include(await pageCheckText(page), "It does not hold")
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
        yield* storeVerifierDays
        const between = yield* startBetween((yield* Service).port)
        between.alter = (path, body) => (path.startsWith("/v1/history") ? undefined : body)
        const { open } = yield* Chromium
        yield* open(
          metric,
          async ({ page }) => {
            assert.include(await pageCheckText(page), "Not checked")
            assert.include(
              (await page.getByRole("alert").textContent()) ?? "",
              "This page could not be checked"
            )
          },
          { at: between.origin }
        )
      })
    )
  }
)
