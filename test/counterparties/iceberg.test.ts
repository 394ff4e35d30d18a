/** The archive as a table of Apache Iceberg, read over HTTP by icebird, which is not ours. */
import { once } from "node:events"
import { readFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { parquetReadObjects } from "hyparquet"
import { Archive } from "../../core/log/archive/Archive.ts"
import { FileMaker } from "../../core/log/archive/FileMaker.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { PublicAddress } from "../../core/log/record/attest.ts"
import { publish } from "../../core/log/record/publish/publish.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { folderPlace } from "../../runtime/outside/publishPlace.ts"
import * as Archives from "../support/archive.ts"
import { freePort } from "../support/freePort.ts"
import { layerNeeding } from "../support/layerNeeding.ts"
import * as Runs from "../support/runs.ts"
import { Service } from "../support/service.ts"
import { installed } from "./installed.ts"

const { icebergMetadata, icebergRead } = await installed(() => import("icebird"))
const { IcebergRestCatalog } = await installed(() => import("iceberg-js"))

const length = 86_400_000
const first = Date.parse("2026-08-20")
const n = 30
const dateAt = (at: number) => new Date(at).toISOString().slice(0, 10)
const days = Array.from({ length: n }, (_, i) => dateAt(first + i * length))

/** So many of the first days have files as they were before licences and bounds. */
const nOld = 4
let isOld = true

/** Drafts as an earlier version made them, and later as this one does. */
const drafts = Layer.effect(
  FileMaker,
  Effect.map(FileMaker, ({ make, tally }) =>
    FileMaker.of({ make: (plan, rights) => make(plan, isOld ? null : rights), tally })
  )
).pipe(Layer.provide(Archives.drafts))

/** Days of one or two rows, across the end of a month; one has a late value of an earlier day as well. */
const filled = Effect.gen(function* () {
  yield* partitions.ensure(first + (n + 2) * length)
  const sql = yield* SqlClient.SqlClient
  for (const [i, date] of days.entries()) {
    isOld = i < nOld
    const noon = first + i * length + length / 2
    yield* TestClock.setTime(noon)
    const late = i === 20 ? [Runs.row(1000.25, `${days[18]}T11:00:00Z`)] : []
    const rows = ["FIL", "STORJ"]
      .slice(0, (i % 2) + 1)
      .map((symbol, k) => Runs.row(1000 + i * 10 + k + 0.5, `${date}T10:00:0${k}.250Z`, { symbol }))
    yield* (yield* Ingest).write(Runs.delivery(noon, [...late, ...rows]))
    yield* TestClock.setTime(noon + 20 * 3_600_000)
    yield* (yield* DailyClose).run
    yield* (yield* Archive).run
    if (isOld) yield* sql`update archive_file set rights = null, bounds = null`
  }
})

const port = await freePort()
const services = Archive.layer.pipe(
  Layer.provide(drafts),
  Layer.provideMerge(Service.layer({ manifests: [Runs.manifest], port }))
)
const root = `http://127.0.0.1:${port}/v1/archive`
const tableUrl = `${root}/iceberg`

/** The rows of the file of each day, in their order, as our own reader has them; older ones without a licence. */
const own = async (): Promise<ReadonlyArray<ReadonlyArray<Record<string, unknown>>>> => {
  const rows: Array<ReadonlyArray<Record<string, unknown>>> = []
  // One after the other: of one network few wait at a time.
  for (const date of days) {
    const answer = await fetch(`${root}/daily/${date.replaceAll("-", "/")}.parquet`)
    assert.strictEqual(answer.status, 200, answer.headers.get("content-type") ?? "")
    rows.push(await parquetReadObjects({ file: await answer.arrayBuffer() }))
  }
  return rows
}

/** The rows of the days as the table has them at its newest: with a licence once a day has one, without a value where its file has none. */
const inTable = (byDay: Awaited<ReturnType<typeof own>>) => {
  const rows = byDay.flat()
  return rows.some((row) => "licence" in row) ? rows.map((row) => ({ licence: undefined, ...row })) : rows
}

/** The paths that the static server was asked for, each once. */
const requested: Array<string> = []

/** Serves a folder, and nothing more: its port. */
const statics = (folder: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer((request, response) => {
        const path = new URL(request.url ?? "/", "http://localhost").pathname
        if (!requested.includes(path)) requested.push(path)
        readFile(join(folder, path)).then(
          (bytes) => {
            const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? []
            if (from === undefined) return response.end(bytes)
            response.statusCode = 206
            return response.end(bytes.subarray(Number(from), Number(to) + 1))
          },
          () => {
            response.statusCode = 404
            response.end()
          }
        )
      })
      server.listen(0, "127.0.0.1")
      await once(server, "listening")
      return server
    }),
    (server) => Effect.sync(() => server.close())
  ).pipe(Effect.map((server) => (server.address() as AddressInfo).port))

layerNeeding("counterparties")(services)("the table", (it) => {
  it.effect(
    "has a snapshot of each day that icebird reads row for row",
    () =>
      Effect.gen(function* () {
        yield* filled
        yield* Effect.promise(async () => {
          const metadata = await icebergMetadata({ tableUrl })
          const snapshots = metadata.snapshots ?? []
          assert.deepStrictEqual(
            snapshots.map((each) => each["snapshot-id"]),
            days.map((date) => Number(date.replaceAll("-", "")))
          )
          const byDay = await own()
          assert.deepStrictEqual(
            byDay.map((rows) => rows.every((row) => "licence" in row)),
            days.map((_, i) => i >= nOld)
          )
          assert.deepStrictEqual(
            byDay.map(({ length }) => length),
            days.map((_, i) => (i % 2) + (i === 20 ? 2 : 1))
          )
          for (const [i, snapshot] of snapshots.entries()) {
            const then = {
              ...metadata,
              "current-snapshot-id": snapshot["snapshot-id"],
              "current-schema-id": snapshot["schema-id"] ?? assert.fail("no schema")
            }
            const rows = inTable(byDay.slice(0, i + 1))
            assert.deepStrictEqual(await icebergRead({ tableUrl, metadata: then }), rows, days[i])
            assert.strictEqual(snapshot.summary["total-records"], String(rows.length))
          }
          // A version is the table as it was.
          const early = await icebergRead({ tableUrl, metadataFileName: "v7.metadata.json" })
          assert.deepStrictEqual(early, inTable(byDay.slice(0, 7)))
        })
      }),
    300_000
  )

  it.effect("is attached by its address, by a client of Iceberg's REST catalog", () =>
    Effect.promise(async () => {
      const options = { baseUrl: `http://127.0.0.1:${port}/iceberg`, auth: { type: "none" } } as const
      const catalog = new IcebergRestCatalog({ ...options, warehouse: "any" })
      const unconfigured = await new IcebergRestCatalog(options).listNamespaces()
      assert.deepStrictEqual(unconfigured, await catalog.listNamespaces())
      assert.deepStrictEqual((await catalog.listNamespaces()).namespaces, [{ namespace: ["plumbline"] }])
      const namespace = ["plumbline"]
      assert.isEmpty((await catalog.listNamespaces({ parent: { namespace } })).namespaces)
      assert.isTrue(await catalog.namespaceExists({ namespace }))
      assert.isFalse(await catalog.namespaceExists({ namespace: ["other"] }))
      assert.isDefined(await catalog.loadNamespaceMetadata({ namespace }))
      const { identifiers } = await catalog.listTables({ namespace })
      assert.deepStrictEqual(identifiers, [{ namespace, name: "leaves" }])
      assert.isTrue(await catalog.tableExists({ namespace, name: "leaves" }))
      assert.isFalse(await catalog.tableExists({ namespace, name: "other" }))
      const result = await catalog.loadTableResult({ namespace, name: "leaves" })
      if (result === null) return assert.fail("no table")
      const { metadata } = result
      const { location: at = "" } = metadata
      assert.strictEqual(result["metadata-location"], `${tableUrl}/metadata/v${n}.metadata.json`)
      const rows = await icebergRead({ tableUrl: at, metadata: metadata as never })
      assert.deepStrictEqual(rows, inTable(await own()))
      for (const [name, type] of [
        ["plumbline/tables/other", "NoSuchTableException"],
        ["other/tables/leaves", "NoSuchNamespaceException"]
      ] as const) {
        const refused = await fetch(`http://127.0.0.1:${port}/iceberg/v1/namespaces/${name}`)
        assert.strictEqual(refused.status, 404)
        const { error } = (await refused.json()) as { readonly error: object }
        assert.deepInclude(error, { type, code: 404 })
      }
    })
  )

  it.effect(
    "is in a place of static files that needs nothing else",
    () =>
      Effect.gen(function* () {
        const folder = Archives.temporary()
        const address = `http://127.0.0.1:${yield* statics(folder)}`
        const { faults } = yield* publish(folderPlace(folder), () => Effect.void).pipe(
          Effect.provideService(PublicAddress, address)
        )
        assert.deepStrictEqual(faults, [])
        const rows = yield* Effect.promise(() => icebergRead({ tableUrl: `${address}/v1/archive/iceberg` }))
        assert.deepStrictEqual(rows, inTable(yield* Effect.promise(own)))
        assert.isFalse(requested.some((path) => path.startsWith("/v1/log/")))
        assert.lengthOf(
          requested.filter((path) => path.endsWith(".parquet")),
          n
        )
      }),
    120_000
  )
})
