/** Rows of a series that another plugin owns are refused, whatever its manifest declares. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import type { Manifest } from "../../../core/plugin/Manifest.ts"
import { Feeds } from "../../../core/readings/Feeds.ts"
import { Blobs } from "../../../core/readings/ingest/Blobs.ts"
import { Ingest } from "../../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../../core/readings/ingest/partitions.ts"
import { Current } from "../../../core/readings/read/Current.ts"
import { onBothEngines } from "../../support/database.ts"
import * as Runs from "../../support/runs.ts"
import { noon } from "./ingestSuite.ts"

const copy: Manifest = { ...Runs.manifest, id: "copy" }

const { nodes_online: _, ...without } = Runs.manifest.metrics
/** The first plugin, once it has given up the metric. */
const reduced: Manifest = { ...Runs.manifest, metrics: without }

const write = Effect.fnUntraced(function* (plugin: string, value: number, as_of: string) {
  const delivery = Runs.delivery(noon, [Runs.row(value, as_of)])
  return yield* (yield* Ingest).write({
    ...delivery,
    run: { ...delivery.run, plugin, id: `${plugin}-${as_of}` }
  })
})

onBothEngines("the owner of a series", (database) => {
  it.effect(
    "writes alone, after a restart as well, until its manifest does not declare the series any more",
    () =>
      Effect.gen(function* () {
        /** A service that starts with these manifests. */
        const started = <A, E>(
          manifests: ReadonlyArray<Manifest>,
          work: Effect.Effect<A, E, Ingest | SqlClient.SqlClient>
        ) =>
          work.pipe(
            Effect.provide(
              Layer.fresh(
                Ingest.layer.pipe(
                  Layer.provideMerge(Current.layer),
                  Layer.provideMerge(Layer.effectDiscard(partitions.ensure(noon))),
                  Layer.provideMerge(Blobs.layerTable),
                  Layer.provide(
                    Layer.succeed(Feeds, Feeds.of({ manifests, states: Effect.succeed(new Map()) }))
                  )
                )
              )
            )
          )
        const sql = yield* SqlClient.SqlClient
        const both = [copy, Runs.manifest]
        yield* TestClock.setTime(noon)
        yield* started([Runs.manifest], write("testnet", 100, "2026-09-05T11:00:00Z"))
        for (const as_of of ["2026-09-05T11:01:00Z", "2026-09-05T11:02:00Z"]) {
          const written = yield* started(both, write("copy", 1, as_of))
          assert.strictEqual(written.fresh, 0)
        }
        assert.deepStrictEqual(yield* sql`select plugin from series`, [{ plugin: "testnet" }])
        assert.strictEqual((yield* started(both, write("testnet", 101, "2026-09-05T11:03:00Z"))).fresh, 1)
        const next = yield* started([copy, reduced], write("copy", 102, "2026-09-05T11:04:00Z"))
        assert.strictEqual(next.fresh, 1)
        assert.deepStrictEqual(yield* sql`select plugin from series`, [{ plugin: "copy" }])
      }).pipe(Effect.provide(database))
  )
})
