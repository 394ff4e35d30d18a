/** What works on a database that an earlier version left: keys, the close of days, the log and the books. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { layerWebCrypto } from "effect/crypto/SecureRandom"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { Ledger } from "../../core/credits/Ledger.ts"
import { ArchiveFiles } from "../../core/log/archive/ArchiveFiles.ts"
import { checkLog } from "../../core/log/check/checkLog.ts"
import { ServedSample } from "../../core/log/check/ServedSample.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { Log } from "../../core/log/Log.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { TrustedClock } from "../../core/readings/TrustedClock.ts"
import * as Keyring from "../../runtime/service/Keyring.ts"
import { type KeyFile, keyFilesOf, type Purpose } from "../../runtime/service/keyFiles.ts"
import * as Runs from "../support/runs.ts"
import { trustedClock } from "../support/trustedClock.ts"
import { origin, seeds, writeKey } from "./earlier.ts"

/** Epoch milliseconds of an hour in September 2026, the month of the dumps. */
export const at = (day: number, hour: number): number => Date.UTC(2026, 8, day, hour)

/** The embedded engine makes every table of the dump; on a busy machine that takes its time. */
export const minutes = 120_000

/** For keys; removed with its scope. */
export const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "plumbline-upgrade-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** The key files in a folder. */
export const filesIn = (path: string) =>
  keyFilesOf({
    dataDir: path,
    signingKeyFile: Option.some(join(path, "signing-key.pem")),
    logKeyFile: Option.some(join(path, "log-key.pem"))
  })

/** What works on a database, with the keys in these files. */
export const working = (keys: Readonly<Record<Purpose, KeyFile>>, of: string) =>
  Layer.mergeAll(DailyClose.layer, ServedSample.layer).pipe(
    Layer.provideMerge(Log.layer),
    Layer.provideMerge(Layer.mergeAll(Ingest.layer, Incidents.layer)),
    Layer.provideMerge(Current.layer),
    Layer.provideMerge(Layer.merge(Blobs.layerTable, ArchiveFiles.layerTable)),
    Layer.provideMerge(Layer.effectDiscard(partitions.ensure(at(9, 8)))),
    Layer.provideMerge(Layer.merge(Runs.feeds, layerWebCrypto)),
    Layer.provideMerge(Keyring.layer({ files: keys, origin: of, simulated: false, notice: 0 })),
    Layer.provideMerge(Layer.succeed(TrustedClock, trustedClock))
  )

/** What the books say, and every account. */
export const balances = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const report = yield* Effect.flatMap(Ledger, ({ check }) => check)
  return { report, accounts: yield* sql`select to_jsonb(a) as a from account a order by id` }
}).pipe(Effect.provide(Ledger.layer))

/** Closes the days that are due; gives them. */
export const closed = Effect.map(
  Effect.flatMap(DailyClose, ({ run }) => run),
  (days) => days.map(({ day }) => day)
)

/** After the migration of a dump with three closed days: its log holds, the next day is closed, and the log holds with that. */
export const goesOn = Effect.gen(function* () {
  const keys = filesIn(yield* folder)
  writeKey(seeds.answers, keys.answers.file)
  writeKey(seeds.first, keys.log.file)
  yield* TestClock.setTime(at(9, 8))
  yield* Effect.gen(function* () {
    assert.deepStrictEqual((yield* checkLog(true)).findings, [])
    assert.deepStrictEqual(yield* closed, ["2026-09-08"])
    const { batches, findings } = yield* checkLog(true)
    assert.deepStrictEqual([findings, batches], [[], 4])
  }).pipe(Effect.provide(working(keys, origin)))
})
