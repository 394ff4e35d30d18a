/** The operator's permissions in the log: each change once, numbered, and read by the monitor. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { IncidentLog } from "../../core/log/IncidentLog.ts"
import { Log } from "../../core/log/Log.ts"
import { document } from "../../core/log/record/files.ts"
import { isBatch, parseEntry } from "../../core/proof/entry.ts"
import { parsePermissionsDocument, permissionsText } from "../../core/proof/permissions.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { type Grant, none, Permissions } from "../../core/rights/Permissions.ts"
import { onBothEngines } from "../support/database.ts"
import * as LogKeys from "../support/logKey.ts"
import * as Runs from "../support/runs.ts"

const noon = Date.UTC(2026, 8, 5, 12)
const grant: Grant = {
  feed: "testnet",
  uses: ["sell"],
  from: "2026-09-01",
  until: "2026-12-31",
  reference: "letter 7"
}

onBothEngines("the permissions in the log", (database) => {
  const services = Log.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(Ingest.layer, Incidents.layer)),
    Layer.provideMerge(Current.layer),
    Layer.provideMerge(Blobs.layerTable),
    Layer.provideMerge(Layer.effectDiscard(Effect.orDie(partitions.ensure(noon)))),
    Layer.provideMerge(Runs.feeds),
    Layer.provideMerge(LogKeys.layer()),
    Layer.provideMerge(database)
  )

  /** What a process with these permissions writes. */
  const run = (grants: ReadonlyArray<Grant>) =>
    Effect.flatMap(IncidentLog, ({ run }) => run).pipe(
      Effect.provide(IncidentLog.layer.pipe(Layer.provide(Layer.succeed(Permissions, { ...none, grants }))), {
        local: true
      })
    )

  const stated = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ text: string }>`select text from log_entry order by place`
    const entries = rows.map(({ text }) => parseEntry(text)).filter((entry) => !isBatch(entry))
    const bodies = yield* Effect.forEach(
      entries.filter((entry) => !isBatch(entry) && entry.kind === "permissions"),
      (entry) =>
        isBatch(entry) ? Effect.die("a batch") : Effect.map(document(entry.sha256), ({ body }) => body)
    )
    return bodies.map(parsePermissionsDocument)
  })

  layer(services)((it) => {
    it.effect("state all of them whenever they change, and nothing where there never was one", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(noon)
        yield* run([])
        assert.deepStrictEqual(yield* stated, [])
        yield* run([grant])
        yield* run([grant])
        yield* run([])
        yield* run([grant])
        const documents = yield* stated
        assert.deepStrictEqual(
          documents.map(({ n, permissions }) => [n, permissions.map(({ reference }) => reference)]),
          [
            [1, ["letter 7"]],
            [2, []],
            [3, ["letter 7"]]
          ]
        )
      })
    )

    it.effect("are refused where they say nothing, or end before they begin", () =>
      Effect.sync(() => {
        const of = { v: "service-permissions-v1", n: 1 } as const
        assert.throws(() => permissionsText({ ...of, permissions: [{ ...grant, uses: [] }] }), /names no use/)
        assert.throws(
          () => permissionsText({ ...of, permissions: [{ ...grant, until: "2026-08-31" }] }),
          /before 2026-09-01/
        )
      })
    )
  })
})
