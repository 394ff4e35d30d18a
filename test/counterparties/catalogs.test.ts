/** What strangers look for at known places: read by their own libraries where there is one, and true of the running service. */
import { createHash } from "node:crypto"
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { description } from "../../http/description/description.ts"
import { operationsOf } from "../../http/description/document.ts"
import { atomText } from "../../http/explorer/html/atom.ts"
import { Catalogs } from "../../http/explorer/Site.ts"
import { changelogFeed, releasesOf } from "../../http/pages/docs/changelog.ts"
import { listOf } from "../../mcp/server.ts"
import { Chain } from "../support/base.ts"
import { layerNeeding } from "../support/layerNeeding.ts"
import * as Runs from "../support/runs.ts"
import { baseUrl } from "../support/service.ts"
import { Shop } from "../support/shop.ts"
import { header, json } from "../support/signed.ts"
import { installed } from "./installed.ts"

const { DefaultAgentCardResolver } = await installed(() => import("@a2a-js/sdk/client"))
const { default: postman } = await installed(() => import("postman-collection"))

const get = Effect.fnUntraced(function* (path: string) {
  const reply = yield* (yield* Shop).ask(path)
  assert.strictEqual(reply.status, 200, path)
  return reply
})

const text = (path: string) => Effect.map(get(path), ({ body }) => body.toString("utf8"))

const seed = Effect.gen(function* () {
  const row = Runs.row(1, "2026-09-03T07:00:00Z", {
    symbol: "FIL",
    metric: "active_storage_providers",
    source: "made-up"
  })
  yield* (yield* Ingest).write(Runs.delivery(Date.UTC(2026, 8, 3, 8), [row], "made-up"))
})

/** An address that a catalog names is served: free, for money, by POST, or without data for what it asks. */
const isThere = Effect.fnUntraced(function* (address: string) {
  assert.isTrue(address.startsWith(`${baseUrl}/`), address)
  const { body, status } = yield* (yield* Shop).ask(address.slice(baseUrl.length))
  assert.include([200, 400, 401, 402, 404, 405], status, address)
  assert.notInclude(body.toString("utf8"), "Nothing exists at this URL", address)
})

const addressesIn = (words: string): ReadonlyArray<string> =>
  [...words.matchAll(/https:\/\/plumbline\.test\/[^\s`"'<>)]*/g)].map(([address]) =>
    address.replace(/[.,;:]+$/, "")
  )

layerNeeding("counterparties")(Shop.layerWith({}).pipe(Layer.provideMerge(Chain.layer)), {
  excludeTestServices: true
})("catalogs", (it) => {
  it.effect("name the interfaces with what describes them, and each address is there", () =>
    Effect.gen(function* () {
      yield* seed
      const reply = yield* get("/.well-known/api-catalog")
      assert.match(header(reply, "content-type"), /^application\/linkset\+json; profile="/)
      assert.include(header(reply, "link"), 'rel="api-catalog"')
      const addresses = addressesIn(reply.body.toString("utf8"))
      assert.isAbove(addresses.length, 15)
      yield* Effect.forEach(new Set(addresses), isThere)
      const documents = [
        ...Object.values(Catalogs.endpoints).map(({ path }) => String(path)),
        ...["/.well-known/mcp.json", "/.well-known/agent-card.json", "/server.json"]
      ]
      const unnamed = documents.filter((path) => !addresses.includes(`${baseUrl}${path}`))
      // The text of a skill is named by their index, and the page of the changelog beside its feed by every page.
      assert.sameMembers(unnamed, ["/.well-known/agent-skills/:skill/SKILL.md", "/changelog"])
    })
  )

  it.effect("list for scanners of x402 exactly what is sold, at addresses that answer with an offer", () =>
    Effect.gen(function* () {
      const list = json(yield* get("/.well-known/x402")) as unknown as {
        readonly version: number
        readonly resources: ReadonlyArray<string>
      }
      const sold = json(yield* get("/x402")) as unknown as Record<
        "products" | "reads",
        ReadonlyArray<{ readonly url: string; readonly available: boolean; readonly method?: string }>
      >
      const all = [...sold.reads, ...sold.products].filter((one) => one.available)
      const available = all.filter(({ method }) => method === undefined)
      for (const { url } of all.filter(({ method }) => method === "POST")) {
        const path = url.slice(baseUrl.length)
        assert.strictEqual((yield* (yield* Shop).ask({ method: "POST", path })).status, 402, url)
        const described = json(yield* get("/x402/openapi.json"))["paths"] as Record<string, object>
        assert.hasAllKeys(described[path] ?? {}, ["post"])
      }
      assert.deepStrictEqual(
        list.resources,
        available.map(({ url }) => url.replace("{symbol}", "FIL"))
      )
      assert.isAbove(list.resources.length, 10)
      for (const address of list.resources) {
        const { status } = yield* (yield* Shop).ask(address.slice(baseUrl.length))
        assert.strictEqual(status, 402, address)
      }
    })
  )

  it.effect("have skills whose digests, addresses and tools are right", () =>
    Effect.gen(function* () {
      const { skills } = json(yield* get("/.well-known/agent-skills/index.json")) as unknown as {
        readonly skills: ReadonlyArray<Record<"name" | "description" | "url" | "digest", string>>
      }
      assert.lengthOf(skills, 3)
      const tools = new Set(listOf("full").tools.map(({ name }) => name))
      for (const { description: words, digest, name, url } of skills) {
        const skill = yield* text(url)
        assert.strictEqual(digest, `sha256:${createHash("sha256").update(skill).digest("hex")}`)
        assert.isTrue(skill.startsWith(`---\nname: ${name}\ndescription: ${JSON.stringify(words)}\n---\n`))
        assert.isAtMost(words.length, 1024)
        yield* Effect.forEach(new Set(addressesIn(skill)), isThere)
        for (const [, tool = ""] of skill.matchAll(/`([a-z]+_[a-z_]+)`/g)) {
          const isMember = ["as_of", "verify_url", "pay_instead"].includes(tool)
          assert.isTrue(tools.has(tool) || isMember, `${name}: ${tool}`)
        }
      }
      const all = (yield* Effect.forEach(skills, ({ url }) => text(url))).join("\n")
      for (const path of ["/v1/query", "/v1/asof", "/v1/anomalies", "/v1/attest", "/x402"])
        assert.include(all, `${baseUrl}${path}`)
      const paying = yield* text("/.well-known/agent-skills/plumbline-pay/SKILL.md")
      for (const { inputSchema, name } of listOf("full").tools)
        if ("pay" in (inputSchema.properties ?? {})) assert.include(paying, `\`${name}\``)
      const missing = yield* (yield* Shop).ask("/.well-known/agent-skills/nothing/SKILL.md")
      assert.strictEqual(missing.status, 404)
    })
  )

  it.effect(
    "have a card that the library of A2A resolves, with the tools as skills and no binding of A2A",
    () =>
      Effect.gen(function* () {
        const { ask } = yield* Shop
        const context = yield* Effect.context<never>()
        const resolver = new DefaultAgentCardResolver({
          fetchImpl: async (address) => {
            const path = new URL(String(address)).pathname
            const { body, status } = await Effect.runPromiseWith(context)(ask(path))
            return new Response(body, { status })
          }
        })
        const card = yield* Effect.tryPromise(() => resolver.resolve(baseUrl))
        assert.deepStrictEqual(
          card.skills.map(({ description: words, id }) => [id, words]),
          listOf("full").tools.map(({ description: words = "", name }) => [name, words])
        )
        assert.deepStrictEqual(
          card.supportedInterfaces.map(({ url }) => url),
          [`${baseUrl}/mcp`, `${baseUrl}/mcp/public`]
        )
        for (const { protocolBinding } of card.supportedInterfaces) assert.match(protocolBinding, /^https:/)
      })
  )

  it.effect("have an entry that the registry of MCP servers takes", () =>
    Effect.gen(function* () {
      const entry = json(yield* get("/server.json")) as unknown as {
        readonly name: string
        readonly description: string
        readonly version: string
        readonly remotes: ReadonlyArray<{ readonly type: string; readonly url: string }>
      }
      assert.strictEqual(entry.name, "test.plumbline/plumbline")
      assert.match(entry.name, /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/)
      assert.isAtMost(entry.description.length, 100)
      assert.strictEqual(entry.version, json(yield* get("/health"))["version"])
      for (const { type, url } of entry.remotes) {
        assert.strictEqual(type, "streamable-http")
        const { status } = yield* (yield* Shop).ask({
          path: url.slice(baseUrl.length),
          method: "POST",
          headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
          body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} })
        })
        assert.strictEqual(status, 200, url)
      }
    })
  )

  it.effect("have a collection that Postman's library reads, with every operation once", () =>
    Effect.gen(function* () {
      const collection = new postman.Collection(JSON.parse(yield* text("/postman.json")))
      const requests: Array<string> = []
      const reads: Array<string> = []
      collection.forEachItem(({ request }) => {
        const path = `/${(request.url.path ?? []).map((part) => part.replace(/^:(.+)$/, "{$1}")).join("/")}`
        requests.push(`${request.method} ${path}`)
        const resolved = request.url.getPathWithQuery()
        // A stream does not end.
        const isRead =
          request.method === "GET" && resolved.startsWith("/v1/") && !resolved.startsWith("/v1/stream")
        if (isRead && !resolved.includes(":")) reads.push(resolved)
      })
      assert.deepStrictEqual(
        requests.toSorted(),
        operationsOf(description)
          .map(({ method, path }) => `${method} ${path}`)
          .toSorted()
      )
      assert.isAbove(reads.length, 20)
      yield* Effect.forEach(reads, (path) => isThere(`${baseUrl}${path}`))
    })
  )

  it.effect("have widgets whose rows are where they say, with their columns and parameters", () =>
    Effect.gen(function* () {
      const widgets = json(yield* get("/widgets.json")) as unknown as Readonly<
        Record<
          string,
          {
            readonly endpoint: string
            readonly params: ReadonlyArray<{ readonly paramName: string }>
            readonly data: {
              readonly dataKey?: string
              readonly table: { readonly columnsDefs: ReadonlyArray<{ readonly field: string }> }
            }
          }
        >
      >
      assert.includeMembers(Object.keys(widgets), ["attestations"])
      // The rows of a history are by network and metric, which is no table.
      const tables = operationsOf(description).filter(
        ({ method, operation: { operationId, parameters } }) =>
          method === "GET" &&
          operationId.startsWith("keyless.") &&
          operationId !== "keyless.history" &&
          parameters.some(({ name }) => name === "format") &&
          parameters.every(({ in: place }) => place === "query")
      )
      assert.isAbove(tables.length, 5)
      assert.includeMembers(
        Object.keys(widgets),
        tables.map(({ operation }) => operation.operationId.replace("keyless.", ""))
      )
      let rowsSeen = 0
      for (const { data, endpoint, params } of Object.values(widgets)) {
        const answer: unknown = JSON.parse(yield* text(`/${endpoint}`))
        const rows = (
          data.dataKey === undefined ? answer : (answer as Record<string, unknown>)[data.dataKey]
        ) as ReadonlyArray<Record<string, unknown>>
        assert.isArray(rows, endpoint)
        const columns = data.table.columnsDefs.map(({ field }) => field)
        for (const row of rows) {
          rowsSeen += 1
          for (const [field, value] of Object.entries(row)) {
            const isPlain = value !== null && typeof value !== "object"
            if (isPlain) assert.include(columns, field, endpoint)
          }
        }
        const parameters = operationsOf(description).find(({ path }) => path === `/${endpoint}`)?.operation
          .parameters
        for (const { paramName } of params)
          assert.isTrue(
            parameters?.some(({ name }) => name === paramName),
            paramName
          )
      }
      assert.isAbove(rowsSeen, 50)
    })
  )

  it.effect("have the changelog as a page and a feed of what was released", () =>
    Effect.gen(function* () {
      const page = yield* text("/changelog")
      assert.include(page, '<h2 id="2-0-0">2.0.0')
      const feed = yield* text("/changelog/atom.xml")
      assert.include(feed, `<id>${baseUrl}/changelog#2-0-0</id>`)
      assert.notInclude(feed, "Unreleased")
    })
  )
})

layerNeeding("counterparties")(Layer.empty)("a changelog", (it) => {
  it.effect("is read by release, section and point", () =>
    Effect.sync(() => {
      const releases = releasesOf(
        "# Changelog\n\nWords.\n\n## [Unreleased]\n\n### Added\n\n- One\n  more `x<y>`\n- Two\n\n## [1.1.0] - 2026-01-02\n\nShort.\n\n### Fixed\n\n- [A](b) thing\n"
      )
      assert.deepStrictEqual(releases, [
        { version: "Unreleased", sections: [{ title: "Added", points: ["One more `x<y>`", "Two"] }] },
        {
          version: "1.1.0",
          date: "2026-01-02",
          sections: [
            { title: "", points: ["Short."] },
            { title: "Fixed", points: ["[A](b) thing"] }
          ]
        }
      ])
      const feed = atomText(changelogFeed(releases, "https://x.test"))
      assert.strictEqual(feed.match(/<entry>/g)?.length, 1)
      assert.include(feed, "<updated>2026-01-02T00:00:00Z</updated>")
      assert.include(feed, "&lt;li&gt;A thing&lt;/li&gt;")
    })
  )
})
