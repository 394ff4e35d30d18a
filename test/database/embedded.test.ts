/** What is the embedded engine's alone: its memory, and a disk under it that is full or read-only. */
import { fork } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Worker } from "node:worker_threads"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { inject } from "vitest"
import * as Pglite from "../../runtime/database/Pglite.ts"
import { prepare } from "../support/dataDirectory.ts"
import { disk, mayMount, skipped } from "../support/disk.ts"

/** Bytes that the heap of a thread retains: a snapshot collects all garbage first. */
const retained = (thread: Worker) =>
  Effect.promise(async () => {
    const snapshot = await thread.getHeapSnapshot()
    snapshot.resume()
    await once(snapshot, "end")
    return (await thread.getHeapStatistics()).used_heap_size
  })

describe("the embedded engine", () => {
  it.live(
    "retains nothing of the rows that were read",
    () =>
      Effect.gen(function* () {
        const threads: Array<Worker> = []
        const add = (worker: Worker) => threads.push(worker)
        process.on("worker", add)
        const rows = yield* Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const [thread] = threads
          if (thread === undefined) return yield* Effect.die("the engine has no thread")
          const read = Effect.asVoid(sql`select n, n::text as text from generate_series(1, 1000) as n`)
          yield* Effect.repeat(read, { times: 9 })
          const before = yield* retained(thread)
          yield* Effect.repeat(read, { times: 99 })
          return (yield* retained(thread)) - before
        }).pipe(Effect.provide(Pglite.layer({ load: readFileSync(inject("pgliteDump")) })))
        process.off("worker", add)
        // A hundred thousand rows as objects of their own take 20 MiB.
        assert.isBelow(rows, 2 * 2 ** 20)
      }),
    120_000
  )

  it.live(
    "makes its folder whole, over what a killed process left, and keeps few buffers",
    () =>
      Effect.gen(function* () {
        const folder = yield* Effect.acquireRelease(
          Effect.sync(() => mkdtempSync(join(tmpdir(), "plumbline-test-"))),
          (path) => Effect.sync(() => rmSync(path, { recursive: true }))
        )
        const dataDir = join(folder, "pglite")
        for (const left of [".new", "-0", ".new-0123abcd"])
          mkdirSync(`${dataDir}${left}/base`, { recursive: true })
        writeFileSync(`${dataDir}.new/PG_VERSION`, "half")
        const buffers = yield* SqlClient.SqlClient.use((sql) => sql`show shared_buffers`).pipe(
          Effect.provide(Pglite.layer({ dataDir }))
        )
        assert.deepStrictEqual(buffers, [{ shared_buffers: "32MB" }])
        assert.deepStrictEqual(readdirSync(folder).sort(), ["pglite", "pglite-0"])
      }),
    120_000
  )

  it.live.skipIf(!mayMount)(`ends the process with one line once its disk is full${skipped}`, () =>
    Effect.gen(function* () {
      const { path } = yield* disk(80)
      prepare(path)
      const { code, stderr } = yield* Effect.promise(
        () =>
          new Promise<{ code: number | null; stderr: string }>((resolve) => {
            const child = fork(new URL("filling.ts", import.meta.url), [path], {
              silent: true,
              execPath: process.execPath
            })
            let stderr = ""
            child.stderr?.on("data", (text) => {
              stderr += String(text)
            })
            child.once("close", (code) => resolve({ code, stderr }))
          })
      )
      assert.strictEqual(code, 1)
      assert.match(
        stderr,
        /^plumbline: the embedded database stopped: it aborted; the disk of \S+ is nearly full \(\d+ MiB free\)\. Committed data is safe; start again\.\n$/
      )
    })
  )

  it.live.skipIf(!mayMount)(`says why it cannot be opened on a full or read-only disk${skipped}`, () =>
    Effect.gen(function* () {
      const full = yield* disk(1)
      const dataDir = `${full.path}/pglite`
      const refused = Effect.map(Effect.flip(Pglite.make({ dataDir })), ({ message }) => message)
      assert.strictEqual(
        yield* refused,
        `the embedded database in ${dataDir} cannot be opened: no space left on the disk; the disk of ${dataDir} is nearly full (0 MiB free)`
      )
      const frozen = yield* disk(1)
      frozen.readOnly(true)
      const { message } = yield* Effect.flip(Pglite.make({ dataDir: `${frozen.path}/pglite` }))
      assert.match(message, /^the embedded database in \S+ cannot be opened: .*read-only/)
    })
  )
})
