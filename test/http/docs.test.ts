/** The documentation's samples, run as they stand, and its pages in a browser: languages, navigation, and requests from a form. */
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { build } from "esbuild"
import type { Page } from "playwright-core"
import { canBeTried, describedRequest, harmlessPosts } from "../../http/description/described.ts"
import { description } from "../../http/description/description.ts"
import { operationsOf, type Place } from "../../http/description/document.ts"
import { exampleValues } from "../../http/description/requests.ts"
import { samplesOf } from "../../http/description/samples.ts"
import { violations } from "../support/axe.ts"
import { Chromium } from "../support/browser.ts"
import { storeExplorerDays } from "../support/explorerDays.ts"
import { layerNeeding } from "../support/layerNeeding.ts"
import { missing, pathOf } from "../support/programs.ts"
import { baseUrl, Service } from "../support/service.ts"

const run = promisify(execFile)
const client = fileURLToPath(new URL("../../http/client/typescript/src/index.ts", import.meta.url))

const places = operationsOf(description)
const placeOf = (id: string): Place => {
  const place = places.find(({ operation }) => operation.operationId === id)
  if (place === undefined) throw new Error(`no operation ${id}`)
  return place
}
const samples = (id: string, at: string) => {
  const request = describedRequest(placeOf(id))
  return samplesOf(at, request, exampleValues(request))
}

/** What a program says that reads a text. */
const runReading = async (program: string, args: ReadonlyArray<string>, text: string): Promise<string> => {
  const running = run(program, args)
  running.child.stdin?.end(text)
  return (await running).stdout
}

/** Runs a sample of TypeScript in a process of its own, with the client from its source. */
const runTypeScript = async (sample: string): Promise<string> => {
  const { outputFiles } = await build({
    stdin: { contents: sample, resolveDir: fileURLToPath(new URL(".", import.meta.url)), loader: "ts" },
    alias: { "@plumbline/client": client },
    bundle: true,
    platform: "browser",
    format: "esm",
    write: false
  })
  return runReading(process.execPath, ["--input-type=module", "-"], outputFiles[0]?.text ?? "")
}

layer(Service.layer())("the samples of the documentation", (it) => {
  it.effect.skipIf(missing("curl", "python"))("run as they stand, in each language", () =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      const { port } = yield* Service
      const at = `http://127.0.0.1:${port}`
      yield* Effect.promise(async () => {
        // A path, a query, and a body.
        for (const id of ["keyless.network", "keyless.history", "keyless.query"]) {
          const { curl, Python, TypeScript } = samples(id, at)
          const { stdout: ofCurl } = await run("bash", ["-euc", `${curl} -s`])
          const { stdout: ofPython } = await run(pathOf("python"), ["-c", Python])
          // The service signs for its own address.
          const ofClient = await runTypeScript(
            TypeScript.replace(`baseUrl: "${at}"`, `baseUrl: "${at}", publicUrl: "${baseUrl}"`)
          )
          for (const text of [ofCurl, ofPython, ofClient])
            assert.match(text, /active_storage_providers/, `${id}: ${text.slice(0, 300)}`)
        }
      })
    })
  )

  it.effect.skipIf(missing("python"))("are Python, all of them", () =>
    Effect.promise(async () => {
      const texts = places.map(({ operation }) => samples(operation.operationId, baseUrl).Python)
      const program = "import json, sys\nfor text in json.load(sys.stdin): compile(text, 'sample', 'exec')"
      await runReading(pathOf("python"), ["-c", program], JSON.stringify(texts))
    })
  )
})

describe("a sample", () => {
  it("quotes what it is given for the shell, the client and Python", () => {
    const request = describedRequest(placeOf("keyless.query"))
    const { curl, Python, TypeScript } = samplesOf(
      "https://a.test",
      { ...request, body: { note: 'it\'s "so"', flag: true, none: null, "a-b": [1] } },
      {}
    )
    assert.include(curl, String.raw`-d '{"note":"it'\''s \"so\"","flag":true,"none":null,"a-b":[1]}'`)
    assert.include(TypeScript, String.raw`{ note: "it's \"so\"", flag: true, none: null, "a-b": [1] }`)
    assert.include(Python, String.raw`{"note": "it's \"so\"", "flag": True, "none": None, "a-b": [1]}`)
  })

  it("names the key and the order of a purchase by placeholders", () => {
    for (const text of Object.values(samples("credits.purchase", "https://a.test"))) {
      assert.include(text, "<your key>")
      assert.include(text, "order-1")
    }
  })
})

describe("a form of the documentation", () => {
  it("is there for what reads, and never for what pays, changes an account or takes an answer from somebody", () => {
    const tried = new Set(places.filter(canBeTried).map(({ operation }) => operation.operationId))
    const posts = places
      .filter(({ method }) => method !== "GET")
      .map(({ operation }) => operation.operationId)
    assert.deepStrictEqual(posts.filter((id) => tried.has(id)).toSorted(), [...harmlessPosts].toSorted())
    for (const id of ["x402.data", "paid.networks", "buy.bySession", "buy.keyBySession"])
      assert.isFalse(tried.has(id), id)
    for (const id of ["keyless.network", "credits.balance", "events.stream"]) assert.isTrue(tried.has(id), id)
  })
})

/** The block of samples of an operation, and its form. */
const blockOf = (page: Page, id: string) => page.locator(`#${id} .docs-example`)

layerNeeding("chromium")(Chromium.layer.pipe(Layer.provideMerge(Service.layer({ limited: true }))), {
  timeout: 60_000
})("the documentation in a browser", (it) => {
  it.effect("shows one language at a time, the chosen one everywhere and on the next page", () =>
    Effect.gen(function* () {
      const { open } = yield* Chromium
      yield* open("/docs/networks", async ({ errors, page }) => {
        const countOf = (language: string) => page.locator(`.samples .${language}:visible`).count()
        const all = await page.locator(".samples").count()
        assert.deepStrictEqual([await countOf("curl"), await countOf("python")], [all, 0])
        await blockOf(page, "keyless-network").getByText("Python", { exact: true }).click()
        assert.deepStrictEqual([await countOf("curl"), await countOf("python")], [0, all])
        await page.locator(".docs-nav a", { hasText: "History" }).click()
        await page.waitForURL("**/docs/history")
        await page.locator(".samples .python").first().waitFor()
        assert.strictEqual(await countOf("curl"), 0)
        assert.deepStrictEqual(errors, [])
      })
    })
  )

  it.effect("sends a request with the values of its form, and shows status, signature, quota and body", () =>
    Effect.gen(function* () {
      yield* storeExplorerDays
      const { open } = yield* Chromium
      yield* open(
        "/docs/networks",
        async ({ errors, outside, page }) => {
          const block = blockOf(page, "keyless-network")
          await block.getByText("Try it").click()
          assert.strictEqual(await block.locator("[name=symbol]").inputValue(), "FIL")
          await block.getByRole("button", { name: "Send GET" }).click()
          await block.getByText("Status 200").waitFor()
          const answer = (await block.locator(".try-answer").textContent()) ?? ""
          for (const part of ["X-Service-Signature", "X-Service-Log-Head", "RateLimit", '"value": 304'])
            assert.include(answer, part)
          assert.deepStrictEqual(await violations(page), [])
          await block.locator("[name=limit]").fill("many")
          assert.include((await block.locator(".curl").textContent()) ?? "", "limit=many")
          await block.getByRole("button", { name: "Send GET" }).click()
          await block.getByText("Status 400").waitFor()
          assert.include((await block.locator(".try-answer").textContent()) ?? "", '"field": "limit"')
          // What is required is not left out.
          await block.locator("[name=symbol]").fill("")
          await block.getByRole("button", { name: "Send GET" }).click()
          assert.isTrue(await block.locator("[name=symbol]:invalid").isVisible())
          const unexpected = errors.filter((error) => !error.includes("status of 400"))
          assert.deepStrictEqual({ unexpected, outside }, { unexpected: [], outside: [] })
        },
        { forbidden: true }
      )
    })
  )

  it.effect("sends a key that was typed, and keeps it nowhere", () =>
    Effect.gen(function* () {
      const { open } = yield* Chromium
      const { call } = yield* Service
      const registered = yield* call({
        method: "POST",
        path: "/v1/credits/register",
        headers: { "content-type": "application/json" },
        body: "{}"
      })
      const { api_key: key }: { readonly api_key: string } = JSON.parse(registered.body.toString("utf8"))
      yield* open("/docs/account", async ({ page }) => {
        const block = blockOf(page, "credits-balance")
        await block.getByText("Try it").click()
        const field = block.locator("input[type=password]")
        await block.getByRole("button", { name: "Send GET" }).click()
        assert.strictEqual(await block.locator("[role=status]").textContent(), "", "not sent without a key")
        await field.fill(key)
        await block.getByRole("button", { name: "Send GET" }).click()
        await block.getByText("Status 200").waitFor()
        assert.include((await block.locator(".try-answer").textContent()) ?? "", '"credits_balance"')
        const stored: unknown = await page.evaluate(
          "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])"
        )
        assert.notInclude(String(stored), key)
        assert.notInclude((await block.locator(".samples").textContent()) ?? "", key)
        await page.reload()
        await block.getByText("Try it").click()
        assert.strictEqual(await field.inputValue(), "")
        assert.strictEqual(await page.locator("#credits-createKey .try").count(), 0)
      })
    })
  )

  it.effect("stops reading what has no end", () =>
    Effect.gen(function* () {
      const { open } = yield* Chromium
      yield* open("/docs/events-alerts-and-webhooks", async ({ page }) => {
        await page.clock.install()
        const block = blockOf(page, "events-stream")
        await block.getByText("Try it").click()
        await block.getByRole("button", { name: "Send GET" }).click()
        // The clock of the page is moved, so nobody waits the ten seconds.
        const status = block.getByText("reading stopped there")
        for (let n = 0; n < 50 && (await status.count()) === 0; n++) await page.clock.runFor(1000)
        await block.getByText("Status 200").waitFor()
        await status.waitFor()
      })
    })
  )

  it.effect(
    "works without a script: languages by a plain choice, no form, the navigation folded on a phone",
    () =>
      Effect.gen(function* () {
        const { open } = yield* Chromium
        yield* open(
          "/docs/networks",
          async ({ page }) => {
            const block = blockOf(page, "keyless-network")
            assert.isFalse(await block.getByText("Try it").isVisible())
            await block.getByText("TypeScript", { exact: true }).click()
            assert.isTrue(await block.locator(".typescript").isVisible())
            assert.isFalse(await block.locator(".curl").isVisible())
            const link = page.locator(".docs-nav a", { hasText: "History" })
            assert.isFalse(await link.isVisible())
            await page.locator(".docs-nav summary").click()
            assert.isTrue(await link.isVisible())
          },
          { script: false, width: 360 }
        )
        yield* open(
          "/docs/networks",
          async ({ page }) => {
            const [nav, words, example] = await Promise.all(
              [".docs-nav", "#keyless-network .docs-words", "#keyless-network .docs-example"].map((one) =>
                page.locator(one).boundingBox()
              )
            )
            assert.isTrue(await page.locator(".docs-nav a", { hasText: "History" }).isVisible())
            assert.isAtMost((nav?.x ?? 0) + (nav?.width ?? 0), words?.x ?? 0)
            assert.isAtMost((words?.x ?? 0) + (words?.width ?? 0), example?.x ?? 0)
          },
          { script: false }
        )
      })
  )
})
