/** Who signed the block of a value's proof, in a real browser: what the state says and whose block it is are two steps, and the light clients are loaded for them alone. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { toHex } from "../../core/proof/bytes.ts"
import { Chromium } from "../support/browser.ts"
import { beaconBundle, cometBlock, cometBundle, cometTrust } from "../support/chain/finalityBundle.ts"
import { publicKeyOf } from "../support/ed25519.ts"
import { layerNeeding } from "../support/layerNeeding.ts"
import { secret } from "../support/publication.ts"
import { Service } from "../support/service.ts"

/** Names whom the reader trusts, and gives a file: what its two steps of the chain say. */
const checked = async (page: Page, bundle: object, signers: string) => {
  await page.locator("#keys").fill(toHex(publicKeyOf(secret)))
  await page.locator("#signers").fill(signers)
  await page.locator("#trust-form button").press("Enter")
  await page.locator("#trust-said", { hasText: "Kept" }).waitFor()
  await page.locator("#results").evaluate((place) => place.replaceChildren())
  await page.locator("#files").setInputFiles({
    name: "a.bundle.json",
    mimeType: "application/json",
    buffer: Buffer.from(JSON.stringify(bundle))
  })
  await page.locator("#results .verdict").waitFor()
  await page.locator("#results summary").click()
  const step = async (title: string) =>
    (await page.locator("#results .step", { has: page.locator("h3", { hasText: title }) }).textContent()) ??
    ""
  return {
    verdict: (await page.locator("#results .verdict .state").textContent()) ?? "",
    state: await step("State of its chain"),
    block: await step("Block of its chain"),
    command: (await page.locator("#results pre").textContent()) ?? ""
  }
}

layerNeeding("chromium")(Chromium.layer.pipe(Layer.provideMerge(Service.layer())), { timeout: 120_000 })(
  "a browser that checks who signed a block",
  (it) => {
    it.effect.each([390, 1440])(
      "says apart what its state says and whose block it is, at %i pixels",
      (width) =>
        Effect.gen(function* () {
          const { open } = yield* Chromium
          yield* open(
            "/verify",
            async ({ errors, outside, page, scripts }) => {
              const before = scripts.size
              const trusted = await checked(page, cometBundle(), cometTrust)
              assert.match(
                trusted.state,
                /^State of its chain holds.* says 4 validators at 2026-09-05T11:00:00Z/
              )
              assert.notInclude(trusted.state, "signed")
              assert.match(trusted.block, /^Block of its chain holds.*40 of 40 power .* you trust them/)
              assert.include(trusted.command, `--trust ${cometTrust}`)
              assert.isAbove(scripts.size, before, "what checks it is loaded when it is needed")

              const stranger = await checked(page, cometBundle(), "00".repeat(32))
              assert.match(stranger.state, /^State of its chain holds/)
              assert.match(
                stranger.block,
                /^Block of its chain not checked.*they are not those whom you trust/
              )
              assert.notInclude(stranger.command, "--trust")
              const nobody = await checked(page, cometBundle(), "")
              assert.match(nobody.block, /^Block of its chain not checked.*name them by that hash/)

              const few = cometBundle(cometBlock({ votes: (at) => (at < 2 ? "block" : "absent") }))
              const forged = await checked(page, few, cometTrust)
              assert.strictEqual(forged.verdict, "does not hold")
              assert.match(forged.block, /^Block of its chain fails/)

              const beacon = beaconBundle()
              const ofEthereum = await checked(page, beacon.bundle, `${cometTrust}\n0x${beacon.trusted}`)
              assert.match(
                ofEthereum.block,
                /512 of 512 members of the sync committee .* you trust that block/
              )

              await page.locator("#signers").fill("abc")
              await page.locator("#trust-form button").press("Enter")
              await page
                .locator("#trust-said", { hasText: "“abc” is not a hash of 64 hex digits." })
                .waitFor()
              const over: unknown = await page.evaluate(
                "document.documentElement.scrollWidth - document.documentElement.clientWidth"
              )
              assert.isAtMost(Number(over), 0)
              assert.deepStrictEqual([errors, outside], [[], []])
            },
            { width }
          )
        })
    )
  }
)
