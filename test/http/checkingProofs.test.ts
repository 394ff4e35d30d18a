/** Proofs in a real browser: values and files that a reader has verified, by keyboard only. */
import { readFile } from "node:fs/promises"
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { violations } from "../support/axe.ts"
import { Chromium } from "../support/browser.ts"
import { startBetween } from "../support/interceptor.ts"
import { layerNeeding } from "../support/layerNeeding.ts"
import { Service } from "../support/service.ts"
import {
  bundlePath,
  logCheckText,
  metric,
  outcome,
  pin,
  storeVerifierDays,
  verdict,
  verifyPage
} from "../support/verifierPage.ts"

layerNeeding("chromium")(Chromium.layer.pipe(Layer.provideMerge(Service.layer())), { timeout: 120_000 })(
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
        yield* storeVerifierDays
        const { open } = yield* Chromium
        yield* open(
          metric,
          async ({ errors, outside, page }) => {
            const result = await verifyPage(page)
            assert.strictEqual(result.verdict, "not altered")
            assert.match(
              result.summary ?? "",
              /Not altered\..*signer is not known to you.*not seen this key before.*No block of Bitcoin/
            )
            assert.deepStrictEqual(result.steps, [
              "Answer holds",
              "Leaf holds",
              "Run not checked",
              "Batch holds",
              "Log holds",
              "Head not proved",
              "Witnesses not checked",
              "Notaries not checked",
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
            assert.include(
              text,
              "npx --no plumbline verify value --symbol FIL --metric active_storage_providers"
            )
            assert.deepStrictEqual(await violations(page), [])
            assert.deepStrictEqual({ errors, outside }, { errors: [], outside: [] })
          },
          { forbidden: true }
        )
      })
    )

    it.effect("a value holds by the operator's key, and not by another one", () =>
      Effect.gen(function* () {
        yield* storeVerifierDays
        const keys = yield* kids
        const { open } = yield* Chromium
        yield* open("/verify", async ({ page }) => {
          assert.include((await pin(page, "my key")) ?? "", "“my” is not a key")
          await page.locator("#keys").fill("")
          await page.locator("#notaries").fill("notary.test/n1")
          await page.locator("#trust-form button").press("Enter")
          await page.locator("#trust-said", { hasText: "The notaries cannot be used" }).waitFor()
          await page.locator("#notaries").fill("")
          assert.strictEqual(await pin(page, keys.join("\n")), "Kept in this browser.")
          const address = new URL(metric, page.url()).href
          await page.goto(address)
          const result = await verifyPage(page)
          assert.deepStrictEqual([result.verdict, result.steps[5]], ["holds", "Head holds"])
          assert.include((await page.locator("#verified pre").textContent()) ?? "", `--key=${keys[0]}`)
          await page.goto(new URL("/verify", address).href)
          await pin(page, "A".repeat(43))
          await page.goto(address)
          const refused = await verifyPage(page)
          assert.deepStrictEqual([refused.verdict, refused.steps[5]], ["does not hold", "Head fails"])
        })
      })
    )

    it.effect("each closed day has a button of its own", () =>
      Effect.gen(function* () {
        yield* storeVerifierDays
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
        yield* storeVerifierDays
        const between = yield* startBetween((yield* Service).port)
        between.alter = (path, body) =>
          path.includes("format=bundle")
            ? body.toString("utf8").replaceAll('\\"value\\":305', '\\"value\\":999')
            : body
        const { open } = yield* Chromium
        yield* open(
          metric,
          async ({ page }) => {
            const result = await verifyPage(page)
            assert.strictEqual(result.verdict, "does not hold")
            assert.include(result.steps, "Answer fails")
            assert.include(result.steps, "Batch fails")
          },
          { at: between.origin }
        )
      })
    )

    it.effect("any value is verified by its name, and one without a proof says why", () =>
      Effect.gen(function* () {
        yield* storeVerifierDays
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

    it.effect("files are verified without the network, several at once, and a bad one says what to do", () =>
      Effect.gen(function* () {
        yield* storeVerifierDays
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
          await logCheckText(page)
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
  }
)
