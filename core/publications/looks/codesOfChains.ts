/**
 * Notes which code gives the figures that are read from chains: of a contract the codes that its calls execute, of a chain its runtime, as
 * the state of the block that was read says. Another code than before is an event, and the first of a place is none.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { codesOfRun } from "../../log/record/codesOfRun.ts"
import {
  addressesOf,
  type PlacedCode,
  provingRunsAfter,
  takeCodes
} from "../../readings/ingest/compare/codeChanges.ts"
import { storedFact, storeFact } from "../../sql/keyValue.ts"

/** The end of the newest run that was looked at. */
const cursor = "codes_of_chains"

/** Runs of one look. */
const most = 50

/** The codes of a run, by the sources of the values that they give. */
const placedCodes = Effect.fnUntraced(function* (run: string) {
  const codes = yield* codesOfRun(run)
  if (codes.length === 0) return []
  const addresses = yield* addressesOf(run)
  return codes.flatMap(({ gives, place, statement }): ReadonlyArray<PlacedCode> => {
    const sources = new Set(addresses.flatMap(({ address, source }) => (gives(address) ? [source] : [])))
    return [...sources].map((source) => ({ source, place, statement }))
  })
})

/** Looks through the runs that gave latest values since the last time. */
export const noteCodes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const runs = yield* provingRunsAfter(new Date((yield* storedFact(cursor)) ?? 0), most)
  for (const { finished_at, run } of runs) {
    const placed = yield* placedCodes(run)
    yield* Effect.andThen(takeCodes(placed), storeFact(cursor, finished_at.toISOString())).pipe(
      sql.withTransaction
    )
  }
}).pipe(Effect.withSpan("looks.noteCodes"))
