/** The account page in Chromium: by key, with credits, and with a wallet on a local chain. */
import { mkdirSync } from "node:fs"
import { createRequire } from "node:module"
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { type Address, type Hex, recoverTypedDataAddress } from "viem"
import type { PrivateKeyAccount } from "viem/accounts"
import { Watch } from "../../core/credits/chain/Watch.ts"
import { Ledger } from "../../core/credits/Ledger.ts"
import { Chain } from "../support/base.ts"
import { Chromium } from "../support/browser.ts"
import { layerNeeding } from "../support/layerNeeding.ts"
import { Service } from "../support/service.ts"
import { Shop } from "../support/shop.ts"
import { json } from "../support/signed.ts"

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js")

const post = Effect.fnUntraced(function* (path: string, body: unknown, headers: Record<string, string> = {}) {
  const { call } = yield* Service
  return json(
    yield* call({
      method: "POST",
      path,
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body)
    })
  )
})

/** A key that bought twice and owes for a refund, and how it is opened in a page. */
const indebted = Effect.gen(function* () {
  const { api_key } = yield* post("/v1/credits/register", { agent_name: "a tester" })
  const key = { "x-api-key": String(api_key) }
  yield* post("/v1/credits/purchase", { product_key: "depin_provenance" }, key)
  yield* post("/v1/credits/purchase", { product_key: "depin_networks" }, key)
  yield* post("/v1/credits/keys", { name: "agent", scopes: ["read", "buy"], buy_per_day: 2 }, key)
  const { call } = yield* Service
  const { account } = json(yield* call({ path: "/v1/credits/balance", headers: key }))
  yield* (yield* Ledger).clawback(String(account), 20_000_000n, "card", {
    cause: "card_refund",
    reference: "pi_x",
    key: `card_reversal:pi_x:${account}`
  })
  return String(api_key)
})

const opened = async (page: Page, key: string) => {
  await page.locator("#enter [name=key]").fill(key)
  await page.locator("#enter [type=submit]").click()
  await page.locator("#overview").waitFor()
}

const folder = process.env["SCREENSHOTS"]

/** A wallet as browsers have it: it asks its owner (this test) to sign what the page gives it. */
const withWallet = async (
  page: Page,
  owner: PrivateKeyAccount,
  signed: Array<string>,
  refuses = false,
  send?: (call: { to: Address; data: Hex }) => Promise<Hex>
) => {
  await page.exposeFunction("personalSign", (message: Hex) => {
    signed.push(message)
    return owner.signMessage({ message: { raw: message } })
  })
  await page.exposeFunction("sendTransaction", async (call: { to: Address; data: Hex }) => {
    if (send === undefined) throw new Error("refused")
    return send(call)
  })
  await page.exposeFunction("sign", async (text: string) => {
    signed.push(text)
    if (refuses) throw new Error("refused")
    const { domain, message, primaryType, types } = JSON.parse(text)
    const { EIP712Domain: _, ...rest } = types
    const signature = await owner.signTypedData({ domain, message, primaryType, types: rest })
    assert.strictEqual(
      await recoverTypedDataAddress({ domain, message, primaryType, types: rest, signature }),
      owner.address
    )
    return signature
  })
  await page.evaluate(
    ([address]) => {
      const chain = { id: "0x1" }
      const answer = async ({ method, params }: { method: string; params?: ReadonlyArray<unknown> }) => {
        if (method === "eth_requestAccounts") return [address]
        if (method === "eth_chainId") return chain.id
        if (method === "wallet_switchEthereumChain") {
          const [target] = (params ?? []) as ReadonlyArray<{ readonly chainId: string }>
          chain.id = target?.chainId ?? ""
          return null
        }
        const asks: Readonly<Record<string, readonly [name: string, argument: number]>> = {
          eth_signTypedData_v4: ["sign", 1],
          personal_sign: ["personalSign", 0],
          eth_sendTransaction: ["sendTransaction", 0]
        }
        const [name, argument] = asks[method] ?? []
        if (name === undefined || argument === undefined) throw new Error(method)
        const owned = globalThis as unknown as Record<string, (input: unknown) => Promise<string>>
        try {
          return await owned[name]?.(params?.[argument])
        } catch {
          throw { code: 4001, message: "user refused" }
        }
      }
      Object.assign(globalThis, { ethereum: { request: answer } })
    },
    [owner.address]
  )
}

const deposit = "0x00000000000000000000000000000000000d3905"

layerNeeding("chromium", "counterparties")(
  Chromium.layer.pipe(Layer.provideMerge(Shop.layerWith({ deposit })), Layer.provideMerge(Chain.layer)),
  {
    timeout: 120_000,
    // Payments are signed for the time of day.
    excludeTestServices: true
  }
)("the account page", (it) => {
  it.effect("shows balance, debt, statement, purchases and keys, at every width and theme", () =>
    Effect.gen(function* () {
      const key = yield* indebted
      const { open } = yield* Chromium
      if (folder !== undefined) mkdirSync(folder, { recursive: true })
      for (const [width, theme] of [
        [1440, "light"],
        [1440, "dark"],
        [390, "light"],
        [390, "dark"]
      ] as const) {
        yield* open(
          "/account",
          async ({ errors, outside, page }) => {
            if (folder !== undefined)
              await page.screenshot({ path: `${folder}/empty-${width}-${theme}.png`, fullPage: true })
            await opened(page, key)
            const text = (await page.locator("#shown").textContent()) ?? ""
            assert.include(text, "This account owes")
            assert.include(text, "A card payment was refunded")
            assert.include(text, "depin_provenance")
            assert.include(text, "Starter credits")
            assert.include(text, "agent")
            if (folder !== undefined)
              await page.screenshot({ path: `${folder}/account-${width}-${theme}.png`, fullPage: true })
            assert.strictEqual(
              await page.evaluate(
                "document.documentElement.scrollWidth - document.documentElement.clientWidth"
              ),
              0
            )
            assert.notInclude(page.url(), key.slice(4))
            await page.addScriptTag({ path: axe })
            assert.deepStrictEqual(
              await page.evaluate(
                "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))"
              ),
              []
            )
            assert.deepStrictEqual([errors, outside], [[], []])
          },
          { width, theme, forbidden: true }
        )
      }
    })
  )

  it.effect("keeps the key in the tab only, forgets it, and names what is wrong with one", () =>
    Effect.gen(function* () {
      const { open } = yield* Chromium
      const { api_key } = yield* post("/v1/credits/register", {})
      yield* open("/account", async ({ page }) => {
        await opened(page, String(api_key))
        assert.strictEqual(await page.evaluate("document.activeElement.id"), "shown")
        assert.strictEqual(await page.evaluate("localStorage.length"), 0)
        assert.strictEqual(await page.evaluate("document.cookie"), "")
        await page.reload()
        await page.locator("#overview").waitFor()
        await page.getByRole("button", { name: "Forget the key" }).click()
        await page.locator("#enter").waitFor()
        assert.strictEqual(await page.evaluate("document.activeElement.name"), "key")
        assert.strictEqual(await page.evaluate("sessionStorage.getItem('key')"), null)
        await page.locator("#enter [name=key]").fill(`plk_${"x".repeat(43)}`)
        await page.locator("#enter [type=submit]").click()
        await page.locator("#said", { hasText: "Missing or invalid API key" }).waitFor()
      })
    })
  )

  it.effect("keeps the key that was tried if a registration fails, which is without it", () =>
    Effect.gen(function* () {
      const { open } = yield* Chromium
      yield* open("/account", async ({ page }) => {
        const tried = `plk_test_${"x".repeat(43)}`
        await page.locator("#enter [name=key]").fill(tried)
        await page.locator("#enter [type=submit]").click()
        await page.locator("#said", { hasText: "Nothing exists" }).waitFor()
        const registrations: Array<readonly [path: string, key: string | undefined]> = []
        await page.route("**/v1/credits/register", (route) => {
          const request = route.request()
          registrations.push([new URL(request.url()).pathname, request.headers()["x-api-key"]])
          return route.abort()
        })
        await page.locator("#register").click()
        await page.locator("#said", { hasText: "The service did not answer" }).waitFor()
        assert.deepStrictEqual(registrations, [["/v1/credits/register", undefined]])
        assert.strictEqual(await page.evaluate("sessionStorage.getItem('key')"), tried)
      })
    })
  )

  it.effect("registers, buys with credits, delivers again, issues a key and rotates its own", () =>
    Effect.gen(function* () {
      const { open } = yield* Chromium
      yield* open("/account", async ({ errors, page }) => {
        await page.locator("#register").click()
        const first = (await page.locator("#new-key .key").textContent()) ?? ""
        assert.match(first, /^plk_/)
        await page.locator("#buy [name=product]").selectOption("depin_networks")
        assert.match(
          (await page.locator("#with-credits").textContent()) ?? "",
          /^Buy for \$\d+\.\d\d of credits$/
        )
        const spent = () => page.locator("#overview").textContent()
        const before = await spent()
        await page.locator("#with-credits").click()
        const confirm = page.locator("#bought").getByRole("button", { name: /^Pay \$/ })
        await confirm.waitFor()
        assert.strictEqual(await spent(), before, "nothing is charged before it is confirmed")
        await confirm.click()
        await page.locator("#bought", { hasText: "pur_" }).waitFor()
        await page.locator("#overview dd", { hasText: "$4.01" }).waitFor()
        const bought = page.waitForEvent("download")
        await page.locator("#bought").getByRole("button", { name: "Save as JSON" }).click()
        assert.match((await bought).suggestedFilename(), /^pur_[0-9a-f]{32}\.json$/)
        await page.getByRole("button", { name: "Get the data" }).click()
        await page.locator("#shown").getByRole("button", { name: "Save as JSON" }).waitFor()
        await page.locator("#issue [name=name]").fill("dashboard")
        await page.getByRole("button", { name: "Create a key" }).click()
        await page.locator("#new-key .key").waitFor()
        await page.getByRole("button", { name: "Rotate" }).first().click()
        await page.locator("p", { hasText: "This tab uses the new key now" }).waitFor()
        const next = (await page.evaluate("sessionStorage.getItem('key')")) as string
        assert.notStrictEqual(next, first)
        await page.reload()
        await page.locator("#overview").waitFor()
        assert.deepStrictEqual(errors, [])
      })
    })
  )

  it.effect("buys with a wallet on the chain, once, and without an account", () =>
    Effect.gen(function* () {
      const chain = yield* Chain
      const { payTo } = yield* Shop
      const { open } = yield* Chromium
      const payer = yield* chain.payer(5_000_000n)
      const signed: Array<string> = []
      yield* open("/account", async ({ errors, page }) => {
        await withWallet(page, payer, signed)
        await page.locator("#buy [name=product]").selectOption("depin_provenance")
        // The answer to the first sending is lost: the same payment is sent again, and nothing is signed twice.
        let lost = 0
        await page.route("**/x402/v1/data/**", async (route) => {
          const paying = (await route.request().allHeaders())["payment-signature"] !== undefined
          if (!paying || lost++ > 0) return route.continue()
          await route.fetch()
          return route.abort()
        })
        await page.locator("#with-wallet").click()
        await page.locator("#bought", { hasText: "not charged twice" }).waitFor()
        await page.getByRole("button", { name: "Get what was paid for" }).click()
        await page.locator("#bought", { hasText: "transaction 0x" }).waitFor()
        assert.strictEqual(signed.length, 1)
        assert.deepStrictEqual(
          errors.filter((error) => !error.includes("ERR_FAILED") && !error.includes("402")),
          []
        )
      })
      assert.strictEqual(yield* chain.balance(payTo), 490_000n)
      assert.strictEqual(yield* chain.balance(payer.address), 4_510_000n)
    })
  )

  it.effect(
    "adds credits with a wallet: it proves itself, pays a quote once, and is credited when that is final",
    () =>
      Effect.gen(function* () {
        const chain = yield* Chain
        const watch = yield* Watch
        const { open } = yield* Chromium
        const payer = yield* chain.payer(50_000_000n)
        yield* Effect.promise(() => chain.client.setBalance({ address: payer.address, value: 10n ** 18n }))
        yield* watch.look
        const run = Effect.runPromiseWith(yield* Effect.context<never>())
        const signed: Array<string> = []
        const hashes: Array<Hex> = []
        yield* open("/account", async ({ errors, page }) => {
          await page.locator("#register").click()
          await page.locator("#new-key .key").waitFor()
          let refuses = true
          await withWallet(page, payer, signed, false, async ({ data, to }) => {
            if (refuses) throw new Error("refused")
            const hash = await chain.client.sendTransaction({ account: payer, to, data })
            hashes.push(hash)
            return hash
          })
          const add = page.getByRole("button", { name: "Add with a wallet" })
          const notice = page.locator("#topped-up")
          await page.locator("#top-up [name=amount]").fill("0.5")
          await add.click()
          await notice.filter({ hasText: "amount must be from" }).waitFor()
          await page.locator("#top-up [name=amount]").fill("25")
          await add.click()
          await notice.filter({ hasText: "The wallet did not send. Nothing was charged." }).waitFor()
          refuses = false
          await add.click()
          await notice.filter({ hasText: /^25\.\d+ USDC were sent/ }).waitFor()
          assert.lengthOf(signed, 1)
          await run(watch.look)
          await notice.filter({ hasText: "are on the chain" }).waitFor()
          // The page is opened again while the transfer is on its way: it goes on, and sends nothing.
          await page.reload()
          await notice.filter({ hasText: "are on the chain" }).waitFor()
          await run(chain.mineBlocks(4))
          await run(watch.look)
          await page.locator("#said", { hasText: "arrived and were credited" }).waitFor()
          await page.locator("#overview dd", { hasText: /^\$(25|30)\.0/ }).waitFor()
          assert.include((await page.locator("#shown").textContent()) ?? "", "stablecoin")
          assert.lengthOf(hashes, 1)
          assert.deepStrictEqual(
            errors.filter((error) => !/40[0-9]/.test(error)),
            []
          )
        })
        const arrived = yield* chain.balance(deposit)
        assert.isTrue(arrived > 25_000_000n && arrived < 25_010_000n)
      })
  )

  it.effect("charges nothing if the wallet refuses, or if there is none", () =>
    Effect.gen(function* () {
      const chain = yield* Chain
      const { open } = yield* Chromium
      const payer = yield* chain.payer(5_000_000n)
      yield* open("/account", async ({ page }) => {
        await page.locator("#buy [name=product]").selectOption("depin_provenance")
        await page.locator("#with-wallet").click()
        await page.locator("#bought", { hasText: "This browser has no wallet" }).waitFor()
        await withWallet(page, payer, [], true)
        await page.locator("#with-wallet").click()
        await page.locator("#bought", { hasText: "did not sign. Nothing was charged" }).waitFor()
      })
      assert.strictEqual(yield* chain.balance(payer.address), 5_000_000n)
    })
  )
})
