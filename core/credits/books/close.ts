/**
 * Closes a month: its book is made, signed and stored once, and never changes. What is booked into it afterwards is in the next
 * book, as a correction.
 */
import { Clock, Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { isoTime } from "../../plugin/Value.ts"
import { Malformed } from "../../proof/bytes.ts"
import { parseJson } from "../../proof/json.ts"
import { tagged } from "../../proof/leaf.ts"
import {
  type BookFee,
  type MoneyBook,
  moneyBookHash,
  moneyBookTag,
  readMoneyBook,
  signMoneyBook
} from "../../proof/moneyBook.ts"
import { demandFollows, demandSums } from "../../proof/verifyMoneyBook.ts"
import { rowsOf } from "../../sql/rows.ts"
import { houses, Ledger } from "../Ledger.ts"
import { type Month, monthOf, newestPosting, nextMonth } from "./month.ts"
import { monthSums } from "./monthSums.ts"
import { type Report, report } from "./report.ts"

/** The month cannot be closed, or not yet. Nothing was stored. The message says why, and what to do. */
export class NotClosed extends Schema.TaggedError<NotClosed>()("NotClosed", {
  message: Schema.String,
  /** What differs from an outside party; empty if it is something else. */
  differences: Schema.Array(Schema.String)
}) {}

export interface Signing {
  /** The name of the log. */
  readonly origin: string
  readonly simulated: boolean
  /** The key for answers at a time, epoch milliseconds of the wall clock. */
  readonly key: (at: number) => {
    readonly kid: string
    readonly sign: (message: Uint8Array) => Uint8Array
  }
}

export interface Closed {
  readonly book: MoneyBook
  /** As it was signed, and as it is handed out every time. */
  readonly document: string
}

const bookRows = rowsOf({ month: Schema.String, document: Schema.String })

const refused = (message: string, differences: ReadonlyArray<string> = []) =>
  new NotClosed({ message, differences })

const closedOf = (document: string): Closed => ({ book: readMoneyBook(parseJson(document)).book, document })

const stored = Effect.fnUntraced(function* (month: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql`select month, document from money_book where month = ${month}`.pipe(bookRows)
  return row === undefined ? undefined : closedOf(row.document)
})

const newest = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql`select month, document from money_book order by month desc limit 1`.pipe(bookRows)
  return row === undefined ? undefined : closedOf(row.document).book
})

/** Months are closed one after the other, once they are over. */
const requireNext = Effect.fnUntraced(function* (month: Month, before: MoneyBook | undefined) {
  const now = yield* Clock.currentTimeMillis
  if (now < month.ends) {
    return yield* refused(`${month.name} is not over: it can be closed from ${isoTime(month.ends)} on`)
  }
  const last = before === undefined ? undefined : monthOf(before.month)
  if (last === undefined) return
  const next = nextMonth(last)
  if (month.name === next) return
  return yield* month.name < next
    ? refused(`${month.name} is before the first book; the next month to close is ${next}`)
    : refused(`${next} is not closed; close it first`)
})

/** Stripe's fees are in its balance; what a chain or a facilitator took is recorded nowhere. */
const feesOf = ({ sides }: Report): ReadonlyArray<BookFee> => {
  const card = sides.find(({ name }) => name === "card")
  return [
    {
      party: "Stripe",
      ...(card?.fees_usd === undefined
        ? { unknown: card?.skipped ?? "Stripe was not compared" }
        : { usd: card.fees_usd })
    },
    {
      party: "chain and facilitator, for payments per request",
      unknown: "neither the gas of settlements nor a facilitator's fee is recorded"
    },
    {
      party: "chain, for transfers that were sent back",
      unknown: "the operator sends them from a wallet that the service does not know"
    }
  ]
}

const sidesOf = ({ sides }: Report): Pick<MoneyBook, "compared" | "not_compared"> => ({
  compared: sides.flatMap(({ books_usd, differences, n_compared, name, skipped, theirs_usd }) =>
    skipped === undefined
      ? [{ side: name, books: books_usd, theirs: theirs_usd, n: n_compared, differences }]
      : []
  ),
  not_compared: sides.flatMap(({ name, skipped }) =>
    skipped === undefined ? [] : [{ side: name, why: skipped }]
  )
})

/** The book of a month, before it is signed. A ledger that contradicts itself or an earlier book is not closed. */
const makeBook = Effect.fnUntraced(function* (
  month: Month,
  before: MoneyBook | undefined,
  through: bigint,
  compared: Report,
  { origin, simulated }: Signing
) {
  const sums = yield* monthSums({ ...month, through }, ["credits", "owed", ...houses])
  const book: MoneyBook = {
    v: tagged(moneyBookTag, simulated),
    origin,
    month: month.name,
    unit: "USD",
    closed_at: isoTime(yield* Clock.currentTimeMillis),
    ...(before === undefined ? {} : { previous: moneyBookHash(before) }),
    ...sums,
    fees: feesOf(compared),
    ...sidesOf(compared),
    ...(simulated ? { simulated } : {})
  }
  return yield* Effect.try({
    try: () => {
      demandSums(book)
      if (before !== undefined) demandFollows(book, before)
      return book
    },
    catch: (error) => {
      if (!(error instanceof Malformed)) throw error
      return refused(`the ledger contradicts itself or the book before: ${error.message}`)
    }
  })
})

/**
 * The book of a month, which is closed now if it is not yet. With differences from an outside party it is closed only if
 * `withDifferences`.
 */
export const closeMonth = Effect.fn("Books.closeMonth")(function* (
  month: Month,
  signing: Signing,
  { withDifferences }: { readonly withDifferences: boolean }
) {
  const sql = yield* SqlClient.SqlClient
  const earlier = yield* stored(month.name)
  if (earlier !== undefined) return earlier
  const before = yield* newest
  yield* requireNext(month, before)
  const { problems } = yield* (yield* Ledger).check
  if (problems.length > 0) return yield* refused(`the ledger does not hold: ${problems.join("; ")}`)
  const compared = yield* report({ from: month.starts, to: month.ends })
  const differences = compared.sides.flatMap((side) => side.differences)
  if (differences.length > 0 && !withDifferences) {
    return yield* refused("the books differ from what outside parties have of this month", differences)
  }
  const through = yield* newestPosting
  const book = yield* makeBook(month, before, through, compared, signing)
  const document = signMoneyBook(book, signing.key(Date.parse(book.closed_at)))
  yield* sql`
    insert into money_book (month, starts_at, ends_at, through, document)
    values (${month.name}, ${new Date(month.starts)}, ${new Date(month.ends)}, ${through}, ${document})
    on conflict do nothing`
  // Another process may have closed it meanwhile: there is one book, whoever made it.
  return (yield* stored(month.name)) ?? closedOf(document)
})
