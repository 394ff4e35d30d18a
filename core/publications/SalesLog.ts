/**
 * Commits the log to what was sold: after a UTC day one document with the root over the salted commitments of its sales.
 * Sales are selected by what no document has, never by a time window, so that none is left out.
 */
import { Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as DataClock from "../clock/DataClock.ts"
import {
  logSalesOf,
  newestLoggedSales,
  type PlacedSale,
  placeSales,
  unloggedSales
} from "../credits/commitments.ts"
import { keepDocument } from "../log/document.ts"
import { Log, type LogHalted, LogKey } from "../log/Log.ts"
import { sha256 } from "../log/leaves.ts"
import { day as dayMs, hour } from "../plugin/time.ts"
import { compareBytes, concat, toHex } from "../proof/bytes.ts"
import type { DocumentEntry } from "../proof/entry.ts"
import { tagged } from "../proof/leaf.ts"
import { hashLength, inclusionProof, root, type Tree, treeOf } from "../proof/merkle.ts"
import { commitmentsFor, type SalesDocument, salesKind, salesTag, salesText } from "../proof/sales.ts"
import { withWriterLock } from "../readings/ingest/writerLock.ts"

/** Sales of one run: the tree over them must not hold the event loop. */
const most = 16_384

/** A day's document waits so long after the day, for sales that were being completed. */
const grace = hour

export class SalesLog extends Context.Service<
  SalesLog,
  {
    /** Logs the sales of the days that are over and not in the log yet; returns the days of the documents. */
    readonly run: Effect.Effect<ReadonlyArray<string>, LogHalted | SqlError>
  }
>()("core/publications/SalesLog") {
  static readonly layer = Layer.effect(
    SalesLog,
    Effect.gen(function* () {
      const log = yield* Log
      const context = yield* Effect.context<Log | LogKey | SecureRandom | SqlClient.SqlClient>()

      const run = Effect.gen(function* () {
        const today = dateOf((yield* DataClock.now) - grace)
        if ((yield* unloggedSales(today, 1)).length === 0) return []
        const days = yield* withWriterLock(logSales(today))
        if (days.length > 0) yield* log.refresh
        return days
      }).pipe(Effect.provideContext(context), Effect.withSpan("SalesLog.run"))

      return SalesLog.of({ run })
    })
  )
}

const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

const logSales = Effect.fnUntraced(function* (today: string) {
  const log = yield* Log
  const now = yield* DataClock.now
  const newest = yield* newestLoggedSales
  const after = newest === null ? 0 : Date.parse(newest) + dayMs
  // A day has one document: a sale that is completed after that of its day is in the next one.
  const sales = Map.groupBy(yield* unloggedSales(today, most), ({ made_at }) =>
    dateOf(Math.max(made_at.getTime(), after))
  )
  const entries: Array<DocumentEntry> = []
  for (const [day, ofDay] of sales) {
    if (day >= today) continue
    entries.push(
      yield* documentOf(
        day,
        ofDay.map(({ commitment }) => commitment),
        now
      )
    )
  }
  if (entries.length === 0) return []
  const place = yield* log.append(entries, now)
  for (const [index, { subject }] of entries.entries()) yield* logSalesOf(subject, place + index)
  return entries.map(({ subject }) => subject)
})

/** Stores the document of a day's commitments, and where each is in its tree; returns its log entry. */
const documentOf = Effect.fnUntraced(function* (day: string, sales: ReadonlyArray<Uint8Array>, now: number) {
  const random = yield* SecureRandom
  const { simulated } = yield* LogKey
  const others = yield* Effect.replicateEffect(
    random.randomBytes(hashLength),
    commitmentsFor(sales.length) - sales.length
  )
  const leaves = [...sales, ...others].toSorted(compareBytes)
  const tree = treeOf(leaves, sha256)
  const document: SalesDocument = {
    v: tagged(salesTag, simulated),
    day,
    root: toHex(root(tree, sha256)),
    tree_size: tree.size,
    ...(simulated ? { simulated: true } : {})
  }
  const entry = yield* keepDocument(
    { kind: salesKind, subject: day, body: salesText(document) },
    now,
    simulated
  )
  yield* placeSales(day, placesOf(leaves, new Set(sales), tree))
  return entry
})

/** The places and the paths of the leaves that are sales. */
const placesOf = (
  leaves: ReadonlyArray<Uint8Array>,
  sales: ReadonlySet<Uint8Array>,
  tree: Tree
): ReadonlyArray<PlacedSale> =>
  leaves.flatMap((leaf, place) =>
    sales.has(leaf) ? [{ leaf, place, path: concat(...inclusionProof(tree, place)) }] : []
  )
