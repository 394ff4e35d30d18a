/**
 * The daily close: day D closes on D+1 at 08:00 UTC. Its open `daily` rows, and those of earlier days that changed since,
 * become leaves. Rows are selected by what is unsealed, never by a time window, and a closed batch never changes. Every
 * step can be repeated, so a killed close continues where it stopped.
 */
import { createHash, randomUUID } from "node:crypto"
import { Context, Duration, Effect, Layer, Option, Semaphore } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as DataClock from "../data/DataClock.ts"
import { Feeds } from "../data/Feeds.ts"
import { Incidents } from "../data/ingest/Incidents.ts"
import { withWriterLock } from "../data/ingest/writerLock.ts"
import { UpstreamClock } from "../data/UpstreamClock.ts"
import { isoTime } from "../plugin/Value.ts"
import { concat, fromUtf8, toHex } from "../proof/bytes.ts"
import { canonical } from "../proof/canonical.ts"
import { type BatchEntry, batchTag, type DocumentEntry, entryTag, type LogEntry } from "../proof/entry.ts"
import { absenceList, leafBytes, leafTag, type SeriesName, tagged } from "../proof/leaf.ts"
import { buildTree, leafHash, root } from "../proof/merkle.ts"
import { Log, LogKey } from "./Log.ts"
import { sealAll, sha256, type Unsealable } from "./leaves.ts"

const dayLength = 86_400_000
/** Delay of the close after the day's end. */
const closing = 8 * 3_600_000
/** A close more than this late is marked `late`. */
const grace = 3_600_000
/** How long a silent replica keeps its claim on a close. */
const claim = 10 * 60_000

/** The close waits while this machine's clock differs more than this from the upstreams', in milliseconds. */
const clockTolerance = 5 * 60_000

/**
 * The owner name of this process's claims. Where only one process uses the database, a fixed name lets it resume a killed
 * one's claims at once; otherwise each process has its own name.
 */
export const Claimant = Context.Reference<string | undefined>("core/log/DailyClose/Claimant", {
  defaultValue: () => undefined
})

/** True if the day should have been closed by now. */
export const isOverdue = (day: string, now: number): boolean =>
  Date.parse(day) + dayLength + closing + grace < now

/** A batch that this call closed. */
export interface Closed {
  readonly day: string
  readonly tree_size: number
  readonly root: string
  readonly late: boolean
}

export class DailyClose extends Context.Service<
  DailyClose,
  {
    /** Closes every due day, oldest first; returns none if there is nothing to do. */
    readonly run: Effect.Effect<ReadonlyArray<Closed>, SqlError>
    /** Due days not yet closed, oldest first; after `run`, those another process is closing. */
    readonly due: Effect.Effect<ReadonlyArray<string>, SqlError>
  }
>()("core/log/DailyClose") {
  static readonly layer = Layer.effect(
    DailyClose,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const log = yield* Log
      const { simulated } = yield* LogKey
      const { manifests } = yield* Feeds
      const incidents = yield* Incidents
      const upstreamClock = yield* UpstreamClock
      const turn = yield* Semaphore.make(1)
      const me = (yield* Claimant) ?? randomUUID()

      const dueDays = Effect.fnUntraced(function* (now: number) {
        const [known] = yield* sql<{ last: string | null; first: string | null }>`
          select (select max(day)::text from batch where closed_at is not null) as last,
            (select min(day)::text from daily) as first`
        const last = known?.last ?? null
        const first = last === null ? (known?.first ?? null) : last
        if (first === null) return []
        const days: Array<string> = []
        const start = Date.parse(first) + (last === null ? 0 : dayLength)
        for (let day = start; day + dayLength + closing <= now; day += dayLength) days.push(dateOf(day))
        return days
      })

      /** Claims the batch; none if another process is closing it or has closed it. */
      const take = Effect.fnUntraced(function* (day: string, now: number) {
        const [mine] = yield* sql<{ id: number }>`
          insert into batch as b (day, cut_off, claimed_by, claimed_until)
          values (${day}::date, ${new Date(Date.parse(day) + dayLength + closing)}, ${me}, ${new Date(now + claim)})
          on conflict (day) do update
            set claimed_by = excluded.claimed_by, claimed_until = excluded.claimed_until
            where b.closed_at is null and (b.claimed_until < ${new Date(now)} or b.claimed_by = ${me})
          returning id`
        return mine?.id
      })

      /** Releases the claim of an interrupted close, so the next process need not wait for it to expire. */
      const release = (day: string) =>
        sql`update batch set claimed_until = to_timestamp(0)
          where day = ${day}::date and claimed_by = ${me} and closed_at is null`.pipe(Effect.ignore)

      /**
       * Series declared by a single-network manifest or an earlier reading that have no sealed reading of this day.
       */
      const absentOn = Effect.fnUntraced(function* (day: string) {
        const running = manifests.filter(({ disabled }) => disabled === undefined)
        const present = new Set<string>()
        const declared = new Map<string, SeriesName>()
        let after = 0
        while (true) {
          const page = yield* sql<SeriesName & { id: number; plugin: string; present: boolean }>`
            select s.id, s.symbol, s.metric, s.source, s.plugin, exists (
              select 1 from daily d where d.series = s.id and d.day = ${day}::date and d.n_observations > 0
                and d.sealed_by is not null
            ) as present
            from series s where s.id > ${after} order by s.id limit 5000`
          for (const { metric, plugin, present: has, source, symbol } of page) {
            if (!running.some(({ id }) => id === plugin)) continue
            declared.set(`${symbol}|${metric}|${source}`, { symbol, metric, source })
            if (has) present.add(`${symbol}|${metric}`)
          }
          after = page.at(-1)?.id ?? after
          if (page.length < 5000) break
        }
        for (const { covers, metrics, source } of running) {
          const [symbol, ...others] = "networks" in covers ? covers.networks : []
          if (symbol === undefined || others.length > 0) continue
          for (const metric of Object.keys(metrics)) {
            declared.set(`${symbol}|${metric}|${source}`, { symbol, metric, source })
          }
        }
        return [...declared.values()].filter(({ metric, symbol }) => !present.has(`${symbol}|${metric}`))
      })

      /** Sorts the leaves and stores their tree. */
      const plant = Effect.fnUntraced(function* (batch: number) {
        yield* sql`
          update leaf l set place = o.place from (
            select f.ctid as row, row_number() over (
              order by f.series is null, s.symbol collate "C", s.metric collate "C", s.source collate "C", f.day,
                f.incident, f.version
            ) - 1 as place
            from leaf f left join series s on s.id = f.series where f.batch = ${batch}
          ) o where l.ctid = o.row and l.batch = ${batch}`
        const hashes: Array<Uint8Array> = []
        while (true) {
          const page = yield* sql<{ hash: Uint8Array }>`
            select hash from leaf where batch = ${batch} and place >= ${hashes.length} order by place limit 10000`
          hashes.push(...page.map(({ hash }) => hash))
          if (page.length < 10_000) break
        }
        const tree = buildTree(concat(...hashes), sha256)
        yield* sql`delete from tree_level where batch = ${batch}`
        for (const [level, bytes] of tree.levels.entries()) {
          yield* sql`insert into tree_level ${sql.insert({ batch, level, hashes: bytes })}`
        }
        return tree
      })

      /** Publishes the revisions since the last batch as a document whose hash is a log entry. */
      const revisionsDocument = Effect.fnUntraced(function* (now: number) {
        const [known] = yield* sql<{ value: string }>`select value from fact where name = 'revisions_logged'`
        const from = Number(known?.value ?? 0)
        const rows = yield* sql<Record<string, unknown> & { id: number; as_of: Date; recorded_at: Date }>`
          select r.id, s.symbol, s.metric, s.source, r.as_of, r.version, r.before_value, r.before_text,
            r.after_value, r.after_text, r.recorded_at, r.run, r.why
          from revision r join series s on s.id = r.series where r.id > ${from} order by r.id limit 20000`
        const last = rows.at(-1)?.id
        if (last === undefined) return undefined
        const body = canonical(
          rows.map((row) => ({
            ...row,
            as_of: isoTime(row.as_of.getTime()),
            recorded_at: isoTime(row.recorded_at.getTime())
          }))
        )
        const subject = `${from + 1}-${last}`
        const hash = createHash("sha256").update(body).digest("hex")
        yield* sql`insert into document ${sql.insert({
          sha256: hash,
          kind: "revisions",
          subject,
          media_type: "application/json",
          body,
          recorded_at: new Date(now)
        })} on conflict do nothing`
        yield* sql`insert into fact ${sql.insert({ name: "revisions_logged", value: String(last) })}
          on conflict (name) do update set value = excluded.value`
        const entry: DocumentEntry = {
          v: tagged(entryTag, simulated),
          kind: "revisions",
          sha256: hash,
          subject,
          recorded_at: isoTime(now),
          ...(simulated ? { simulated: true } : {})
        }
        return entry
      })

      /** Opens an incident for a row that cannot be sealed, so that it does not block the others. */
      const setAside = Effect.fnUntraced(function* ({ reason, row }: Unsealable) {
        const { day, metric, source, symbol } = row
        const about = { symbol, metric, source, day, reason }
        // What an incident excludes already, or what has no reading left, cannot be excluded once more.
        if (row.incident !== 0 || row.n_observations === 0) {
          yield* Effect.logWarning("row cannot be sealed; left open", about)
          return
        }
        const from = Date.parse(day)
        const incident = yield* incidents.hold(
          { symbol, metric, source, from, to: from + dayLength - 1 },
          `the day cannot be sealed: ${reason}`
        )
        yield* Effect.logError("row cannot be sealed; opened an incident", { ...about, incident })
      })

      /** Checks the clock: a day closed before it is over would stay so forever. */
      const clockHolds = Effect.gen(function* () {
        const found = yield* upstreamClock.difference
        if (Option.isNone(found) || Math.abs(found.value.ahead) <= clockTolerance) return true
        const { ahead, hosts } = found.value
        const apart = Duration.format(Duration.seconds(Math.round(Math.abs(ahead) / 1000)))
        yield* Effect.logError(
          `the daily close waits: the system clock is ${apart} ${ahead > 0 ? "ahead of" : "behind"} the upstreams' (median of ${hosts} hosts); set the clock`
        )
        return false
      })

      const close = Effect.fn("DailyClose.close")(function* (day: string, now: number) {
        const batch = yield* take(day, now)
        if (batch === undefined) return undefined
        /** True if this process still holds the claim; renews it for the rest of the transaction. */
        const held = Effect.gen(function* () {
          const until = new Date((yield* DataClock.now) + claim)
          const rows = yield* sql`
            update batch set claimed_until = greatest(claimed_until, ${until})
            where id = ${batch} and claimed_by = ${me} and closed_at is null returning id`
          return rows.length > 0
        })
        yield* Effect.provideService(sealAll(batch, day, simulated, held, setAside), SqlClient.SqlClient, sql)
        const cutOff = Date.parse(day) + dayLength + closing
        // Replay closes the days of its tape in a moment: they are simulated, and none of them is late.
        const closedAt = simulated ? cutOff : now
        const late = closedAt > cutOff + grace
        const absent = absenceList(yield* absentOn(day))
        const leaf = leafBytes({
          v: tagged(leafTag, simulated),
          kind: "absent",
          day,
          cut_off: isoTime(cutOff),
          n_series: absent.count,
          series_sha256: absent.sha256,
          ...(simulated ? { simulated: true } : {})
        })
        const done = yield* Effect.gen(function* () {
          if (!(yield* held)) return undefined
          yield* sql`delete from leaf where batch = ${batch} and series is null`
          yield* sql`insert into leaf ${sql.insert({
            batch,
            day,
            incident: 0,
            version: 1,
            text: fromUtf8(leaf),
            hash: leafHash(leaf, sha256)
          })}`
          const tree = yield* plant(batch)
          const [counts] = yield* sql<{ readings: number; late: number; revisions: number }>`
            select count(*) filter (where kind = 'reading')::int as readings,
              count(*) filter (where kind = 'late')::int as late,
              count(*) filter (where kind = 'revision')::int as revisions
            from (select text::jsonb ->> 'kind' as kind from leaf where batch = ${batch}) k`
          const entry: BatchEntry = {
            v: tagged(batchTag, simulated),
            days: [day],
            cut_off: isoTime(cutOff),
            closed_at: isoTime(closedAt),
            late,
            root: toHex(root(tree, sha256)),
            tree_size: tree.size,
            n_readings: counts?.readings ?? 0,
            n_late: counts?.late ?? 0,
            n_revisions: counts?.revisions ?? 0,
            n_absent: absent.count,
            ...(simulated ? { simulated: true } : {})
          }
          const revisions = yield* revisionsDocument(closedAt)
          const entries: ReadonlyArray<LogEntry> = revisions === undefined ? [entry] : [entry, revisions]
          const place = yield* log.append(entries, closedAt)
          yield* sql`
            update batch set closed_at = ${new Date(closedAt)}, late = ${late}, root = ${entry.root},
              tree_size = ${entry.tree_size}, n_readings = ${entry.n_readings}, n_late = ${entry.n_late},
              n_revisions = ${entry.n_revisions}, n_absent = ${entry.n_absent}, absent = ${absent.text},
              log_index = ${place}
            where id = ${batch}`
          return { day, tree_size: entry.tree_size, root: entry.root, late }
        }).pipe(withWriterLock, Effect.provideService(SqlClient.SqlClient, sql))
        yield* log.refresh
        return done
      })

      const run = Effect.gen(function* () {
        const now = yield* DataClock.now
        const closed: Array<Closed> = []
        const days = yield* dueDays(now)
        if (days.length === 0 || !(simulated || (yield* clockHolds))) return closed
        for (const day of days) {
          const done = yield* Effect.onInterrupt(close(day, now), () => release(day))
          if (done === undefined) break
          yield* Effect.logInfo("closed a day", done)
          closed.push(done)
        }
        return closed
      }).pipe(turn.withPermits(1), Effect.withSpan("DailyClose.run"))

      return DailyClose.of({ run, due: Effect.flatMap(DataClock.now, dueDays) })
    })
  )
}

const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
