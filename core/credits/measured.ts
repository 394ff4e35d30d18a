/** Figures of the money, for metrics. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { rowsOf } from "../sql/rows.ts"

const figureRows = rowsOf({
  owed: Schema.BigInt,
  cards: Schema.Int,
  transfers: Schema.Int,
  warranty: Schema.Int
})

/** What accounts owe after payments were taken back, in micro-dollars, and how many payments of each kind wait for the operator. */
export const measuredMoney = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [figures = { owed: 0n, cards: 0, transfers: 0, warranty: 0 }] = yield* sql`
    select (select coalesce(sum(owed), 0)::bigint from account) as owed,
      (select count(*)::int from card_order where state = 'held') as cards,
      (select count(*)::int from chain_transfer where state = 'unmatched') as transfers,
      (select count(*)::int from warranty_payment where state = 'stopped') as warranty`.pipe(figureRows)
  return figures
})
