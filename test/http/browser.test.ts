/** The explorer in a real browser: what people and their assistive tools meet. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { violations } from "../support/axe.ts"
import { Chromium } from "../support/browser.ts"
import { storeExplorerDays } from "../support/explorerDays.ts"
import { layerNeeding } from "../support/layerNeeding.ts"
import { isWithinLimit } from "../support/limits.ts"
import { Service } from "../support/service.ts"

const metric = "/network/FIL/active_storage_providers"
const comparison = "/compare?a=FIL&b=FIL/active_storage_providers&c=nope&by=value"
/** Every kind of page: a new one is a line here. */
const paths = [
  "/",
  "/map",
  "/measure/storage-providers",
  "/measures",
  "/networks",
  "/networks?q=filecoin",
  "/network/FIL",
  "/network/HNT",
  metric,
  "/network/none-such",
  "/nothing",
  "/log",
  "/log/2026-09-03",
  "/log/incidents",
  "/log/revisions",
  "/verify",
  comparison,
  "/category/storage",
  "/trust",
  "/watchlist",
  "/world",
  "/status",
  "/brief",
  "/products",
  "/products/depin_networks",
  "/account",
  "/paid",
  "/docs",
  "/docs/history",
  "/terms",
  "/problems/bad-parameter"
]

/** Pages whose compressed scripts have a limit, and whether they load the verifier. */
const budgets = [
  ["/", false],
  ["/networks", false],
  ["/network/FIL", true],
  [metric, true],
  ["/verify", true],
  [comparison, false],
  ["/watchlist", false]
] as const

/** What somebody comes for: each thing that they click, from the home page on, and what they then see. */
const visits: ReadonlyArray<
  readonly [
    wish: string,
    presses: ReadonlyArray<readonly ["link" | "button", name: string]>,
    sees: string,
    text: RegExp
  ]
> = [
  [
    "the growth of a network",
    [
      ["link", "Networks"],
      ["link", "Filecoin"]
    ],
    ".hero",
    /\+1\.3 % from 31 Aug \(298\) to 3 Sep \(302\)/
  ],
  [
    "the check of a value",
    [
      ["link", "Networks"],
      ["link", "Active storage providers"],
      ["button", "Verify it in this browser"]
    ],
    "#verified .verdict",
    /not altered/
  ],
  [
    "a citation",
    [
      ["link", "Networks"],
      ["link", "Active storage providers"],
      ["button", "Copy the citation"]
    ],
    "#cite ~ .copied",
    /^Copied$/
  ],
  [
    "a product to buy",
    [
      ["link", "Products"],
      ["link", "DePIN networks"],
      ["link", "Buy for $0.99"]
    ],
    "#buy",
    /Ways to buy/
  ],
  ["the health of the service", [["link", "Status"]], "h1", /feeds/]
]

/** An element, of which tests know no more. */
interface Focusable {
  readonly ownerDocument: { readonly activeElement: unknown }
}

/** Moves the focus as the key for it does, to what is to be pressed. */
const tabTo = async (page: Page, role: "link" | "button", name: string) => {
  const locator = page.getByRole(role, { name, exact: true }).first()
  // Found once: to find it by its name at every tab takes long on a page of many links.
  const element = await locator.elementHandle()
  for (let n = 0; n < 150; n++) {
    if ((await element?.evaluate((one: Focusable) => one.ownerDocument.activeElement === one)) === true)
      return
    await page.keyboard.press("Tab")
  }
  assert.fail(`no ${role} “${name}” within 150 tabs`)
}

/** Pixels by which a page is wider than its window. */
const overflow = (page: Page) =>
  page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")

/** One product can be bought. */
const service = Service.layer({
  products: [{ key: "depin_networks", build: () => Effect.succeed({ networks: ["FIL"] }) }]
})

layerNeeding("chromium")(Chromium.layer.pipe(Layer.provideMerge(service)), { timeout: 120_000 })(
  "a browser",
  (it) => {
    it.effect.each(paths)("finds %s accessible in both themes, whole and without other hosts", (path) =>
      Effect.gen(function* () {
        yield* storeExplorerDays
        const { open } = yield* Chromium
        yield* open(
          path,
          async ({ errors, outside, page }) => {
            assert.deepStrictEqual(await violations(page), [])
            // A status of 404 is an error to the console, and expected of some.
            const unexpected = errors.filter((error) => !error.includes("status of 404"))
            assert.deepStrictEqual({ unexpected, outside }, { unexpected: [], outside: [] })
          },
          { forbidden: true }
        )
      })
    )

    it.effect.each(paths)("shows %s without a script, at 360 pixels, without scrolling sideways", (path) =>
      Effect.gen(function* () {
        yield* storeExplorerDays
        const { open } = yield* Chromium
        yield* open(
          path,
          async ({ page }) => {
            assert.isAbove(((await page.locator("main h1").textContent()) ?? "").length, 3)
            assert.isAtMost(Number(await overflow(page)), 0)
          },
          { script: false, width: 360 }
        )
      })
    )

    it.effect.each(budgets)("loads at %s no more scripts than its limit", ([path, verifies]) =>
      Effect.gen(function* () {
        yield* storeExplorerDays
        const { open } = yield* Chromium
        yield* open(path, async ({ page, scripts }) => {
          // The verifier comes when the page is idle.
          if (verifies) await page.locator("#log-check", { hasText: "The log" }).waitFor()
          const sum = [...scripts.values()].reduce((all, bytes) => all + bytes, 0)
          isWithinLimit(`bytes of scripts on ${path.replace(/\?.*/, "")}`, sum)
        })
      })
    )

    it.effect.each(
      visits.flatMap(([wish, ...visit]) => ["pointer", "keyboard"].map((by) => [wish, by, ...visit] as const))
    )("leads from home to %s by %s", ([, by, presses, sees, text]) =>
      Effect.gen(function* () {
        yield* storeExplorerDays
        const { open } = yield* Chromium
        assert.isAtMost(presses.length, 3, "clicks from the home page")
        yield* open("/", async ({ errors, page }) => {
          await page.context().grantPermissions(["clipboard-read", "clipboard-write"])
          for (const [role, name] of presses) {
            const from = page.url()
            if (by === "keyboard") {
              await tabTo(page, role, name)
              await page.keyboard.press("Enter")
            } else await page.getByRole(role, { name, exact: true }).first().click()
            // What the page before has of the same name is not pressed in its place.
            if (role === "link") await page.waitForURL(({ href }) => href !== from)
          }
          await page.locator(sees, { hasText: text }).first().waitFor()
          assert.deepStrictEqual(errors, [])
        })
      })
    )

    it.effect("takes markup, documents and workers from the policy of its own code alone", () =>
      Effect.gen(function* () {
        yield* storeExplorerDays
        const { open } = yield* Chromium
        yield* open("/network/FIL", async ({ page }) => {
          const outcomes: unknown = await page.evaluate(`[
            () => document.body.insertAdjacentHTML("beforeend", "<p id='injected'></p>"),
            () => new DOMParser().parseFromString("<p></p>", "text/html"),
            () => new Worker("/assets/none.js"),
            () => trustedTypes.createPolicy("plumbline", {}),
            () => trustedTypes.createPolicy("other", {})
          ].map((attempt) => {
            try {
              attempt()
              return "taken"
            } catch (error) {
              return error.name
            }
          })`)
          assert.deepStrictEqual(outcomes, Array(5).fill("TypeError"))
          assert.strictEqual(await page.locator("#injected").count(), 0)
        })
      })
    )

    it.effect("searches by keyboard, with a slip of the fingers", () =>
      Effect.gen(function* () {
        yield* storeExplorerDays
        const { open } = yield* Chromium
        yield* open("/", async ({ page }) => {
          await page.keyboard.press("/")
          await page.keyboard.type("filecoim")
          await page.locator("#found-0").waitFor()
          await page.keyboard.press("ArrowDown")
          assert.strictEqual(
            await page.locator(".search input").getAttribute("aria-activedescendant"),
            "found-0"
          )
          await page.keyboard.press("Enter")
          await page.waitForURL("**/network/FIL")
        })
      })
    )

    it.effect("reads the values of a chart by keyboard and by pointer", () =>
      Effect.gen(function* () {
        yield* storeExplorerDays
        const { open } = yield* Chromium
        yield* open(metric, async ({ page }) => {
          const readout = page.locator("#figure .readout")
          await page.locator("#figure .on-wide svg").focus()
          await page.keyboard.press("ArrowLeft")
          assert.strictEqual(await readout.textContent(), "4 Sep 2026: 304; day not closed yet")
          await page.keyboard.press("ArrowLeft")
          assert.strictEqual(await readout.textContent(), "3 Sep 2026: 302")
          await page.keyboard.press("Home")
          assert.strictEqual(await readout.textContent(), "31 Aug 2026: 298")
          await page.keyboard.press("Escape")
          assert.include(
            (await readout.textContent()) ?? "",
            "from 31 Aug (298) to 3 Sep (302), closed days."
          )
        })
      })
    )

    it.effect("loads a longer window with a key, and says why not with one that is none", () =>
      Effect.gen(function* () {
        yield* storeExplorerDays
        const { open } = yield* Chromium
        const { call } = yield* Service
        const { body } = yield* call({
          method: "POST",
          path: "/v1/credits/register",
          headers: { "content-type": "application/json" },
          body: "{}"
        })
        const { api_key }: { readonly api_key: string } = JSON.parse(body.toString("utf8"))
        yield* open(metric, async ({ page }) => {
          await page.locator("#more [name=key]").fill(`plk_${"x".repeat(43)}`)
          await page.locator("#more button").click()
          await page.locator("#more .readout", { hasText: "is unknown, so it was ignored" }).waitFor()
          assert.strictEqual(await page.locator(".ranges [aria-current]").textContent(), "30 days")
          await page.locator("#more [name=key]").fill(api_key)
          await page.locator("#more button").click()
          await page.locator(".ranges [aria-current]", { hasText: "Longer" }).waitFor()
          assert.strictEqual(
            await page.locator("#figure .readout").textContent(),
            "+1.3 % from 31 Aug (298) to 3 Sep (302), closed days."
          )
        })
      })
    )

    it.effect("adds a row to the comparison that the tab had last, in its address", () =>
      Effect.gen(function* () {
        yield* storeExplorerDays
        const { open } = yield* Chromium
        yield* open("/network/FIL", async ({ page }) => {
          const target = "/compare?a=FIL/active_storage_providers"
          const link = page.locator("a[data-add]").first()
          assert.strictEqual(await link.getAttribute("href"), target)
          await link.click()
          await page.waitForURL(`**${target}`)
          await page.goto(new URL("/compare?a=HNT&b=FIL&by=value", page.url()).href)
          await page.goto(new URL("/networks", page.url()).href)
          await page.locator('a[data-add="FIL/active_storage_providers"]').first().click()
          await page.waitForURL("**/compare?a=HNT&b=FIL&c=FIL/active_storage_providers&by=value")
        })
      })
    )

    it.effect("reads the values of all compared series by keyboard, and offers the names of series", () =>
      Effect.gen(function* () {
        yield* storeExplorerDays
        const { open } = yield* Chromium
        yield* open(comparison, async ({ page }) => {
          const readout = page.locator("#compare .readout")
          await page.locator("#compare .on-wide svg").focus()
          await page.keyboard.press("End")
          assert.strictEqual(await readout.textContent(), "4 Sep 2026: A 304 · B 304")
          await page.locator("#pick-d").fill("filec")
          await page
            .locator('#targets option[value="FIL/active_storage_providers"]')
            .waitFor({ state: "attached" })
          await page.locator("#pick-d").fill("FIL/active_storage_providers")
          await page.keyboard.press("Enter")
          await page.waitForURL((url) => url.searchParams.get("d") === "FIL/active_storage_providers")
          assert.strictEqual(await page.locator(".compared tbody tr").count(), 3)
        })
      })
    )

    it.effect("watches a network by its star, and shows it with few requests", () =>
      Effect.gen(function* () {
        yield* storeExplorerDays
        const { open } = yield* Chromium
        yield* open("/network/FIL", async ({ errors, page }) => {
          await tabTo(page, "button", "Watch Filecoin")
          await page.keyboard.press("Enter")
          await page.locator('.title .star[aria-pressed="true"]').waitFor()
          // Until then this page asks, too.
          await page.locator("#log-check", { hasText: "The log" }).waitFor()
          const requests: Array<string> = []
          page.on("request", (request) => {
            const { pathname } = new URL(request.url())
            if (pathname.startsWith("/v1/")) requests.push(pathname)
          })
          await page.getByRole("link", { name: "your watchlist" }).click()
          const row = page.locator(".watched [data-entry=FIL]")
          await row.waitFor()
          assert.match(
            (await row.textContent()) ?? "",
            /Filecoin FIL.*304.*\+1\.3 % from 31 Aug to 3 Sep.*4 Sep 2026, 04:00 UTC/s
          )
          assert.strictEqual(
            await row.getByRole("link", { name: /^Tell me when/ }).getAttribute("href"),
            `${metric}#tell`
          )
          assert.deepStrictEqual(requests, ["/v1/symbols", "/v1/history"])
          // The star takes it off again, on this page and for the next one.
          await row.getByRole("button", { name: "Watch Filecoin" }).press("Space")
          await page.goto(new URL("/network/FIL", page.url()).href)
          assert.strictEqual(await page.locator(".title .star").getAttribute("aria-pressed"), "false")
          assert.deepStrictEqual(errors, [])
        })
      })
    )

    it.effect.each([
      "{",
      "7",
      '{"FIL":1}',
      '[null,{},"<img src=x>","FIL/","FIL","NOPE/none","FIL/none","FIL"]'
    ])("is not broken by a stored watchlist of %s", (stored) =>
      Effect.gen(function* () {
        yield* storeExplorerDays
        const { open } = yield* Chromium
        yield* open("/", async ({ errors, page }) => {
          await page.evaluate(`localStorage.setItem("plumbline.watchlist", ${JSON.stringify(stored)})`)
          for (const path of ["/", "/network/FIL", metric, "/watchlist"]) {
            await page.goto(new URL(path, page.url()).href, { waitUntil: "networkidle" })
            assert.isAbove(((await page.locator("main h1").textContent()) ?? "").length, 3)
          }
          const expected = stored.startsWith("[")
            ? [/Filecoin.*304/s, /There is no such network or metric/, /not measured of it now/]
            : []
          const rows = page.locator(".watched tbody tr")
          if (expected.length > 0) await rows.first().waitFor()
          const texts = await rows.allTextContents()
          assert.strictEqual(texts.length, expected.length)
          for (const [n, text] of expected.entries()) assert.match(texts[n] ?? "", text)
          assert.deepStrictEqual(
            errors.filter((error) => !error.includes("status of 404")),
            []
          )
        })
      })
    )

    it.effect("takes a watchlist from a link and a file only when told to, and gives it away as both", () =>
      Effect.gen(function* () {
        yield* storeExplorerDays
        const { open } = yield* Chromium
        yield* open("/watchlist#FIL/active_storage_providers,FIL,%3Cb%3E", async ({ errors, page }) => {
          const statusLine = page.locator("#said")
          const stored = () => page.evaluate('localStorage.getItem("plumbline.watchlist")')
          await page.locator(".watched tbody tr").nth(1).waitFor()
          assert.match(
            (await page.locator("#offer").textContent()) ?? "",
            /2 entries, and 1 entry that could not be read/
          )
          assert.strictEqual(await stored(), null)
          await page.getByRole("button", { name: "Add 2 entries to your watchlist" }).click()
          await statusLine.getByText("Added 2 entries. 1 entry could not be read.").waitFor()
          assert.strictEqual(await stored(), '["FIL/active_storage_providers","FIL"]')
          assert.match(
            await page.locator("#link").inputValue(),
            /\/watchlist#FIL\/active_storage_providers,FIL$/
          )

          const saving = page.waitForEvent("download")
          await page.getByRole("button", { name: "Save as a file" }).click()
          const saved = await (await saving).path()
          await page.getByRole("button", { name: "Empty the list" }).click()
          await page.locator("#none").waitFor()
          assert.strictEqual(await stored(), "[]")
          await page.locator("#file").setInputFiles(saved)
          await statusLine.getByText("Added 2 entries.", { exact: true }).waitFor()
          assert.strictEqual(await stored(), '["FIL/active_storage_providers","FIL"]')

          const load = (text: string) =>
            page
              .locator("#file")
              .setInputFiles({ name: "list.json", mimeType: "application/json", buffer: Buffer.from(text) })
          await load('{"plumbline_watchlist":2,"entries":["HNT"]}')
          await statusLine.getByText("This file has version 2 of a watchlist").waitFor()
          const many = Array.from({ length: 250 }, (_, n) => `FIL/m${n}`)
          await load(JSON.stringify({ plumbline_watchlist: 1, entries: many }))
          await statusLine
            .getByText(
              "Added 198 entries. Your watchlist is full: it holds 200 entries. 52 entries did not fit."
            )
            .waitFor()
          assert.deepStrictEqual(errors, [])
        })
      })
    )

    it.effect("says without a script that the watchlist lives in the browser", () =>
      Effect.gen(function* () {
        const { open } = yield* Chromium
        yield* open(
          "/watchlist",
          async ({ page }) => {
            const text = page.locator("noscript p")
            assert.include((await text.textContent()) ?? "", "the list lives in the browser")
            assert.isTrue(await text.isVisible())
            assert.isFalse(await page.locator("#watchlist").isVisible())
          },
          { script: false }
        )
      })
    )
  }
)
