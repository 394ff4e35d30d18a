/** The book of a month, and the one before it. */
import { publicKeyOf, signEd25519 } from "../../../core/proof/ed25519.ts"
import { parseJson } from "../../../core/proof/json.ts"
import { thumbprint } from "../../../core/proof/keys.ts"
import { type MoneyBook, moneyBookHash, signMoneyBook } from "../../../core/proof/moneyBook.ts"
import { verifyMoneyBook } from "../../../core/proof/verifyMoneyBook.ts"
import { keys, secret } from "../../support/publication.ts"
import { group, now, pins } from "./table.ts"

const kid = thumbprint(publicKeyOf(secret))
const signed = (book: MoneyBook): unknown =>
  parseJson(signMoneyBook(book, { kid, sign: (message) => signEd25519(message, secret) }))

const none = { opening: "0.00", change: "0.00", closing: "0.00" }

const july: MoneyBook = {
  v: "service-money-book-v1",
  origin: "plumbline.test/log",
  month: "2026-07",
  unit: "USD",
  closed_at: "2026-09-05T08:00:00Z",
  n_postings: 1,
  accounts: [
    { account: "credits", opening: "0.00", change: "5.00", closing: "5.00", n_opening: 0, n_closing: 1 },
    { account: "card", opening: "0.00", change: "-5.00", closing: "-5.00" },
    { account: "sales", ...none }
  ],
  movements: [
    { cause: "card_payment", account: "credits", n: 1, amount: "5.00" },
    { cause: "card_payment", account: "card", n: 1, amount: "-5.00" }
  ],
  corrections: [],
  credits: [
    { kind: "granted", opening: "0.00", added: "0.00", used: "0.00", taken_back: "0.00", closing: "0.00" },
    { kind: "sold", opening: "0.00", added: "5.00", used: "0.00", taken_back: "0.00", closing: "5.00" }
  ],
  sales: [],
  fees: [{ party: "Stripe", unknown: "Stripe is not configured" }],
  compared: [],
  not_compared: [{ side: "card", why: "Stripe is not configured" }]
}

const august: MoneyBook = {
  ...july,
  month: "2026-08",
  closed_at: "2026-09-05T08:30:00Z",
  previous: moneyBookHash(july),
  accounts: [
    {
      account: "credits",
      opening: "5.00",
      change: "-0.490001",
      closing: "4.509999",
      n_opening: 1,
      n_closing: 1
    },
    { account: "card", opening: "-5.00", change: "0.00", closing: "-5.00" },
    { account: "sales", opening: "0.00", change: "0.490001", closing: "0.490001" }
  ],
  movements: [
    { cause: "purchase", account: "credits", n: 1, amount: "-0.490001" },
    { cause: "purchase", account: "sales", n: 1, amount: "0.490001" }
  ],
  credits: [
    { kind: "granted", opening: "0.00", added: "0.00", used: "0.00", taken_back: "0.00", closing: "0.00" },
    {
      kind: "sold",
      opening: "5.00",
      added: "0.00",
      used: "0.490001",
      taken_back: "0.00",
      closing: "4.509999"
    }
  ],
  sales: [
    {
      way: "credits",
      product: "depin_networks",
      opening: "0.00",
      n: 1,
      change: "0.490001",
      closing: "0.490001",
      with_granted: "0.00",
      with_sold: "0.490001"
    }
  ]
}

/** Two books in a row, as they are handed out. */
interface Pair {
  readonly before: unknown
  readonly book: unknown
}

const forged =
  (members: Partial<MoneyBook>) =>
  ({ before }: Pair): Pair => ({ before, book: signed({ ...august, ...members }) })

export const moneyBooks = group<Pair>(
  "the book of a month",
  () => ({ before: signed(july), book: signed(august) }),
  ({ before, book }) => verifyMoneyBook(book, { keys, pins, now, previous: before }),
  [
    {
      name: "another amount under the old signature",
      foundBy: "book",
      forge: ({ before, book }) => ({
        before,
        book: parseJson(JSON.stringify(book).replaceAll("0.490001", "0.490002"))
      })
    },
    {
      name: "an account that does not close with what moved it",
      foundBy: "sums",
      forge: forged({
        accounts: august.accounts.map((one) => (one.account === "sales" ? { ...one, closing: "9.00" } : one))
      })
    },
    {
      name: "a movement that is left out",
      foundBy: "sums",
      says: /movements of sales/,
      forge: forged({ movements: august.movements.slice(0, 1) })
    },
    {
      name: "sold credits that are told as granted",
      foundBy: "sums",
      forge: forged({
        credits: august.credits.map((one) => (one.kind === "sold" ? { ...one, closing: "0.00" } : one))
      })
    },
    {
      name: "a product that is left out",
      foundBy: "sums",
      says: /parts of sales/,
      forge: forged({ sales: [] })
    },
    {
      name: "a correction of its own month",
      foundBy: "sums",
      forge: forged({
        corrections: [{ month: "2026-08", cause: "purchase", account: "sales", n: 1, amount: "0.01" }]
      })
    },
    {
      name: "a month between",
      foundBy: "book before",
      says: /the book before is of 2026-07/,
      forge: forged({ month: "2026-09" })
    },
    {
      name: "another book before it",
      foundBy: "book before",
      says: /another book of 2026-07/,
      forge: ({ book }) => ({ before: signed({ ...july, n_postings: 2 }), book })
    },
    {
      name: "that opens with less than the one before closed with",
      foundBy: "book before",
      says: /does not open/,
      forge: forged({
        accounts: [
          { account: "credits", opening: "4.00", change: "-0.490001", closing: "3.509999" },
          { account: "card", opening: "-4.00", change: "0.00", closing: "-4.00" },
          { account: "sales", opening: "0.00", change: "0.490001", closing: "0.490001" }
        ],
        credits: august.credits.map((one) =>
          one.kind === "sold" ? { ...one, opening: "4.00", closing: "3.509999" } : one
        )
      })
    },
    {
      name: "a customer's name beside it",
      foundBy: "book",
      says: /unknown member/,
      forge: ({ before, book }) => ({ before, book: { ...(book as object), customer: "ada" } })
    }
  ]
)
