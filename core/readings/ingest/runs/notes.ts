/** What notaries state of the exchanges of runs: kept with the run until its leaf is written, and for good from then on. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Malformed } from "../../../proof/bytes.ts"
import { noteKeyText, type Verifier } from "../../../proof/checkpoint.ts"
import { noteHash, readNotarisation } from "../../../proof/notarisation.ts"
import { rowsOf } from "../../../sql/rows.ts"
import { ints, texts } from "../arrays.ts"
import { withWriterLock } from "../writerLock.ts"

/** The notes of one run. */
export interface RunNotes {
  readonly run: string
  /** The signed notes that `exchanges` name. */
  readonly notes: ReadonlyArray<string>
  /** By the number of the exchange: SHA-256 of each of its notes, in the order of `Coverage` (`core/proof/notarised.ts`). */
  readonly exchanges: ReadonlyArray<{ readonly n: number; readonly notes: ReadonlyArray<string> }>
}

/** As `exchange.notes` of a leaf has them, in a query over `exchange`. */
export const notesOfExchange = (sql: SqlClient.SqlClient) =>
  sql`array(select e.note from exchange_note e where e.run = exchange.run and e.n = exchange.n order by e.place)`

const runRows = rowsOf({ exchanges: Schema.Int })
const sessionRows = rowsOf({ day: Schema.String, n: Schema.Int })
const noteRows = rowsOf({ sha256: Schema.String, notary: Schema.String, text: Schema.String })

/** Notes of one query. */
const mostNotes = 100_000

interface SignedNote {
  readonly sha256: string
  readonly notary: string
  readonly text: string
}

/** The notes that one of these notaries signed. */
const signedBy = (
  notes: ReadonlyArray<string>,
  notaries: ReadonlyArray<Verifier>
): ReadonlyArray<SignedNote> =>
  notes.flatMap((text) => {
    try {
      const signed = readNotarisation(text, notaries)
      return signed === undefined
        ? []
        : [{ sha256: noteHash(text), notary: noteKeyText(signed.notary), text }]
    } catch (error) {
      if (error instanceof Malformed) return []
      throw error
    }
  })

/**
 * Keeps what these notaries signed of a run. Returns false where nothing was kept: the run is not stored, or its leaf is written, which
 * never changes.
 */
export const keepNotes = Effect.fn("notes.keepNotes")(function* (
  { exchanges, notes, run }: RunNotes,
  notaries: ReadonlyArray<Verifier>
) {
  const sql = yield* SqlClient.SqlClient
  const signed = signedBy(notes, notaries)
  const hashes = new Set(signed.map(({ sha256 }) => sha256))
  const places = exchanges
    .filter((exchange) => exchange.notes.every((note) => hashes.has(note)))
    .flatMap(({ n, notes }) => notes.map((note, place) => ({ n, place, note })))
  if (places.length === 0) return false
  return yield* withWriterLock(
    Effect.gen(function* () {
      const [stored] = yield* sql`
        select (select count(*)::int from exchange e where e.run = r.id) as exchanges from run r
        where r.id = ${run} and r.hour is null`.pipe(runRows)
      const rows = places.filter(({ n }) => n < (stored?.exchanges ?? 0))
      if (rows.length === 0) return false
      yield* sql`
        insert into note (sha256, notary, text)
        select sha256, notary, text from unnest(${texts(signed.map(({ sha256 }) => sha256))},
          ${texts(signed.map(({ notary }) => notary))}, ${texts(signed.map(({ text }) => text))})
          as t(sha256, notary, text)
        on conflict do nothing`
      yield* sql`
        insert into exchange_note (run, n, place, note)
        select ${run}, n, place, note from unnest(${ints(rows.map(({ n }) => n))},
          ${ints(rows.map(({ place }) => place))}, ${texts(rows.map(({ note }) => note))}) as t(n, place, note)
        on conflict do nothing`
      return true
    })
  )
})

/** The notes of these hashes that are stored. */
export const storedNotes = Effect.fnUntraced(function* (hashes: ReadonlyArray<string>) {
  if (hashes.length === 0) return []
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select sha256, notary, text from note where sha256 = any(${texts(hashes)}) order by sha256 limit ${mostNotes}`.pipe(
    noteRows
  )
})

/** Days of one query. */
const mostDays = 1000

/** The number of the last session that a notary stated of each day, as far as its notes are stored. */
export const lastSessions = Effect.fnUntraced(function* (notary: Verifier) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    select substring(text from '"day":"([0-9-]+)"') as day, max(substring(text from '"n":([0-9]+)')::int) as n
    from note where notary = ${noteKeyText(notary)} group by 1 order by 1 desc limit ${mostDays}`.pipe(
    sessionRows
  )
  return new Map(rows.map(({ day, n }) => [day, n]))
})
