/** Each field that a plugin reads, put wrong in turn: an error, or its rows left out; no row turns into another. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"
import { altered } from "../../runtime/contributor/check/fields.ts"
import { fieldFindings } from "../../runtime/contributor/check/unmeant.ts"
import * as Fixtures from "../../runtime/contributor/fixtures.ts"
import { soundCases } from "../support/plugins.ts"

const cases = await soundCases()

describe("a field that is put wrong", () => {
  it.effect.each([...cases])("in $id", ({ plugin, tape }) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* fieldFindings(plugin, tape, Fixtures.root), [])
    })
  )

  it.effect("is found where a plugin takes the missing for 0 or leaves it out of a sum", () => {
    const careless = Plugin.define({
      id: "careless",
      title: "Careless",
      covers: { networks: ["FIL"] },
      tier: "supply_telemetry",
      source: "careless",
      hosts: ["api.careless.test"],
      every: "1 hour",
      grade: "A",
      owner: "plumbline",
      metrics: {
        nodes_online: { unit: "count", min: 0, meaning: "Nodes." },
        STORAGE_TOTAL_BYTES: { unit: "bytes", min: 0, meaning: "Bytes." }
      },
      collect: (observe) =>
        Effect.gen(function* () {
          const Entry = Schema.Struct({ bytes: Upstream.maybe(Schema.Finite) })
          const answer = yield* Upstream.json(
            "https://api.careless.test/",
            Schema.Struct({ nodes: Upstream.maybe(Schema.Finite), list: Schema.Array(Entry) })
          )
          const total = answer.body.list.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0)
          return observe(answer, { nodes_online: answer.body.nodes ?? 0, STORAGE_TOTAL_BYTES: total })
        })
    })
    const body = new TextEncoder().encode(
      JSON.stringify({ nodes: 7, list: [{ bytes: 5 }, { bytes: 6 }], name: "x" })
    )
    const exchange = {
      request: { method: "GET", url: "https://api.careless.test/" } as const,
      at: 1e12,
      status: 200,
      headers: {},
      sha256: "",
      body
    }
    return Effect.gen(function* () {
      const changes = yield* altered(careless, {
        now: 1e12,
        targets: [],
        settings: {},
        exchanges: [exchange]
      })
      const fields = new Set(changes.map(({ field, row }) => `${field} ${row.metric}`))
      assert.deepStrictEqual([...fields].sort(), [
        "/list STORAGE_TOTAL_BYTES",
        "/list/#/bytes STORAGE_TOTAL_BYTES",
        "/nodes nodes_online"
      ])
    })
  })
})
