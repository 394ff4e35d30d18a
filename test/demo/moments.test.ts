/** A past of three days on ordinary engines: an operator acts, days close, and a killed demo meets its past again. */
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Layer, Queue } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { Claimant } from "../../core/log/claims.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { Log, LogKey } from "../../core/log/Log.ts"
import { RunLog } from "../../core/log/RunLog.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { parseNote, verifierOf, verifyNote } from "../../core/proof/checkpoint.ts"
import { isBatch, parseEntry } from "../../core/proof/entry.ts"
import { parseLeaf } from "../../core/proof/leaf.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { TrustedClock } from "../../core/readings/TrustedClock.ts"
import { UpstreamClock } from "../../core/readings/UpstreamClock.ts"
import { Demo, type Moment } from "../../runtime/demo/Demo.ts"
import { happen } from "../../runtime/demo/pastEvents.ts"
import { cutOffOf, incident, rotated } from "../../runtime/demo/script.ts"
import * as Keys from "../../runtime/service/Keyring.ts"
import { rotateLog } from "../../runtime/service/newKeys.ts"
import { start } from "../../runtime/tape/instants.ts"
import { onBothEngines } from "../support/database.ts"
import { filesIn, newFolder, origin } from "../support/keyring.ts"
import * as Runs from "../support/runs.ts"

const days = ["2026-08-24", "2026-08-25", "2026-08-26"]

const steps = [
  ...[rotated, incident.opened, incident.closed, ...days.map(cutOffOf)].map((at) => ({ at, reads: false })),
  ...days.map((day) => ({ at: Date.parse(`${day}T07:00:00Z`), reads: true }))
].sort((a, b) => a.at - b.at)

/** A reading of the series that the incident is about; its value tells the day. */
const reading = (at: number) => {
  const row = Runs.row(new Date(at).getUTCDate(), isoTime(at), { symbol: incident.range.symbol })
  const { bodies, run } = Runs.delivery(at, [row])
  return { bodies, run: { ...run, id: `run-${at}`, simulated: true as const } }
}

onBothEngines("the demo's past", (database) => {
  const services = Layer.merge(DailyClose.layer, RunLog.layer).pipe(
    Layer.provideMerge(Log.layer),
    Layer.provideMerge(Layer.mergeAll(Ingest.layer, Incidents.layer)),
    Layer.provideMerge(Current.layer),
    Layer.provideMerge(Blobs.layerTable),
    Layer.provideMerge(Layer.succeed(Claimant, "the owner of the directory")),
    Layer.provideMerge(Runs.feeds),
    Layer.provideMerge(
      Layer.suspend(() =>
        Keys.layer({ files: filesIn(newFolder()), origin, simulated: true, notice: 0, logSince: rotated - 1 })
      )
    ),
    Layer.provideMerge(TrustedClock.layer),
    Layer.provideMerge(UpstreamClock.layer),
    Layer.provideMerge(Layer.effectDiscard(partitions.ensure(start))),
    Layer.provideMerge(database),
    Layer.orDie
  )

  layer(services)((it) => {
    const latest = Effect.flatMap(Current, ({ snapshot }) =>
      Effect.map(snapshot, ({ rows }) => rows.map(({ row }) => row.value))
    )

    /** One life of a demo, killed before `until`: what it told of, and the latest value after each step. */
    const live = Effect.fnUntraced(function* (until: number) {
      const moments = yield* Queue.unbounded<Moment>()
      const demo = Demo.of({
        manifests: Effect.succeed([]),
        states: Effect.succeed(new Map()),
        newest: Effect.void,
        moments,
        past: Effect.void
      })
      const closed: Array<string> = []
      const visible = new Set<number>()
      const ingest = yield* Ingest
      yield* ingest.preview(reading(start))
      yield* Effect.provideService(
        happen({ onClosed: (day) => Effect.sync(() => void closed.push(day)), rotateLog }),
        Demo,
        demo
      )
      for (const { at, reads } of steps.filter(({ at }) => at < until)) {
        if (reads) yield* ingest.write(reading(at))
        else {
          const reached = yield* Deferred.make<void>()
          yield* Queue.offer(moments, { at, reached: () => Deferred.doneUnsafe(reached, Effect.void) })
          yield* Deferred.await(reached)
        }
        for (const value of yield* latest) visible.add(value)
      }
      return { closed, visible: [...visible] }
    }, Effect.scoped)

    const texts = Effect.fnUntraced(function* (of: "log" | "leaves") {
      const sql = yield* SqlClient.SqlClient
      const rows = yield* of === "log"
        ? sql<{ text: string }>`select text from log_entry order by place limit 100`
        : sql<{
            text: string
          }>`select text from leaf where series is not null order by batch, place limit 100`
      return rows.map(({ text }) => text)
    })

    it.effect("goes on where it was killed: nothing is done twice, and the log is the same in the end", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(start)
        const before = yield* live(incident.closed)
        const log = yield* texts("log")
        const after = yield* live(Infinity)
        assert.deepStrictEqual((yield* texts("log")).slice(0, log.length), log)
        assert.deepStrictEqual(after.closed, days)
        assert.strictEqual(before.closed.length, 3)

        const kinds = (yield* texts("log")).map((text) => {
          const entry = parseEntry(text)
          return isBatch(entry) ? entry.days.join() : entry.kind === "runs" ? entry.subject : entry.kind
        })
        // The runs of the hour before each close; of none of them is told twice.
        assert.deepStrictEqual(kinds, [
          "rotation",
          "keys",
          ...["2026-08-24T07", "2026-08-25T07"],
          "incidents",
          ...["2026-08-24", "origin"],
          ...["2026-08-26T07", "2026-08-25", "origin"],
          ...["2026-08-26", "origin"]
        ])
        const leaves = (yield* texts("leaves")).map((text) => parseLeaf(text))
        assert.deepStrictEqual(
          leaves.map((leaf) => ("value" in leaf ? [leaf.value, leaf.excluded_by] : [])),
          [
            [24, 1],
            [25, undefined],
            [26, undefined]
          ]
        )
        assert.deepStrictEqual(
          (yield* (yield* Incidents).list(false, 10)).map(({ closed_at, opened_at }) => [
            opened_at.getTime(),
            closed_at?.getTime()
          ]),
          [[incident.opened, incident.closed]]
        )
        // What is shown before the past comes to it stays, whatever the operator does.
        assert.deepStrictEqual([before.visible, after.visible], [[5], [5]])

        const logKeys = (yield* LogKey).keys().filter(({ purpose }) => purpose === "log")
        assert.strictEqual(logKeys.length, 2)
        const { note } = yield* (yield* Log).signed
        const signed = verifyNote(
          parseNote(note ?? ""),
          logKeys.map(({ publicKey }) => verifierOf(origin, publicKey))
        )
        assert.strictEqual(signed?.length, 2)
      })
    )
  })
})
