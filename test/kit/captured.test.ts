/** Whether the code of a plugin still reads what was captured: what a confirmation of its feed lives on. */
import { createHash } from "node:crypto"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"
import { capturedIn, readsCaptured } from "../../runtime/contributor/captured.ts"
import * as Fixtures from "../../runtime/contributor/fixtures.ts"
import { contributor } from "../support/contributor.ts"

const now = Date.UTC(2026, 8, 5, 12)

/** A plugin that reads these members of its answer. */
const pluginOf = (...members: ReadonlyArray<string>) =>
  Plugin.define({
    id: "sample",
    title: "Sample",
    covers: { networks: ["FIL"] },
    source: "sample",
    tier: "supply_telemetry",
    hosts: ["stats.sample.test"],
    every: "1 hour",
    grade: "A",
    metrics: {
      nodes_online: { unit: "count", min: 0, meaning: "Nodes." },
      regions: { unit: "count", min: 0, meaning: "Regions." }
    },
    collect: (observe) =>
      Effect.gen(function* () {
        const answer = yield* Upstream.json(
          "https://stats.sample.test/v1/summary",
          Schema.Record(Schema.String, Schema.Finite)
        )
        return observe(answer, Object.fromEntries(members.map((name) => [name, answer.body[name]] as const)))
      })
  })

const bytes = new TextEncoder().encode(JSON.stringify({ nodes_online: 1200, regions: 7 }))

const tape = {
  now,
  targets: [],
  settings: {},
  exchanges: [
    {
      request: { method: "GET" as const, url: "https://stats.sample.test/v1/summary" },
      at: now,
      status: 200,
      headers: { "content-type": "application/json" },
      sha256: createHash("sha256").update(bytes).digest("hex"),
      body: bytes
    }
  ]
}

const save = Effect.fnUntraced(function* (folder: string, name: string, origin: "captured" | "written") {
  const place = join(folder, "sample", name)
  yield* Fixtures.save(place, { plugin: "sample", origin, note: "" }, tape)
  yield* Fixtures.writeExpected(place, yield* Fixtures.replay(pluginOf("nodes_online", "regions"), tape))
})

it.effect("captured answers are read while the code gives every series of them", () =>
  Effect.gen(function* () {
    const { fixtures } = yield* contributor
    const own = capturedIn(fixtures)
    const folders = [own, fixtures]
    const today = pluginOf("nodes_online", "regions")
    assert.isUndefined(yield* readsCaptured(today, folders))
    yield* save(fixtures, "ok", "written")
    assert.isUndefined(yield* readsCaptured(today, folders), "a written case shows nothing of the upstream")
    yield* save(own, "captured", "captured")
    assert.isTrue(yield* readsCaptured(today, folders))
    assert.isFalse(yield* readsCaptured(pluginOf("nodes_online"), folders), "a series is gone")
  })
)
