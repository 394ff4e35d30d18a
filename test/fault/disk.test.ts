/** A disk under the bodies that takes no more: runs wait, and none is lost. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Logger, type Scope } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { isoTime } from "../../core/plugin/Value.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { Current } from "../../core/readings/read/Current.ts"
import * as blobFiles from "../../runtime/database/blobFiles.ts"
import { Intake } from "../../runtime/service/Intake.ts"
import { pglite } from "../support/database.ts"
import { disk, mayMount, skipped } from "../support/disk.ts"
import * as Runs from "../support/runs.ts"

const noon = Date.UTC(2026, 8, 2, 12)

/** A folder for bodies that takes none, until it is repaired. */
interface Broken {
  readonly folder: string
  readonly repair: () => void
}

const full = Effect.map(disk(1), (own): Broken => {
  own.fill()
  return { folder: join(own.path, "blobs"), repair: own.clear }
})

const readOnly = Effect.map(disk(1), (own): Broken => {
  own.readOnly(true)
  return { folder: join(own.path, "blobs"), repair: () => own.readOnly(false) }
})

/** For every user: no folder can be made where a file is. */
const inTheWay = Effect.acquireRelease(
  Effect.sync(() => {
    const path = mkdtempSync(join(tmpdir(), "plumbline-disk-"))
    const folder = join(path, "blobs")
    writeFileSync(folder, "")
    return { path, folder, repair: () => rmSync(folder) }
  }),
  ({ path }) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** Lets what is under way outside of Effect come on. */
const tick = Effect.promise(() => new Promise<void>((done) => setTimeout(done, 0)))

const runsWait = Effect.fnUntraced(function* (broken: Effect.Effect<Broken, never, Scope.Scope>) {
  yield* TestClock.setTime(noon)
  const { folder, repair } = yield* broken
  const lines: Array<string> = []
  const services = Layer.mergeAll(Ingest.layer, Intake.layer).pipe(
    Layer.provideMerge(Current.layer),
    Layer.provideMerge(blobFiles.layer(folder)),
    Layer.provideMerge(Layer.effectDiscard(Effect.orDie(partitions.ensure(noon)))),
    Layer.provideMerge(Runs.feeds),
    Layer.provideMerge(pglite),
    Layer.provideMerge(
      Logger.layer([
        Logger.make(
          ({ message }) =>
            void lines.push(
              [message]
                .flat()
                .map((part) => JSON.stringify(part))
                .join(" ")
            )
        )
      ])
    )
  )
  yield* Effect.gen(function* () {
    const intake = yield* Intake
    const sql = yield* SqlClient.SqlClient
    yield* intake.connect(yield* Ingest)
    const deliveries = [1, 2, 3].map((n) => Runs.delivery(noon, [Runs.row(n, isoTime(noon - n * 60_000))]))
    const delivering = yield* Effect.forkChild(
      Effect.forEach(deliveries, (run) => intake.deliver(run), { discard: true })
    )
    // Far beyond what the retries of a refused run would last.
    for (let n = 0; n < 50; n++) {
      yield* tick
      yield* TestClock.adjust("3 seconds")
    }
    while (lines.length === 0) yield* tick
    assert.deepStrictEqual(yield* sql`select id from run`, [])
    assert.isUndefined(delivering.pollUnsafe())
    repair()
    while (delivering.pollUnsafe() === undefined) {
      yield* tick
      yield* TestClock.adjust("3 seconds")
    }
    yield* Fiber.join(delivering)
    assert.deepStrictEqual(
      yield* sql`select id, n_rows from run order by id`,
      deliveries.map(({ run }) => ({ id: run.id, n_rows: 1 }))
    )
    // The plugin declares figures that these runs do not have.
    const ofStoring = lines.filter((line) => !line.startsWith('"figures are absent'))
    assert.match(ofStoring[0] ?? "", /^"cannot store runs; they wait until the database accepts them"/)
    assert.match(ofStoring[0] ?? "", new RegExp(`cannot write ${folder}/`))
    assert.match(ofStoring[1] ?? "", /^"runs are being stored again/)
    assert.lengthOf(ofStoring, 2)
  }).pipe(Effect.provide(services))
})

describe("runs wait, and all are kept in the end, where the disk of the bodies", () => {
  it.effect.skipIf(!mayMount)(`is full${skipped}`, () => runsWait(full))
  it.effect.skipIf(!mayMount)(`is read-only${skipped}`, () => runsWait(readOnly))
  it.effect("has a file where the folder belongs", () => runsWait(inTheWay))
})
