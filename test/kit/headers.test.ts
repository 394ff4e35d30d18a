/** Headers of a kept answer are the plugin's, whatever the case in which a tool wrote their names. */
import { createHash } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"
import * as Fixtures from "../../runtime/contributor/fixtures.ts"

const url = "https://stats.example.net/v1/acme"

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
  metrics: { nodes_online: { unit: "count", min: 0, meaning: "Nodes." } },
  collect: (observe) =>
    Effect.gen(function* () {
      const answer = yield* Upstream.json(url, Schema.Struct({ nodes: Schema.Natural }))
      return observe(answer, { nodes_online: answer.body.nodes })
    })
})

it.effect("a Date header that a tool wrote with a capital dates the rows", () =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "headers-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true }))
    )
    const body = new TextEncoder().encode('{"nodes":7}')
    const exchange = {
      request: { method: "GET", url } as const,
      at: Date.parse("2026-09-05T11:00:00Z"),
      status: 200,
      headers: { "Content-Type": "application/json", Date: "Sat, 05 Sep 2026 10:59:58 GMT" },
      sha256: createHash("sha256").update(body).digest("hex"),
      body
    }
    const about = { plugin: "acme", origin: "written", note: "a test" } as const
    yield* Fixtures.save(join(folder, "ok"), about, {
      now: exchange.at,
      targets: [],
      settings: {},
      exchanges: [exchange]
    })
    const { tape } = yield* Fixtures.load(join(folder, "ok"))
    const rows = yield* Fixtures.replay(plugin, tape)
    assert.deepStrictEqual(
      "observations" in rows ? rows.observations.map(({ as_of, value }) => [value, as_of]) : rows,
      [[7, "2026-09-05T10:59:58Z"]]
    )
  })
)
