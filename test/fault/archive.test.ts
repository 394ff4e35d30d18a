/** A process that is killed while it archives has published whole files and nothing else, and the next one goes on. */
import { spawn } from "node:child_process"
import { createHash, randomInt } from "node:crypto"
import { createInterface } from "node:readline"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Logger, Schema, Stream } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Archive } from "../../core/log/archive/Archive.ts"
import { ArchiveFiles, keyOf } from "../../core/log/archive/ArchiveFiles.ts"
import { checkLog } from "../../core/log/check/checkLog.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { isBatch, parseEntry } from "../../core/proof/entry.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { rowsOf } from "../../core/sql/rows.ts"
import * as Archives from "../support/archive.ts"
import { compiled } from "../support/compiled.ts"
import { cloneUrl } from "../support/database.ts"
import * as Runs from "../support/runs.ts"
import { services } from "./archiver.ts"

type Environment = Readonly<Record<string, string>>

const day = 86_400_000
/** Enough for a file of a month. */
const days = 33
const series = 40
const rounds = Number(process.env["KILLS"] ?? 1)

const fileRows = rowsOf({
  name: Schema.String,
  sha256: Schema.String,
  bytes: Schema.Int,
  log_index: Schema.NullOr(Schema.Int)
})

/** Closed days, the last of them the day before yesterday. */
const fill = Effect.gen(function* () {
  const ingest = yield* Ingest
  const sql = yield* SqlClient.SqlClient
  const today = Math.floor(Date.now() / day) * day
  yield* partitions.ensure(today - days * day)
  yield* partitions.ensure(today)
  for (let ago = days; ago > 1; ago--) {
    const at = today - ago * day + day / 2
    const rows = Array.from({ length: series }, (_, index) =>
      Runs.row(1000 + ago + index, isoTime(at), { symbol: `S${index}` })
    )
    const { bodies, run } = Runs.delivery(at, rows)
    yield* ingest.write({ bodies, run: { ...run, id: `run-archive-${ago}`, simulated: true } })
  }
  while ((yield* (yield* DailyClose).run).length > 0);
  const [closed] = yield* sql<{ n: number }>`select count(*)::int as n from batch where closed_at is not null`
  assert.isAtLeast(closed?.n ?? 0, days - 2)
})

/** How an archiver ends: by itself while it stores its nth file, or killed after so many milliseconds. */
type End = { readonly storing: number } | { readonly after: number }

const archiving = async (environment: Environment, end: End) => {
  const script = new URL("archiver.ts", import.meta.url).pathname
  const child = spawn(process.execPath, "storing" in end ? [script, String(end.storing)] : [script], {
    env: { ...environment, ...compiled },
    stdio: ["ignore", "pipe", "inherit"]
  })
  const ended = new Promise<NodeJS.Signals | null>((resolve) =>
    child.once("exit", (_, signal) => resolve(signal))
  )
  for await (const line of createInterface({ input: child.stdout })) {
    if (line === "begins" && "after" in end) setTimeout(() => child.kill("SIGKILL"), end.after)
  }
  return await ended
}

/** Each published file is stored whole, and the log commits to it and to nothing else. Returns how many there are. */
const consistent = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { read } = yield* ArchiveFiles
  const files = yield* sql`select name, sha256, bytes::int as bytes, log_index from archive_file`.pipe(
    fileRows
  )
  const entries = (yield* sql<{ text: string; place: number }>`select text, place from log_entry`).flatMap(
    ({ place, text }) => {
      const entry = parseEntry(text)
      return isBatch(entry) || entry.kind !== "archive" ? [] : [`${place} ${entry.subject} ${entry.sha256}`]
    }
  )
  assert.deepStrictEqual(
    entries.toSorted(),
    files.map(({ log_index, name, sha256 }) => `${log_index} ${name} ${sha256}`).toSorted()
  )
  for (const { bytes, name, sha256 } of files) {
    const hash = createHash("sha256")
    yield* Stream.runForEach(read(keyOf(name, sha256), 0, bytes), (part) =>
      Effect.sync(() => hash.update(part))
    )
    assert.strictEqual(hash.digest("hex"), sha256, name)
  }
  return files.length
})

const within = <A, E, R>(environment: Environment, work: Effect.Effect<A, E, R>) =>
  work.pipe(
    Effect.provide(services),
    Effect.provide(Logger.layer([])),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(environment))
  )

const places: Readonly<Record<string, () => Environment>> = {
  "in a folder": () => ({ ARCHIVE_DIR: Archives.temporary() }),
  "in the database": () => ({})
}

describe.each(Object.entries(places))("a process killed while it archives %s", (_, more) => {
  it.live(
    "has published whole files alone, and the next one goes on",
    () =>
      Effect.gen(function* () {
        const environment: Environment = {
          DATABASE_URL: yield* cloneUrl,
          DATA_DIR: Archives.temporary(),
          SIGNING_KEY_FILE: "unused",
          LOG_KEY_FILE: "unused",
          SERVER_SECRET_FILE: "unused",
          ...more()
        }
        yield* within(environment, fill)
        const published: Array<number> = []
        // Those that end while they store come first: a fast machine is done before the random ones are killed.
        for (const end of [
          { storing: 2 },
          { storing: 1 },
          ...Array.from({ length: rounds }, () => ({ after: randomInt(20, 600) }))
        ]) {
          const signal = yield* Effect.promise(() => archiving(environment, end))
          if ("storing" in end) assert.strictEqual(signal, "SIGKILL")
          published.push(yield* within(environment, consistent))
        }
        assert.deepStrictEqual(
          published,
          published.toSorted((a, b) => a - b)
        )
        yield* within(
          environment,
          Effect.gen(function* () {
            yield* (yield* Archive).run
            // Every day, and at least one month.
            assert.isAtLeast(yield* consistent, days - 1)
            assert.deepStrictEqual(yield* (yield* Archive).run, [])
            const { findings } = yield* checkLog(true)
            assert.deepStrictEqual(
              findings.filter(({ what }) => what !== "latest"),
              []
            )
          })
        )
      }),
    180_000
  )
})
