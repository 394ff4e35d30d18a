/**
 * The signal ledger: one row per measured event, each containing the hash of the previous row. Triggers record events with
 * the facts themselves, and a pass turns them into rows in that order. A late fact is appended with its own time; rows never
 * move. Once a day the newest row's hash enters the log.
 */

import { Context, Effect, Layer, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as DataClock from "../clock/DataClock.ts"
import { lastClosedDay } from "../log/closedDays.ts"
import { documentEntry, storeDocument } from "../log/document.ts"
import { Log, type LogHalted, LogKey } from "../log/Log.ts"
import { isoTime } from "../plugin/Value.ts"
import { tagged } from "../proof/leaf.ts"
import { genesis, signalHash, signalTag, signalText } from "../proof/signal.ts"
import { ints, texts } from "../readings/ingest/arrays.ts"
import { factNamed, storeFact } from "../sql/keyValue.ts"
import { rowsOf } from "../sql/rows.ts"
import { makeClosedDay } from "./ledger/closedDay.ts"
import { anchors, Happened, incidents, type Measured, revisions } from "./ledger/measured.ts"
import { loggedFact } from "./ledger/page.ts"

/** Events per transaction; a closed day has its own. */
const most = 200
/** Rows per statement. */
const chunk = 500

const happenedRows = rowsOf(Happened.fields)
const linkRows = rowsOf({ n: Schema.Int, hash: Schema.String })
const shownRows = rowsOf({ day: Schema.NullOr(Schema.String), value: Schema.NullOr(Schema.String) })
const textRows = rowsOf({ text: Schema.String })

export class Signals extends Context.Service<
  Signals,
  {
    /**
     * Processes all recorded events and logs the newest row; returns the number of rows added. Each event is processed once,
     * however many replicas run this and wherever it is interrupted.
     */
    readonly run: Effect.Effect<number, LogHalted | SqlError>
  }
>()("core/publications/Signals") {
  static readonly layer = Layer.effect(
    Signals,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const log = yield* Log
      const { simulated } = yield* LogKey
      const closedDay = makeClosedDay()

      /** No other process adds rows until this transaction ends. */
      const withLedgerLock = <A, E, R>(work: Effect.Effect<A, E, R>) =>
        sql`lock table signal in exclusive mode`.pipe(Effect.andThen(work), sql.withTransaction)

      const newest = Effect.map(
        sql`select n, hash from signal order by n desc limit 1`.pipe(linkRows),
        ([row]) => row ?? { n: 0, hash: genesis }
      )

      const measured = Effect.fnUntraced(function* (part: ReadonlyArray<Happened>) {
        const [first] = part
        if (first?.kind === "batch") return yield* closedDay(first.ref)
        const of = (kind: Happened["kind"]) => part.filter((one) => one.kind === kind)
        const measuredById = new Map<number, Measured>([
          ...(yield* revisions(of("revision"))),
          ...(yield* incidents(of("incident"))),
          ...(yield* anchors(of("anchor")))
        ])
        return part.flatMap(({ id }) => measuredById.get(id) ?? [])
      })

      const append = Effect.fnUntraced(function* (rows: ReadonlyArray<Measured>) {
        const recorded_at = isoTime(yield* DataClock.now)
        let last = yield* newest
        const linked = rows.map((row) => {
          const text = signalText({
            ...row,
            v: tagged(signalTag, simulated),
            n: last.n + 1,
            prev_hash: last.hash,
            recorded_at,
            ...(simulated ? { simulated: true as const } : {})
          })
          last = { n: last.n + 1, hash: signalHash(text) }
          return { hash: last.hash, text }
        })
        const first = last.n - linked.length + 1
        for (let at = 0; at < linked.length; at += chunk) {
          const part = linked.slice(at, at + chunk)
          yield* sql`
            insert into signal (n, hash, text)
            select ${first + at - 1}::int + n::int, hash, text
            from unnest(${texts(part.map(({ hash }) => hash))}, ${texts(part.map(({ text }) => text))})
              with ordinality as t(hash, text, n)`
        }
      })

      /** Processes the next events; undefined if there are none. */
      const step = Effect.gen(function* () {
        const due = yield* sql`
          select id, kind, ref, was, became from happened order by id limit ${most}`.pipe(happenedRows)
        if (due.length === 0) return undefined
        const next = due[0]?.kind === "batch" ? 1 : due.findIndex(({ kind }) => kind === "batch")
        const part = next < 0 ? due : due.slice(0, next)
        // Before the transaction: a closed day takes a while, and on the embedded engine everyone waits for one.
        const rows = yield* measured(part)
        const ids = ints(part.map(({ id }) => id))
        return yield* Effect.gen(function* () {
          const there = yield* sql`select 1 from happened where id = any(${ids})`
          // Another replica took some of it up meanwhile: it is looked at anew.
          if (there.length !== part.length) return 0
          yield* append(rows)
          yield* sql`delete from happened where id = any(${ids})`
          return rows.length
        }).pipe(withLedgerLock)
      })

      /** Logs the newest row's hash, once per closed day that added rows. */
      const show = Effect.gen(function* () {
        const now = yield* DataClock.now
        const { hash, n } = yield* newest
        const [state] = yield* sql`
          select ${lastClosedDay(sql)}::text as day,
            ${factNamed(sql, loggedFact)} as value`.pipe(shownRows)
        const [shownDay = "", loggedRow = "0"] = state?.value?.split("|") ?? []
        const day = state?.day ?? ""
        if (day <= shownDay || n <= Number(loggedRow)) return false
        const [row] = yield* sql`select text from signal where n = ${n}`.pipe(textRows)
        const document = { kind: "signals", subject: String(n), sha256: hash } as const
        yield* storeDocument({ ...document, media_type: "application/json", body: row?.text ?? "" }, now)
        const place = yield* log.append([documentEntry(document, now, simulated)], now)
        yield* storeFact(loggedFact, `${day}|${n}|${place}`)
        return true
      })

      const run = Effect.gen(function* () {
        let added = 0
        while (true) {
          const rows = yield* step
          if (rows === undefined) break
          added += rows
        }
        if (yield* withLedgerLock(show)) yield* log.refresh
        if (added > 0) yield* Effect.logInfo("added to the signal ledger", { rows: added })
        return added
      }).pipe(Effect.provideService(SqlClient.SqlClient, sql), Effect.withSpan("Signals.run"))

      return Signals.of({ run })
    })
  )
}
