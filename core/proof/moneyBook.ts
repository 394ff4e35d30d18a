/**
 * The book of a closed month: what the ledger of credits had before and after it, and what moved. Signed in the same way as an
 * event: canonical JSON, then `kid` and `signature`. Amounts are exact decimals in USD, as text. No account is named in it.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { Malformed, toHex, utf8 } from "./bytes.ts"
import { canonical, isRecord } from "./canonical.ts"
import { verifyEd25519 } from "./ed25519.ts"
import { checkTag, type Tag } from "./leaf.ts"
import * as s from "./shape.ts"
import { parseSignatureHeader, signatureHeader } from "./statement.ts"

export const moneyBookTag = "service-money-book-v1"

/** An account of the ledger; `credits` and `owed` are the sums over all customers. opening + change = closing. */
export interface BookAccount {
  readonly account: string
  readonly opening: string
  readonly change: string
  readonly closing: string
  /** Customers who have anything there; of `credits` and `owed`. */
  readonly n_opening?: number
  readonly n_closing?: number
}

/** What moved one account for one cause. The amounts of an account add up to its change. */
export interface BookMovement {
  readonly cause: string
  readonly account: string
  readonly n: number
  readonly amount: string
}

/** A movement that is dated in an earlier month, and was booked after that month was closed. */
export interface BookCorrection extends BookMovement {
  readonly month: string
}

/**
 * Credits that customers have, by how they got them. Granted ones are spent first; refunds take sold ones first. What is left
 * of the sold ones is deferred revenue. opening + added - used - taken_back = closing.
 */
export interface BookCredits {
  readonly kind: "granted" | "sold"
  readonly opening: string
  readonly added: string
  readonly used: string
  readonly taken_back: string
  readonly closing: string
}

/** Sales of one product in one way, less what was reversed; opening and closing are sums since the first sale. */
export interface BookSales {
  /** `per_request`: by x402 or MPP, which are the same sale. `correction`: by hand. */
  readonly way: "credits" | "per_request" | "subscription" | "correction"
  readonly product: string
  readonly opening: string
  readonly n: number
  readonly change: string
  readonly closing: string
  /** Of a sale for credits: which of them paid. */
  readonly with_granted?: string
  readonly with_sold?: string
}

/** What was paid to a party, or why that is not known. */
export interface BookFee {
  readonly party: string
  readonly usd?: string
  readonly unknown?: string
}

/** What was compared with an outside party, payment by payment. */
export interface BookCompared {
  readonly side: string
  readonly books: string
  readonly theirs: string
  readonly n: number
  readonly differences: ReadonlyArray<string>
}

export interface BookNotCompared {
  readonly side: string
  readonly why: string
}

export interface MoneyBook {
  readonly v: Tag<typeof moneyBookTag>
  /** The name of the service's log. */
  readonly origin: string
  /** YYYY-MM, of UTC. */
  readonly month: string
  readonly unit: "USD"
  readonly closed_at: string
  /** Hash (`moneyBookHash`) of the book before; absent in the first. */
  readonly previous?: string
  /** Postings in this book, corrections among them. */
  readonly n_postings: number
  readonly accounts: ReadonlyArray<BookAccount>
  readonly movements: ReadonlyArray<BookMovement>
  readonly corrections: ReadonlyArray<BookCorrection>
  readonly credits: ReadonlyArray<BookCredits>
  readonly sales: ReadonlyArray<BookSales>
  readonly fees: ReadonlyArray<BookFee>
  readonly compared: ReadonlyArray<BookCompared>
  readonly not_compared: ReadonlyArray<BookNotCompared>
  /** Present exactly in the demo. */
  readonly simulated?: true
}

const decimalForm = /^-?(0|[1-9]\d*)\.\d{2,6}$/
const decimal: s.Member<string> = {
  is: (value): value is string => typeof value === "string" && decimalForm.test(value),
  says: "an amount in USD with 2 to 6 decimals",
  optional: false
}
const monthForm = /^\d{4}-(0[1-9]|1[0-2])$/
const month: s.Member<string> = {
  is: (value): value is string => typeof value === "string" && monthForm.test(value),
  says: "a month YYYY-MM",
  optional: false
}

const movement: s.Shape<BookMovement> = { cause: s.name, account: s.name, n: s.count, amount: decimal }

const shape: s.Shape<MoneyBook> = {
  v: s.oneOf<Tag<typeof moneyBookTag>>(moneyBookTag, `${moneyBookTag}-demo`),
  origin: s.name,
  month,
  unit: s.oneOf("USD"),
  closed_at: s.time,
  previous: s.optional(s.hash),
  n_postings: s.count,
  accounts: s.listOf(
    s.nested<BookAccount>("an account", {
      account: s.name,
      opening: decimal,
      change: decimal,
      closing: decimal,
      n_opening: s.optional(s.count),
      n_closing: s.optional(s.count)
    })
  ),
  movements: s.listOf(s.nested("a movement", movement)),
  corrections: s.listOf(s.nested<BookCorrection>("a correction", { ...movement, month })),
  credits: s.listOf(
    s.nested<BookCredits>("credits", {
      kind: s.oneOf("granted", "sold"),
      opening: decimal,
      added: decimal,
      used: decimal,
      taken_back: decimal,
      closing: decimal
    })
  ),
  sales: s.listOf(
    s.nested<BookSales>("a sale", {
      way: s.oneOf("credits", "per_request", "subscription", "correction"),
      product: s.name,
      opening: decimal,
      n: s.count,
      change: decimal,
      closing: decimal,
      with_granted: s.optional(decimal),
      with_sold: s.optional(decimal)
    })
  ),
  fees: s.listOf(
    s.nested<BookFee>("a fee", {
      party: s.name,
      usd: s.optional(decimal),
      unknown: s.optional(s.nonEmpty)
    })
  ),
  compared: s.listOf(
    s.nested<BookCompared>("a comparison", {
      side: s.name,
      books: decimal,
      theirs: decimal,
      n: s.count,
      differences: s.listOf(s.nonEmpty)
    })
  ),
  not_compared: s.listOf(s.nested<BookNotCompared>("a side", { side: s.name, why: s.nonEmpty })),
  simulated: s.optional(s.trueOrAbsent)
}

const checkMoneyBook = (value: unknown): MoneyBook => {
  const book = s.readShape("a book", value, shape)
  checkTag(book, moneyBookTag)
  return book
}

/** Hash of a book, by the text that is signed: SHA-256 in lower-case hex. */
export const moneyBookHash = (book: MoneyBook): string => toHex(sha256(utf8(canonical(book))))

/** The book as it is handed out: canonical JSON with `kid` and `signature`. Throws `Malformed`. */
export const signMoneyBook = (
  book: MoneyBook,
  key: { readonly kid: string; readonly sign: (message: Uint8Array) => Uint8Array }
): string => {
  const text = canonical(checkMoneyBook(book))
  return canonical({ ...book, kid: key.kid, signature: signatureHeader(key.sign(utf8(text))) })
}

/** A book that was handed out, taken apart. Throws `Malformed`. */
export const readMoneyBook = (value: unknown) => {
  if (!isRecord(value)) throw new Malformed("a book must be an object")
  const { kid, signature, ...rest } = value
  if (typeof kid !== "string" || typeof signature !== "string") {
    throw new Malformed("a book must have `kid` and `signature`")
  }
  const book = checkMoneyBook(rest)
  const mark = parseSignatureHeader(signature)
  return {
    book,
    kid,
    isSignedBy: (publicKey: Uint8Array) => verifyEd25519(mark, utf8(canonical(book)), publicKey)
  }
}
