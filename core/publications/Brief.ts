/**
 * The weekly brief: one edition per Monday 08:00 UTC, from what was published by then. Stored as a document whose hash is a
 * log entry; a SQL key ensures one edition per week despite restarts.
 */

import { createHash } from "node:crypto"
import { Context, Duration, Effect, Layer, Option, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as DataClock from "../clock/DataClock.ts"
import { firstClosedDay, lastClosedDay } from "../log/closedDays.ts"
import { documentEntry, keepDocument, storeDocument } from "../log/document.ts"
import { Log, type LogHalted, LogKey } from "../log/Log.ts"
import { metricNamed, roleOf } from "../plugin/Manifest.ts"
import { day as dayMs, hour } from "../plugin/time.ts"
import { canonical } from "../proof/canonical.ts"
import { Feeds } from "../readings/Feeds.ts"
import { anomaliesOfWeek } from "../readings/read/weekOfFindings.ts"
import { rowsOf } from "../sql/rows.ts"
import { BriefDocument } from "../wire/log/brief.ts"
import { compose, ofNetworks } from "./edition/compose.ts"
import { answeredBefore, dateOf, publishedBefore, type Series } from "./edition/published.ts"
import { shorten } from "./edition/shorten.ts"

/** A document as it is stored. */
const hashed = (document: unknown) => {
  const body = canonical(document)
  return { body, sha256: createHash("sha256").update(body).digest("hex") }
}

/** A stored edition. */
const Edition = Schema.Struct({
  date: Schema.String,
  /** The document as canonical JSON, whose SHA-256 is in the log. */
  body: Schema.String,
  sha256: Schema.String
})
export interface Edition extends Schema.Schema.Type<typeof Edition> {}

/** An edition without its document. */
const Listed = Schema.Struct({ date: Schema.String, sha256: Schema.String, recorded_at: Schema.Date })
export interface Listed extends Schema.Schema.Type<typeof Listed> {}

const editionRows = rowsOf(Edition.fields)
const listedRows = rowsOf(Listed.fields)
const closedRows = rowsOf({ first: Schema.NullOr(Schema.String), last: Schema.NullOr(Schema.String) })
const subjectRows = rowsOf({ subject: Schema.String })

export class Brief extends Context.Service<
  Brief,
  {
    /** Writes every due edition whose week is closed, oldest first; returns their dates. */
    readonly run: Effect.Effect<ReadonlyArray<string>, LogHalted | SqlError>
    /** The edition of a date, or the newest; none if it does not exist. */
    readonly edition: (date: string | undefined) => Effect.Effect<Option.Option<Edition>, SqlError>
    /** The editions there are, newest first; at most 520: ten years. */
    readonly editions: Effect.Effect<ReadonlyArray<Listed>, SqlError>
  }
>()("core/publications/Brief") {
  static readonly layer = Layer.effect(
    Brief,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const log = yield* Log
      const { simulated } = yield* LogKey
      const { manifests } = yield* Feeds
      const cadence = new Map(
        manifests.map(({ every, id }) => [id, Duration.toMillis(Duration.fromInputUnsafe(every))])
      )

      const byId = new Map(manifests.map((manifest) => [manifest.id, manifest]))
      /** Only a role that the manifest states: a setting, a part or a running total is no capacity. */
      const isCapacity = ({ metric, plugin, tier }: Series): boolean => {
        const declared = metricNamed(byId.get(plugin)?.metrics ?? {}, metric)
        const role = declared === undefined ? undefined : roleOf(declared)
        return tier === "supply_telemetry" && (role === "headline" || role === "capacity")
      }

      /** Mondays without an edition whose Sunday is closed. */
      const due = Effect.fnUntraced(function* (now: number) {
        const [closedDays] = yield* sql`
          select ${firstClosedDay(sql)}::text as first, ${lastClosedDay(sql)}::text as last`.pipe(closedRows)
        if (closedDays === undefined || closedDays.first === null || closedDays.last === null) return []
        const there = new Set(
          (yield* sql`
            select subject from document where kind = 'brief' order by subject desc limit 10000`.pipe(
            subjectRows
          )).map(({ subject }) => subject)
        )
        const until = Math.min(now - 8 * hour, Date.parse(closedDays.last) + dayMs)
        const dates: Array<string> = []
        for (let day = Date.parse(closedDays.first) + dayMs; day <= until; day += dayMs) {
          if (new Date(day).getUTCDay() === 1 && !there.has(dateOf(day))) dates.push(dateOf(day))
        }
        return dates
      })

      const make = Effect.fn("Brief.make")(function* (date: string, now: number) {
        const cutOff = Date.parse(date) + 8 * hour
        const daysBefore = (days: number) => dateOf(Date.parse(date) - days * dayMs)
        const series = yield* publishedBefore(date)
        const full = compose({
          date,
          series,
          answered: yield* answeredBefore(cutOff),
          cadence,
          isCapacity,
          unusual: yield* anomaliesOfWeek(daysBefore(7), daysBefore(1), ofNetworks(series)),
          simulated
        })
        const whole = hashed({
          v: simulated ? "service-brief-full-v1-demo" : "service-brief-full-v1",
          ...full
        })
        const { body, sha256 } = hashed(shorten(full, `/v1/log/documents/${whole.sha256}`))
        const isNew = yield* Effect.gen(function* () {
          const edition = {
            kind: "brief",
            subject: date,
            media_type: "application/json",
            body,
            sha256
          } as const
          if (!(yield* storeDocument(edition, now))) return false
          // The brief names its hash, so the log commits to it through the brief.
          yield* keepDocument({ kind: "brief-full", subject: date, body: whole.body }, now, simulated)
          yield* log.append([documentEntry(edition, now, simulated)], now)
          return true
        }).pipe(sql.withTransaction)
        if (isNew) yield* log.refresh
        return isNew
      })

      const run = Effect.gen(function* () {
        const now = yield* DataClock.now
        const written: Array<string> = []
        for (const date of yield* due(now)) {
          if (yield* make(date, now)) written.push(date)
        }
        if (written.length > 0) yield* Effect.logInfo("wrote the weekly brief", { editions: written })
        return written
      }).pipe(Effect.provideService(SqlClient.SqlClient, sql), Effect.withSpan("Brief.run"))

      return Brief.of({
        run,
        editions: sql`
          select subject as date, sha256, recorded_at from document where kind = 'brief'
          order by subject desc limit 520`.pipe(listedRows, Effect.withSpan("Brief.editions")),
        edition: Effect.fn("Brief.edition")(function* (date) {
          const rows = yield* sql`
            select subject as date, body, sha256 from document
            where kind = 'brief' and (${date ?? null}::text is null or subject = ${date ?? null})
            order by subject desc limit 1`.pipe(editionRows)
          return Option.fromNullishOr(rows[0])
        })
      })
    })
  )
}

/** No edition exists for the date, or none exists yet. */
export class BriefUnknown extends Schema.TaggedError<BriefUnknown>()("BriefUnknown", {
  message: Schema.String
}) {}

/** The edition of a date, or the newest. Fails with `BriefUnknown` and `SqlError`. */
export const editionOf = Effect.fn("Publications.editionOf")(function* (date: string | undefined) {
  const edition = yield* (yield* Brief).edition(date)
  if (Option.isSome(edition)) return edition.value
  return yield* new BriefUnknown({
    message:
      date === undefined
        ? "No brief has been written yet; the first is written on a Monday at 08:00 UTC."
        : `There is no brief for ${date}; editions are written on Mondays at 08:00 UTC.`
  })
})

/** The document of an edition. */
export const documentOf = Schema.decodeUnknownEffect(Schema.fromJsonString(BriefDocument))
