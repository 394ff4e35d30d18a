/** A figure that a run does not have any more is listed with a reason. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import type { Manifest } from "../../../core/plugin/Manifest.ts"
import type { Refusal } from "../../../core/plugin/Plugin.ts"
import { mayDropToZero } from "../../../core/plugin/shapes/metric.ts"
import { Feeds } from "../../../core/readings/Feeds.ts"
import { absent, neverGiven } from "../../../core/readings/ingest/accept/absent.ts"
import { Blobs } from "../../../core/readings/ingest/Blobs.ts"
import { Ingest } from "../../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../../core/readings/ingest/partitions.ts"
import { Current } from "../../../core/readings/read/Current.ts"
import { onBothEngines } from "../../support/database.ts"
import * as Runs from "../../support/runs.ts"
import { noon } from "./ingestSuite.ts"

const manifest: Manifest = {
  ...Runs.manifest,
  metrics: {
    ...Runs.manifest.metrics,
    "nodes_in_*": { ...mayDropToZero("count", "Nodes by place."), of: ["a", "b"] }
  }
}
const { price_change_24h_pct: _, ...fewer } = manifest.metrics

const reduced: Manifest = { ...manifest, metrics: fewer }

const nodes = (symbol: string) => Runs.row(7, "2026-09-05T11:00:00Z", { symbol })
const change = Runs.row(1, "2026-09-05T11:00:00Z", { metric: "price_change_24h_pct", unit: "pct" })
const place = Runs.row(3, "2026-09-05T11:00:00Z", { metric: "nodes_in_a" })

onBothEngines("a figure that a run does not have any more", (database) => {
  it.effect("is absent until it is there again, refused, or not declared", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* TestClock.setTime(noon)
      let runs = 0
      /** Writes a run of a service that starts with a manifest, and gives what is stored as refused. */
      const written = Effect.fnUntraced(function* (
        rows: ReadonlyArray<ReturnType<typeof Runs.row>>,
        refused: ReadonlyArray<Refusal> = [],
        of: Manifest = manifest,
        status: "ok" | "failed" = "ok"
      ) {
        const { bodies, run } = Runs.delivery(noon, rows)
        const id = `absent-${++runs}`
        yield* Effect.flatMap(Ingest, (ingest) =>
          ingest.write({ bodies, run: { ...run, id, refused, status } })
        ).pipe(
          Effect.provide(
            Layer.fresh(
              Ingest.layer.pipe(
                Layer.provideMerge(Current.layer),
                Layer.provideMerge(Layer.effectDiscard(partitions.ensure(noon))),
                Layer.provideMerge(Blobs.layerTable),
                Layer.provide(
                  Layer.succeed(Feeds, Feeds.of({ manifests: [of], states: Effect.succeed(new Map()) }))
                )
              )
            )
          )
        )
        const [stored] = yield* sql<{ readonly refused: ReadonlyArray<Refusal> }>`
          select refused from run where id = ${id}`
        return stored?.refused
      })
      const outcomeOf = (id: string) =>
        Effect.map(
          sql<{ readonly outcome: string }>`select outcome from run where id = ${id}`,
          ([run]) => run?.outcome
        )
      const missing = [{ symbol: "FIL", metric: "price_change_24h_pct", reason: absent }]

      assert.deepStrictEqual(yield* written([nodes("FIL"), nodes("STORJ"), change, place]), [])
      // A member of a family comes and goes; the last run that failed had nothing to give.
      assert.deepStrictEqual(yield* written([nodes("FIL"), nodes("STORJ")]), missing)
      assert.deepStrictEqual(yield* written([], [], manifest, "failed"), [])
      assert.deepStrictEqual(yield* written([nodes("FIL"), nodes("STORJ")]), missing, "as long as it is")
      const reason = "status 500"
      const part = [{ symbol: "STORJ", metric: "*", reason }]
      assert.deepStrictEqual(yield* written([nodes("FIL"), change], part), part)
      assert.deepStrictEqual(yield* written([nodes("FIL"), nodes("STORJ"), change]), [])
      assert.deepStrictEqual(yield* written([nodes("FIL"), nodes("STORJ")]), missing)
      assert.deepStrictEqual(yield* written([nodes("FIL"), nodes("STORJ")], [], reduced), [])
      // Declared from the first run on, and nowhere.
      const never = (symbol: string, metric: string) => ({ symbol, metric, reason: neverGiven })
      yield* sql`truncate exclusion, revision, daily, latest, observation, reading_row, exchange, run`
      assert.deepStrictEqual(yield* written([nodes("FIL")]), [
        never("*", "price_change_24h_pct"),
        never("STORJ", "*")
      ])
      assert.deepStrictEqual(yield* written([nodes("FIL"), change], part), part)
      yield* sql`truncate exclusion, revision, daily, latest, observation, reading_row, exchange, run`
      assert.deepStrictEqual(
        (yield* written([]))?.map(({ metric, symbol }) => `${symbol} ${metric}`),
        ["* nodes_online", "* price_change_24h_pct", "FIL *", "STORJ *"],
        "a run of nothing"
      )
      assert.strictEqual(yield* outcomeOf(`absent-${runs}`), "unchanged", "nothing was refused")
      assert.deepStrictEqual(yield* written([], [{ symbol: "*", metric: "*", reason }]), [
        { symbol: "*", metric: "*", reason }
      ])
      assert.strictEqual(yield* outcomeOf(`absent-${runs}`), "refused")
      yield* sql`truncate exclusion, revision, daily, latest, observation, reading_row, exchange, run`
    }).pipe(Effect.provide(database))
  )
})
