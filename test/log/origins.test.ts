/**
 * The origin of a day: from public files alone every value has its run, also one that was late, restated or taken out, and one that a
 * modified service sealed has none.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { ArchiveFiles } from "../../core/log/archive/ArchiveFiles.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { Log } from "../../core/log/Log.ts"
import { RunLog } from "../../core/log/RunLog.ts"
import * as Files from "../../core/log/record/files.ts"
import { enter } from "../../core/log/signingKeys.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { thumbprint } from "../../core/proof/keys.ts"
import { parseOrigins } from "../../core/proof/origin.ts"
import { Feeds } from "../../core/readings/Feeds.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { parseState } from "../../http/client/verifier/src/monitor/state.ts"
import { onBothEngines } from "../support/database.ts"
import * as LogKeys from "../support/logKey.ts"
import { lookAt, publicCopy } from "../support/publicCopy.ts"
import * as Runs from "../support/runs.ts"

const hour = 3_600_000
const at = (day: number, hours: number): number => Date.UTC(2026, 8, day) + hours * hour
const since = Date.UTC(2026, 7, 1)
const trust = { pins: [thumbprint(LogKeys.publicKey)] }

/** What a modified service does to the value 901 of a day, and when. */
const lies: ReadonlyArray<{
  readonly name: string
  readonly when: "after the run" | "after the incident" | "before the close" | "at the close"
  readonly sql: (day: string) => ReadonlyArray<string>
  readonly says: RegExp | undefined
}> = [
  {
    name: "after the root of its run was computed",
    when: "after the run",
    sql: (day) => stored(day),
    says: /no run of the log is known that gave it/
  },
  {
    name: "in a day that an incident made it compute again",
    when: "after the incident",
    sql: (day) => stored(day),
    says: /no run of the log is known that gave it/
  },
  {
    name: "as if a later run had changed the row",
    when: "before the close",
    sql: (day) => [
      ...stored(day),
      `update daily set recorded_at = '${day}T13:00:00Z' where value = 9999 and day = '${day}'`
    ],
    says: /no run of the log is known that gave it/
  },
  {
    name: "as the leaf is written",
    when: "at the close",
    sql: () => [
      `create function lie() returns trigger language plpgsql as $$ begin
        new.text := replace(new.text, '"value":901', '"value":9999');
        new.hash := sha256('\\x00'::bytea || convert_to(new.text, 'UTF8'));
        return new;
      end $$`,
      "create trigger lie before insert on leaf for each row execute function lie()"
    ],
    // Its readings are no longer those that the leaf counts.
    says: /no run of the log is known that gave it/
  },
  {
    name: "in the row of the day alone, which the close does not believe",
    when: "before the close",
    sql: (day) => [`update daily set value = 9999 where value = 901 and day = '${day}'`],
    says: undefined
  }
]

/** Every place where the database has a value of a day. */
const stored = (day: string): ReadonlyArray<string> => [
  `update observation set value = 9999 where value = 901 and as_of >= '${day}T00:00:00Z'`,
  `update daily set value = 9999 where value = 901 and day = '${day}'`
]

onBothEngines("the origin of a day", (database) => {
  const feeds = Layer.succeed(
    Feeds,
    Feeds.of({ manifests: [Runs.manifest], states: Effect.succeed(new Map()) })
  )
  const services = Layer.merge(RunLog.layer, DailyClose.layer).pipe(
    Layer.provideMerge(Log.layer),
    Layer.provideMerge(Layer.mergeAll(Ingest.layer, Incidents.layer)),
    Layer.provideMerge(Current.layer),
    Layer.provideMerge(Layer.merge(Blobs.layerTable, ArchiveFiles.layerTable)),
    Layer.provideMerge(Layer.effectDiscard(Effect.orDie(partitions.ensure(at(5, 12))))),
    Layer.provideMerge(feeds),
    Layer.provideMerge(LogKeys.layer()),
    Layer.provideMerge(database)
  )

  layer(services)((it) => {
    /** A run that read these values of networks at a time. */
    const read = Effect.fnUntraced(function* (
      time: number,
      values: Readonly<Record<string, number>>,
      asOf = time - 1000
    ) {
      yield* TestClock.setTime(time)
      const rows = Object.entries(values).map(([symbol, value]) =>
        Runs.row(value, isoTime(asOf), { symbol, verify_url: `https://up.example/${asOf}` })
      )
      yield* (yield* Ingest).write(Runs.delivery(time, rows))
    })
    /** Closes the day before at 08:00, and logs what is due five minutes later. */
    const close = Effect.fnUntraced(function* (day: number) {
      yield* TestClock.setTime(at(day, 8) + 1000)
      yield* (yield* RunLog).run
      yield* (yield* DailyClose).run
      yield* TestClock.setTime(at(day, 8) + 5 * 60_000)
      yield* (yield* RunLog).run
    })
    const lookNow = Effect.fnUntraced(function* (day: number) {
      return yield* lookAt(yield* publicCopy(), at(day, 9), undefined, trust)
    })

    it.effect("names a run for every value, whatever became of it after its run", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* TestClock.setTime(at(5, 1))
        yield* sql.withTransaction(
          enter("log", LogKeys.publicKey, { announcedAt: since, notBefore: since, endOfOld: since })
        )
        yield* read(at(5, 10), { FIL: 900, STORJ: 50 })
        yield* read(at(5, 12), { FIL: 901, STORJ: 50 })
        yield* TestClock.setTime(at(5, 14))
        const { open } = yield* Incidents
        yield* open(
          { symbol: "FIL", metric: "nodes_online", from: at(5, 12) - 1000, to: at(5, 12) },
          "counted twice"
        )
        // The hour before the close: its runs are told of after the batch.
        yield* read(at(6, 7.5), { FIL: 902 }, at(5, 9))
        yield* close(6)
        yield* read(at(6, 11), { FIL: 910, STORJ: 51 })
        // Restated, and late.
        yield* read(at(6, 12), { STORJ: 49 }, at(5, 12) - 1000)
        yield* read(at(6, 13), { FIL: 899 }, at(5, 13))
        yield* close(7)
        const origins = [...parseOrigins(yield* Files.origin("2026-09-05"))]
        assert.isAbove(origins.length, 0)
        const result = yield* lookNow(7)
        assert.deepStrictEqual(result.findings, [])
        assert.deepStrictEqual([result.unproved, result.notChecked], [[], []])
        assert.deepStrictEqual(result.state?.record?.origins, { first: "2026-09-05", owing: [] })
        // It goes on from its state.
        yield* read(at(7, 11), { FIL: 911 })
        yield* close(8)
        const before = parseState(JSON.stringify(result.state))
        const next = yield* lookAt(yield* publicCopy(), at(8, 9), before, trust)
        // Nothing collects for this service, so it never had a schedule.
        assert.deepStrictEqual(
          [next.findings.map(({ where }) => where), next.counts.batches],
          [["schedules"], 1]
        )
      })
    )

    for (const [n, { says, name, sql: statements, when }] of lies.entries())
      it.effect(`finds no run for a value that was sealed otherwise ${name}`, () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const day = 10 + n
          const date = isoTime(at(day, 0)).slice(0, 10)
          const tell = (moment: (typeof lies)[number]["when"]) =>
            moment === when
              ? Effect.forEach(statements(date), (text) => sql.unsafe(text), { discard: true })
              : Effect.void
          yield* close(day)
          yield* read(at(day, 10), { FIL: 901, STORJ: 50 })
          yield* tell("after the run")
          yield* read(at(day, 12), { FIL: when === "after the incident" ? 903 : 901, STORJ: 50 })
          yield* tell("after the run")
          if (when === "after the incident") {
            yield* TestClock.setTime(at(day, 14))
            const { open } = yield* Incidents
            yield* open(
              { symbol: "FIL", metric: "nodes_online", from: at(day, 12) - 1000, to: at(day, 12) },
              "twice"
            )
            yield* tell("after the incident")
          }
          yield* tell("before the close")
          yield* tell("at the close")
          yield* close(day + 1)
          yield* sql.unsafe("drop function if exists lie cascade")
          const leaves = yield* Stream.mkString(yield* Files.leaves(date))
          const { findings } = yield* lookNow(day + 1)
          const run = findings.find(({ what, where }) => what === "run" && where.includes(date))
          if (says === undefined) {
            assert.notInclude(leaves, "9999")
            assert.isUndefined(run)
          } else {
            assert.include(leaves, '"value":9999')
            assert.match(run?.found ?? "", says)
            assert.include(run?.where ?? "", "FIL nodes_online")
          }
        })
      )
  })
})
