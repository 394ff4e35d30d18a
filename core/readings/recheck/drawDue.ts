/** The series that are looked at again by lot: every day so many, at times spread over it. */
import { hash } from "node:crypto"
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as DataClock from "../../clock/DataClock.ts"
import { day as dayMs, hour } from "../../plugin/time.ts"
import { compare } from "../../plugin/Value.ts"
import { rowsOf } from "../../sql/rows.ts"
import { Current, type CurrentRow } from "../read/Current.ts"
import { Rechecks } from "./Rechecks.ts"

/** Series a day. */
export const seriesADay = 200

/** Series of one turn, which are of as many runs at most. */
const mostAtOnce = 10

/** A turn that was missed for longer, because no process was there, is not made up for, in milliseconds. */
const late = hour

/** A series is drawn while it has a value of the last days. */
const liveFor = 7 * dayMs

const rootRows = rowsOf({ root: Schema.String })
const drawnRows = rowsOf({ series: Schema.Int })

/** A row with its lot of the day, and when in the day it is its turn: from 0 to 1. */
interface Lot {
  readonly served: CurrentRow
  readonly lot: string
  readonly turn: number
}

/** The lot of a row: a hash of the seed and its name, so that who knows the seed can draw again. */
export const lotOf = (seed: string, { metric, source, symbol }: CurrentRow["row"]): string =>
  hash("sha256", `${seed}\n${symbol}\n${metric}\n${source}`)

/** The drawn rows of a day: those with the smallest lots, in the order of their turns. */
export const drawnOf = (seed: string, rows: ReadonlyArray<CurrentRow>): ReadonlyArray<Lot> =>
  rows
    .map((served) => {
      const lot = lotOf(seed, served.row)
      return { served, lot, turn: Number.parseInt(lot.slice(-8), 16) / 2 ** 32 }
    })
    .toSorted((a, b) => compare(a.lot, b.lot))
    .slice(0, seriesADay)
    .toSorted((a, b) => a.turn - b.turn)

/**
 * Has those of today's series looked at again whose turn has come. The seed is the day and the root of the newest batch that was
 * closed before it began, so that nobody can choose the lots who does not choose what all series say.
 */
export const drawDue = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const now = yield* DataClock.now
  const begins = Math.floor(now / dayMs) * dayMs
  const today = new Date(begins)
  const date = today.toISOString().slice(0, 10)
  const [batch] = yield* sql`
    select root from batch where closed_at < ${today} order by day desc limit 1`.pipe(rootRows)
  const { rows } = yield* (yield* Current).snapshot
  const live = rows.filter(({ confirmedAt, simulated }) => !simulated && confirmedAt > now - liveFor)
  const due = drawnOf(`${date}\n${batch?.root ?? ""}`, live).filter(
    ({ turn }) => begins + turn * dayMs <= now && begins + turn * dayMs > now - late
  )
  const drawn = yield* sql`
    select distinct unnest(drawn) as series from recheck where asked_at >= ${today}`.pipe(drawnRows)
  const done = new Set(drawn.map(({ series }) => series))
  const next = due.filter(({ served }) => !done.has(served.series)).slice(0, mostAtOnce)
  yield* (yield* Rechecks).draw(next.map(({ served }) => served))
}).pipe(Effect.withSpan("Rechecks.drawDue"))
