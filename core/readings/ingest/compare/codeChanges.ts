/** Remembers which code gives the figures that are read from chains, so that another one is an event. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as DataClock from "../../../clock/DataClock.ts"
import { rowsOf } from "../../../sql/rows.ts"
import { texts } from "../arrays.ts"
import { hasChainProof } from "../runs/chainExchanges.ts"

/** The code at a place of a chain by which figures of a source come about. */
export interface PlacedCode {
  readonly source: string
  /** The contract or the chain. */
  readonly place: string
  /** The same with its code, in words. */
  readonly statement: string
}

const runRows = rowsOf({ run: Schema.String, finished_at: Schema.Date })
const addressRows = rowsOf({ source: Schema.String, address: Schema.String })

/** Runs that gave latest values, have proofs of chains, and ended after a time; the oldest first, at most `most`. */
export const provingRunsAfter = Effect.fnUntraced(function* (time: Date, most: number) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select r.id as run, r.finished_at from run r
    where r.finished_at > ${time} and r.id in (select run from latest) and ${sql.literal(hasChainProof("r.id"))}
    order by r.finished_at, r.id limit ${most}`.pipe(runRows)
})

/** The addresses at which the latest values of a run were read, by their source. */
export const addressesOf = Effect.fnUntraced(function* (run: string) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select s.source, coalesce(l.read_url, l.verify_url) as address from latest l join series s on s.id = l.series
    where l.run = ${run} limit 100000`.pipe(addressRows)
})

/** Takes the codes that a block has; one that is another than before is an event, and the first of a place is none. */
export const takeCodes = Effect.fn("Ingest.takeCodes")(function* (codes: ReadonlyArray<PlacedCode>) {
  if (codes.length === 0) return
  const sql = yield* SqlClient.SqlClient
  const now = new Date(yield* DataClock.now)
  yield* sql`
    insert into figure_method (source, place, statement, since, replaces)
    select t.source, t.place, t.statement, ${now}, m.id
    from unnest(${texts(codes.map(({ source }) => source))}, ${texts(codes.map(({ place }) => place))},
        ${texts(codes.map(({ statement }) => statement))}) as t(source, place, statement)
      left join lateral (
        select id, statement from figure_method where source = t.source and place = t.place order by id desc limit 1
      ) m on true
    where t.statement is distinct from m.statement`
})
