/** The book of a closed month as tables: for a terminal, and as CSV. */
import { type Effect, Stream } from "effect"
import type { BookFee, BookMovement, MoneyBook } from "../../core/proof/moneyBook.ts"
import { csv } from "../../core/readings/csv.ts"

interface Table {
  /** Of the file, without `.csv`. */
  readonly name: string
  readonly says: string
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<Readonly<Record<string, unknown>>>
}

const from: ReadonlySet<string> = new Set(["grants", "operator"])
const outside: ReadonlySet<string> = new Set(["card", "stablecoin", "x402"])
const refundCauses: ReadonlySet<string> = new Set([
  "card_refund",
  "card_refund_failed",
  "card_dispute",
  "card_dispute_won",
  "card_held_settled",
  "transfer_unmatched_settled",
  "x402_reorganised"
])

/** The amount with the other sign. */
const negated = (amount: string): string =>
  amount.startsWith("-") ? amount.slice(1) : /^0\.0+$/.test(amount) ? amount : `-${amount}`

/** What went from an account of the house to customers. */
const grantOf = ({ account, amount, cause, n }: BookMovement) => ({
  cause,
  account,
  n,
  amount: negated(amount)
})

const movementColumns = ["cause", "account", "n", "amount"]

/** The tables of a book, each of which may be empty. */
export const tablesOf = (book: MoneyBook): ReadonlyArray<Table> => [
  {
    name: "accounts",
    says: "accounts of the ledger, which sum to zero: positive is what customers have and what was sold, negative what came in from outside",
    columns: ["account", "opening", "change", "closing", "n_opening", "n_closing"],
    rows: book.accounts.map((row) => ({ ...row }))
  },
  {
    name: "credits",
    says: "credits of customers; what is left of the sold ones is deferred revenue. Granted ones are spent first",
    columns: ["kind", "opening", "added", "used", "taken_back", "closing"],
    rows: book.credits.map((row) => ({ ...row }))
  },
  {
    name: "sales",
    says: "sales by way of payment and product; opening and closing since the first sale",
    columns: ["way", "product", "n", "change", "with_granted", "with_sold", "opening", "closing"],
    rows: book.sales.map((row) => ({ ...row }))
  },
  {
    name: "grants",
    says: "given by the operator without payment",
    columns: movementColumns,
    rows: book.movements.filter(({ account }) => from.has(account)).map(grantOf)
  },
  {
    name: "refunds",
    says: "sent back or taken back by a bank or chain, less what came again",
    columns: movementColumns,
    rows: book.movements
      .filter(({ account, cause }) => outside.has(account) && refundCauses.has(cause))
      .map((row) => ({ ...row }))
  },
  {
    name: "movements",
    says: "all movements, by account and cause",
    columns: ["account", "cause", "n", "amount"],
    rows: book.movements.map((row) => ({ ...row }))
  },
  {
    name: "corrections",
    says: "of these, what is dated in an earlier month and was booked after that was closed",
    columns: ["month", "account", "cause", "n", "amount"],
    rows: book.corrections.map((row) => ({ ...row }))
  },
  {
    name: "fees",
    says: "fees",
    columns: ["party", "usd", "unknown"],
    rows: book.fees.map((row: BookFee) => ({ ...row }))
  },
  {
    name: "comparisons",
    says: "compared with outside parties, payment by payment",
    columns: ["side", "books", "theirs", "n", "n_differences", "not_compared_because"],
    rows: [
      ...book.compared.map(({ differences, ...row }) => ({ ...row, n_differences: differences.length })),
      ...book.not_compared.map(({ side, why }) => ({ side, not_compared_because: why }))
    ]
  }
]

const amountForm = /^-?\d+(\.\d+)?$/

const textOf = (value: unknown): string => (value === undefined ? "" : String(value))

const linesOf = ({ columns, rows, says }: Table): ReadonlyArray<string> => {
  if (rows.length === 0) return ["", `${says}: none`]
  const cells = rows.map((row) => columns.map((column) => textOf(row[column])))
  const widths = columns.map((column, at) =>
    Math.max(column.length, ...cells.map((row) => row[at]?.length ?? 0))
  )
  const numeric = columns.map((_, at) =>
    cells.every((row) => /^$/.test(row[at] ?? "") || amountForm.test(row[at] ?? ""))
  )
  const line = (row: ReadonlyArray<string>) =>
    `  ${row
      .map((cell, at) => (numeric[at] ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0)))
      .join("  ")
      .trimEnd()}`
  return ["", says, line(columns), ...cells.map(line)]
}

/** In words, never more than what was compared. */
const verdict = ({ compared, not_compared }: MoneyBook): string => {
  if (compared.length === 0) return "nothing was compared with an outside party"
  const names = compared.map(({ side }) => side).join(", ")
  if (compared.some(({ differences }) => differences.length > 0)) return "the books do not balance"
  return not_compared.length === 0
    ? "the books balance"
    : `the books balance with what was compared: ${names}`
}

/** The book for a terminal. */
export const bookLines = (book: MoneyBook): ReadonlyArray<string> => [
  `${book.simulated === true ? "SIMULATED: " : ""}${book.month} (UTC) of ${book.origin}, closed at ${book.closed_at}: ${book.n_postings} postings, amounts in ${book.unit}`,
  ...tablesOf(book).flatMap(linesOf),
  ...book.compared.flatMap(({ differences }) => differences.map((difference) => `DIFFERS  ${difference}`)),
  "",
  verdict(book)
]

/** A table as CSV (RFC 4180), with a header line. */
export const csvOf = ({ columns, rows }: Table): Effect.Effect<string> =>
  Stream.fromIterable(rows).pipe(csv(columns), Stream.mkString)
