/** Who owns a feed, what an owner may write, and what the next one finds. Each layer here stands for a process. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Latch, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { isoTime } from "../../core/plugin/Value.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { chunkRows } from "../../core/readings/ingest/Registry.ts"
import { withWriterLock } from "../../core/readings/ingest/writerLock.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { Claims } from "../../runtime/cluster/Claims.ts"
import { FeedStates } from "../../runtime/cluster/FeedStates.ts"
import { hostGroups } from "../../runtime/cluster/hostGroups.ts"
import * as RunState from "../../runtime/collector/RunState.ts"
import * as RunIds from "../../runtime/collector/runIds.ts"
import { defaultBackoff } from "../../runtime/collector/runLimits.ts"
import { stateOf } from "../../runtime/collector/Supervisor.ts"
import { postgres } from "../support/database.ts"
import * as Runs from "../support/runs.ts"

const noon = Date.UTC(2026, 8, 5, 12)

const shared = Ingest.layer.pipe(
  Layer.provideMerge(Current.layer),
  Layer.provideMerge(Blobs.layerTable),
  Layer.provideMerge(Layer.effectDiscard(partitions.ensure(noon))),
  Layer.provideMerge(Runs.feeds),
  Layer.provideMerge(Layer.succeed(chunkRows, 2)),
  Layer.provideMerge(postgres)
)

/** A process of its own over the same database. */
const joining = Effect.map(
  Layer.build(Layer.fresh(Layer.provideMerge(FeedStates.layer, Claims.layer))),
  (context) => ({
    ...Context.get(context, Claims),
    feedStates: Context.get(context, FeedStates)
  })
)

const claimed = Effect.fnUntraced(function* (claims: Claims["Service"]) {
  const [owned] = yield* claims.claim(["testnet"])
  assert.isDefined(owned)
  return owned
})

const run = (n: number, epoch: number | undefined, rows = 1) => ({
  ...Runs.delivery(
    noon + n,
    Array.from({ length: rows }, (_, row) => Runs.row(100 + n + row, isoTime(noon + n * 1000 + row * 1000)))
  ),
  ...(epoch === undefined ? {} : { epoch })
})

describe("ownership of a feed", () => {
  it.effect("moves with its epoch: what its former owner still has is refused", () =>
    Effect.gen(function* () {
      const ingest = yield* Ingest
      const sql = yield* SqlClient.SqlClient
      const [a, b] = [yield* joining, yield* joining]
      const first = yield* claimed(a)
      assert.strictEqual(first.epoch, 1)
      yield* ingest.write(run(1, first.epoch))
      const second = yield* claimed(b)
      assert.strictEqual(second.epoch, 2)
      const refused = yield* Effect.flip(ingest.write(run(2, first.epoch)))
      assert.strictEqual(refused._tag, "RunFenced")
      assert.match(
        refused.message,
        /^the run of testnet began under ownership 1; the feed belongs to .+ \(ownership 2\) now$/
      )
      yield* ingest.write(run(3, second.epoch))
      assert.deepStrictEqual(yield* sql`select value from observation order by value`, [
        { value: 101 },
        { value: 103 }
      ])
      assert.deepStrictEqual(yield* sql`select count(*)::int as n from run`, [{ n: 2 }])
    }).pipe(Effect.provide(shared))
  )

  it.effect(
    "waits for a run that is being written, and keeps its epoch if nobody else had it meanwhile",
    () =>
      Effect.gen(function* () {
        const ingest = yield* Ingest
        const [a, b] = [yield* joining, yield* joining]
        const { epoch } = yield* claimed(a)
        assert.strictEqual((yield* claimed(a)).epoch, epoch)
        // The run's transaction waits for this lock with the owner's row in its hands.
        const go = yield* Latch.make(false)
        const blocker = yield* Effect.forkChild(withWriterLock(go.await))
        const writing = yield* Effect.forkChild(ingest.write(run(1, epoch)))
        const taking = yield* Effect.forkChild(claimed(b))
        yield* go.open
        yield* Fiber.join(blocker)
        const exit = yield* Fiber.await(writing)
        const owned = yield* Fiber.join(taking)
        assert.strictEqual(owned.epoch, 2)
        // Whichever came first: a stored run is known to the next owner, and one that was refused is not stored.
        assert.strictEqual(owned.lastRun !== undefined, exit._tag === "Success")
      }).pipe(Effect.provide(shared))
  )

  it.effect("makes nobody else wait while it waits", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [a, b] = [yield* joining, yield* joining]
      yield* claimed(a)
      const [locked, go] = [yield* Latch.make(false), yield* Latch.make(false)]
      const stored = yield* sql`select 1 from feed_owner where plugin = 'testnet' for share`.pipe(
        Effect.andThen(locked.open),
        Effect.andThen(go.await),
        sql.withTransaction,
        Effect.forkChild
      )
      yield* locked.await
      const ask = Effect.all(
        Array.from({ length: 64 }, () => sql`select 1`),
        { concurrency: "unbounded", discard: true }
      )
      yield* ask
      const taking = yield* Effect.forkChild(claimed(b))
      for (let n = 0; n < 20; n++) yield* ask
      assert.isUndefined(taking.pollUnsafe())
      yield* go.open
      yield* Fiber.join(stored)
      assert.strictEqual((yield* Fiber.join(taking)).epoch, 2)
    }).pipe(Effect.provide(shared))
  )

  it.effect("goes with what was left half-written, and with the schedule", () =>
    Effect.gen(function* () {
      const ingest = yield* Ingest
      const sql = yield* SqlClient.SqlClient
      const [a, b] = [yield* joining, yield* joining]
      const { epoch } = yield* claimed(a)
      const long = run(1, epoch, 5)
      yield* sql.unsafe("alter table observation add constraint broken check (value < 104)")
      assert.strictEqual((yield* Effect.flip(ingest.write(long)))._tag, "SqlError")
      yield* sql.unsafe("alter table observation drop constraint broken")
      const fared = RunState.started(RunState.fresh("testnet", 900_000, noon, defaultBackoff), noon)
      a.feedStates.note(stateOf("testnet", "running", fared, undefined), fared)
      yield* a.feedStates.flush

      const owned = yield* claimed(b)
      assert.deepStrictEqual(owned, { plugin: "testnet", epoch: 2, lastRun: long.run.id, before: fared })
      assert.deepStrictEqual(yield* ingest.recover("testnet", owned.epoch), [long.run.id])
      assert.deepStrictEqual(yield* sql`select complete from run`, [{ complete: true }])
      // The former owner comes back to its run.
      assert.deepStrictEqual(yield* ingest.write(long), { fresh: 0, revised: 0, excluded: 0 })

      // Nor does it say any more how the feed fares.
      const later = RunState.failed(fared, 900_000, noon, "late", defaultBackoff)
      a.feedStates.note(stateOf("testnet", "failing", later, "late"), later)
      b.feedStates.note(stateOf("testnet", "waiting", fared, undefined), fared)
      yield* b.feedStates.flush
      yield* a.feedStates.flush
      assert.deepStrictEqual(yield* sql`select epoch, state->>'state' as state from feed_state`, [
        { epoch: 2, state: "waiting" }
      ])
    }).pipe(Effect.provide(shared))
  )
})

describe("host groups", () => {
  const feed = (id: string, ...hosts: ReadonlyArray<string>) => ({ id, hosts })

  it("hold the feeds that share a host, also through others, in an order that every process finds", () => {
    const feeds = [feed("d", "h4"), feed("c", "h2", "h3"), feed("a", "h1"), feed("b", "h1", "h2"), feed("e")]
    assert.deepStrictEqual(hostGroups(feeds), [["a", "b", "c"], ["d"], ["e"]])
    assert.deepStrictEqual(hostGroups(feeds.toReversed()), hostGroups(feeds))
  })
})

describe("ids of runs", () => {
  it("come after the last one, also when the clock of another machine was ahead", () => {
    const early = "0190a000-0000-7abc-8def-000000000001"
    const late = "0190a000-0005-7000-8000-000000000000"
    assert.strictEqual(RunIds.after(undefined, early), early)
    assert.strictEqual(RunIds.after(early, late), late)
    const moved = RunIds.after(late, early)
    assert.strictEqual(moved, "0190a000-0006-7abc-8def-000000000001")
    assert.isAbove(RunIds.after(moved, early) > moved ? 1 : 0, 0)
  })
})
