/** Checks the book of a closed month: its signature, that its sums add up, and that it follows the book before. Needs only files. */
import { type Check, check, demand, notChecked, notProved, type Pins, reading } from "./check.ts"
import { parseKeyDocument } from "./keys.ts"
import { type MoneyBook, moneyBookHash, readMoneyBook } from "./moneyBook.ts"
import { inUse, vouched } from "./verifyResponse.ts"

export interface MoneyBookOptions {
  /** The service's key document, as parsed JSON. */
  readonly keys: unknown
  readonly pins?: Pins
  /** Wall clock in epoch milliseconds. */
  readonly now?: number
  /** The book of the month before, as parsed JSON. */
  readonly previous?: unknown
}

/** Millionths of a dollar. */
const micros = (decimal: string): bigint => {
  const [whole = "", places = ""] = decimal.split(".")
  return BigInt(`${whole}${places.padEnd(6, "0")}`)
}

const sum = (amounts: ReadonlyArray<string>): bigint =>
  amounts.reduce((total, amount) => total + micros(amount), 0n)

const accountOf = (book: MoneyBook, name: string) => book.accounts.find(({ account }) => account === name)

const demandEqual = (a: bigint, b: bigint, what: string): void =>
  demand(a === b, `${what}: ${a} and ${b} millionths of a dollar`)

/** Demands that the sums of a book add up. Throws `Malformed`. */
export const demandSums = (book: MoneyBook): void => {
  const { accounts, corrections, credits, movements, sales } = book
  const names = new Set(accounts.map(({ account }) => account))
  demand(names.size === accounts.length, "an account is listed twice")
  for (const { account, change, closing, opening } of accounts) {
    demandEqual(sum([opening, change]), micros(closing), `${account} does not close with opening and change`)
    const moved = movements.filter((one) => one.account === account).map(({ amount }) => amount)
    demandEqual(sum(moved), micros(change), `the movements of ${account} are not its change`)
  }
  const stranger = movements.find(({ account }) => !names.has(account))
  demand(stranger === undefined, `movements of ${stranger?.account}, which is not listed`)
  for (const at of ["opening", "closing"] as const) {
    demandEqual(sum(accounts.map((one) => one[at])), 0n, `the accounts do not sum to zero at the ${at}`)
    for (const [name, parts] of [["credits", credits] as const, ["sales", sales] as const]) {
      demandEqual(
        sum(parts.map((one) => one[at])),
        micros(accountOf(book, name)?.[at] ?? "0.00"),
        `the parts of ${name} at the ${at}`
      )
    }
  }
  for (const { added, closing, kind, opening, taken_back, used } of credits) {
    demandEqual(
      sum([opening, added]) - sum([used, taken_back]),
      micros(closing),
      `${kind} credits do not close with what moved`
    )
  }
  for (const { change, closing, opening, product, with_granted, with_sold } of sales) {
    demandEqual(
      sum([opening, change]),
      micros(closing),
      `sales of ${product} do not close with opening and change`
    )
    if (with_granted !== undefined && with_sold !== undefined) {
      demandEqual(sum([with_granted, with_sold]), micros(change), `what paid for ${product}`)
    }
  }
  const late = corrections.find(({ month }) => month >= book.month)
  demand(late === undefined, `a correction of ${late?.month} is not of an earlier month`)
}

const monthAfter = (month: string): string => {
  const [year = 0, number = 0] = month.split("-").map(Number)
  return new Date(Date.UTC(year, number)).toISOString().slice(0, 7)
}

const openingsOf = (book: MoneyBook, at: "opening" | "closing"): ReadonlyMap<string, bigint> =>
  new Map(
    [
      ...book.accounts.map((one) => [one.account, one[at]] as const),
      ...book.credits.map((one) => [`${one.kind} credits`, one[at]] as const),
      ...book.sales.map((one) => [`${one.product} (${one.way})`, one[at]] as const)
    ]
      .map(([name, amount]) => [name, micros(amount)] as const)
      .filter(([, amount]) => amount !== 0n)
  )

/** Demands that a book opens with what the one before closed with. Throws `Malformed`. */
export const demandFollows = (book: MoneyBook, before: MoneyBook): void => {
  demand(
    book.month === monthAfter(before.month),
    `the book before is of ${before.month}, this one of ${book.month}`
  )
  demand(book.previous === moneyBookHash(before), `it names another book of ${before.month}`)
  const [opened, closed] = [openingsOf(book, "opening"), openingsOf(before, "closing")]
  for (const name of new Set([...opened.keys(), ...closed.keys()])) {
    demandEqual(
      opened.get(name) ?? 0n,
      closed.get(name) ?? 0n,
      `${name} does not open with what ${before.month} closed with`
    )
  }
}

/** Checks a book. */
export const verifyMoneyBook = (
  value: unknown,
  { keys, now, pins = [], previous }: MoneyBookOptions
): ReadonlyArray<Check> => {
  const read = reading(
    "book",
    () => {
      const { book, isSignedBy, kid } = readMoneyBook(value)
      const document = parseKeyDocument(keys)
      const key = document.answers.find((each) => each.kid === kid)
      demand(key !== undefined, `it names key ${kid}, which is not a key for answers`)
      demand(isSignedBy(key.publicKey), `it is not what key ${kid} signed`)
      return { book, document, key }
    },
    ({ book, key }) =>
      `${book.simulated === true ? "SIMULATED: " : ""}${book.origin}, ${book.month}, ${book.n_postings} postings, key ${key.kid}`
  )
  if (read.value === undefined) return [read.check, notProved("key in use", "no key matches the signature")]
  const { book, document, key } = read.value
  return [
    read.check,
    inUse(key, book.closed_at, now),
    vouched(key, document, pins),
    check("sums", () => {
      demandSums(book)
      return "every account, product and kind of credits opens, moves and closes consistently"
    }),
    previousCheck(book, previous)
  ]
}

const previousCheck = (book: MoneyBook, previous: unknown): Check => {
  const name = "book before"
  if (book.previous === undefined) return notChecked(name, "it is the first book")
  if (previous === undefined) {
    return notChecked(name, `it names ${book.previous}; pass the book of the month before with --kept`)
  }
  return check(name, () => {
    const before = readMoneyBook(previous).book
    demandFollows(book, before)
    return `it opens with what ${before.month} closed with`
  })
}
