/** Each field that a plugin reads, put wrong in turn: an error, or its rows left out; no row turns into another. */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"
import { altered } from "../../runtime/contributor/check/fields.ts"
import * as Fixtures from "../../runtime/contributor/fixtures.ts"
import { soundCases } from "../support/plugins.ts"

const Meant = Schema.Array(Schema.Struct({ change: Schema.String, because: Schema.String }))

/**
 * Changes that are meant, as `field symbol metric put value: …`, with the reason: those of a plugin are next to its
 * sound case, those of a shape here.
 */
const meantOf = (id: string) =>
  Effect.promise(() => readFile(join(Fixtures.root, id, "ok.meant.json"), "utf8").catch(() => "[]")).pipe(
    Effect.flatMap(Schema.decodeUnknownEffect(Schema.fromJsonString(Meant))),
    Effect.map((list) => list.map(({ change }) => new RegExp(change)))
  )

const meantByShapes: ReadonlyArray<readonly [change: RegExp, because: string]> = [
  [/ nodes_country_\w+ put (nothing|null|""|\[\]):/, "a node in no country that is told is in another"],
  [/ gpu_alloca\w+ put (nothing|null|""|\[\]):/, "a card of no model that is told is of another"]
]

const cases = await soundCases()

describe("a field that is put wrong", () => {
  it.effect.each([...cases])("in $id", ({ id, plugin, tape }) =>
    Effect.gen(function* () {
      const changes = (yield* altered(plugin, tape)).map(
        ({ field, put, row, was }) =>
          `${field} ${row.symbol} ${row.metric} put ${put}: ${was.join()} becomes ${row.value}`
      )
      const own = yield* meantOf(id)
      const meant = [...own, ...meantByShapes.map(([form]) => form)]
      assert.deepStrictEqual(
        changes.filter((change) => !meant.some((form) => form.test(change))),
        []
      )
      // What explains no change any more is no fact about the plugin.
      assert.deepStrictEqual(
        own.filter((form) => !changes.some((change) => form.test(change))),
        []
      )
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
