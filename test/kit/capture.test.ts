/** `record` in its live form: what a server answers becomes a case, and no key comes with it. */
import { readdirSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"
import * as Fixtures from "../../runtime/contributor/fixtures.ts"
import { capture } from "../../runtime/contributor/kit/capture.ts"
import { contributor } from "../support/contributor.ts"

const secret = "key-0123456789abcdef"

/** A plugin whose upstream wants a key in the query. */
const plugin = Plugin.define({
  id: "acme",
  title: "Acme",
  covers: { networks: ["STORJ"] },
  tier: "supply_telemetry",
  source: "acme",
  hosts: ["stats.example.net"],
  every: "1 hour",
  grade: "A",
  owner: "test",
  auth: { "stats.example.net": { setting: "ACME_KEY", as: { query: "apikey" }, optional: false } },
  metrics: { nodes_online: { unit: "count", min: 0, meaning: "Nodes." } },
  collect: (observe) =>
    Effect.gen(function* () {
      const answer = yield* Upstream.json(
        "https://stats.example.net/v1/acme",
        Schema.Struct({ nodes: Schema.Natural })
      )
      return observe(answer, { nodes_online: answer.body.nodes })
    })
})

/** A server on loopback, and the addresses it was asked for. */
const answering = (status: number, body: (url: string) => string) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly base: URL; readonly urls: Array<string>; readonly close: () => void }>(
      (resume) => {
        const urls: Array<string> = []
        const server = createServer(({ url = "" }, response) => {
          urls.push(url)
          response.writeHead(status, { "content-type": "application/json", "x-internal": secret })
          response.end(body(url))
        })
        server.listen(0, "127.0.0.1", () => {
          const address = server.address()
          const port = typeof address === "object" && address !== null ? address.port : 0
          const base = new URL(`http://127.0.0.1:${port}`)
          resume(Effect.succeed({ base, urls, close: () => void server.close() }))
        })
      }
    ),
    ({ close }) => Effect.sync(close)
  )

const surroundings = (base: URL) => ({
  environment: { ACME_KEY: secret },
  map: new Map([["stats.example.net", base]])
})

describe("a live recording", () => {
  it.live("sends the key, and keeps it in no file although the upstream repeats it", () =>
    Effect.gen(function* () {
      const { urls, base } = yield* answering(200, (url) => JSON.stringify({ nodes: 42, you_asked: url }))
      const places = yield* contributor
      const { failure, note, origin, tape } = yield* capture(plugin, surroundings(base))
      assert.isUndefined(failure)
      assert.deepStrictEqual(urls, [`/v1/acme?apikey=${secret}`])
      const folder = join(places.fixtures, "acme")
      yield* Fixtures.save(join(folder, "ok"), { plugin: "acme", origin, note }, tape)
      const files = readdirSync(folder)
      assert.deepStrictEqual(files, ["ok.json"])
      for (const file of files) assert.notInclude(readFileSync(join(folder, file), "utf8"), secret)
      const rows = yield* Fixtures.replay(plugin, (yield* Fixtures.load(join(folder, "ok"))).tape)
      assert.deepStrictEqual("observations" in rows && rows.observations.map(({ value }) => value), [42])
    })
  )

  it.live("of a stand-in is not called captured", () =>
    Effect.gen(function* () {
      const { base } = yield* answering(200, () => '{"nodes":1}')
      const { note, origin } = yield* capture(plugin, surroundings(base))
      assert.strictEqual(origin, "written")
      assert.include(note, "stand-ins for stats.example.net")
    })
  )

  it.live("is kept when the plugin does not understand it, to fix the plugin with", () =>
    Effect.gen(function* () {
      const { base } = yield* answering(200, () => '{"count":1}')
      const { failure, tape } = yield* capture(plugin, surroundings(base))
      assert.strictEqual(failure?._tag, "UpstreamChanged")
      assert.strictEqual(new TextDecoder().decode(tape.exchanges[0]?.body), '{"count":1}')
    })
  )
})
