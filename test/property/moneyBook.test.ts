/**
 * Whatever is booked, in whatever month and however late: the books of closed months follow one another, and each has exactly
 * what a model of the ledger has, for every account, product and kind of credits.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { type Closed, closeMonth } from "../../core/credits/books/close.ts"
import { type Month, monthOf } from "../../core/credits/books/month.ts"
import { type Cause, type House, houses, Ledger } from "../../core/credits/Ledger.ts"
import { format } from "../../core/credits/Money.ts"
import { publicKeyOf, signEd25519 } from "../../core/proof/ed25519.ts"
import { thumbprint } from "../../core/proof/keys.ts"
import { verifyMoneyBook } from "../../core/proof/verifyMoneyBook.ts"
import { onBothEngines } from "../support/database.ts"
import { keys, secret } from "../support/publication.ts"

const kid = thumbprint(publicKeyOf(secret))
const signing = {
  origin: "plumbline.test/log",
  simulated: false,
  key: () => ({ kid, sign: (message: Uint8Array) => signEd25519(message, secret) })
}

const products = ["depin_provenance", "depin_networks"]
const people = ["acc_1", "acc_2", "acc_3"]

interface Step {
  readonly kind: "grant" | "pay" | "buy" | "refund" | "request" | "subscribe" | "take" | "giveBack" | "held"
  readonly who: number
  readonly product: number
  readonly micros: bigint
  /** Months from the one that is closed next: booked late, in time, or by a clock that is ahead. */
  readonly dated: number
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom<Step["kind"]>(
    ...(["grant", "pay", "buy", "buy", "refund", "request", "subscribe", "take", "giveBack", "held"] as const)
  ),
  who: fc.nat(people.length - 1),
  product: fc.nat(products.length - 1),
  micros: fc.bigInt({ min: 1n, max: 9_000_000n }),
  dated: fc.constantFrom(-2, -1, 0, 0, 0, 0, 1)
})

const rounds = fc.array(fc.array(step, { maxLength: 14 }), { minLength: 2, maxLength: 4 })

interface Entry {
  readonly book: number
  readonly dated: number
  readonly account: string
  readonly amount: bigint
  readonly cause: Cause
  /** The other side, and the product, of an entry of a customer's credits. */
  readonly house?: House
  readonly product?: string
}

/** What the ledger should have. */
interface Model {
  readonly entries: Array<Entry>
  readonly customers: Map<string, { balance: bigint; owed: bigint }>
  /** The month that is closed next. */
  next: number
  postings: number
  previous: Closed | undefined
}

const monthAt = (index: number): Month =>
  monthOf(new Date(Date.UTC(2026, index)).toISOString().slice(0, 7)) ?? assert.fail("no month")

/** Splits a sum as the ledger does, and books it. */
const act = Effect.fnUntraced(function* (model: Model, { dated: offset, kind, micros, product, who }: Step) {
  const ledger = yield* Ledger
  const sql = yield* SqlClient.SqlClient
  const account = people[who] ?? ""
  const dated = model.next + offset
  const month = monthAt(dated)
  const posting = ++model.postings
  yield* TestClock.setTime(month.starts + (posting % 27) * 86_400_000)
  const named = { reference: `ref_${posting}`, key: `key_${posting}` }
  // Everything before the first month is before its book; later, what is late is in the next book.
  const book = model.next === 0 && dated < 0 ? -1 : Math.max(dated, model.next)
  const has = model.customers.get(account) ?? assert.fail("no such customer")
  const add = (entries: ReadonlyArray<Omit<Entry, "book" | "dated">>) => {
    for (const entry of entries) if (entry.amount !== 0n) model.entries.push({ ...entry, book, dated })
  }
  const customer = (cause: Cause, house: House, change: { balance: bigint; owed: bigint }, sold?: string) => {
    add(
      [
        {
          account: "credits",
          amount: change.balance,
          cause,
          house,
          ...(sold === undefined ? {} : { product: sold })
        },
        { account: "owed", amount: -change.owed, cause },
        {
          account: house,
          amount: change.owed - change.balance,
          cause,
          ...(sold === undefined ? {} : { product: sold })
        }
      ].map((entry) =>
        entry.account === "credits" || entry.account === "owed"
          ? { ...entry, account: `${entry.account}:${account}` }
          : entry
      )
    )
    has.balance += change.balance
    has.owed += change.owed
  }
  const credit = Effect.fnUntraced(function* (cause: Cause, house: House) {
    const paidOff = has.owed < micros ? has.owed : micros
    yield* ledger.credit(account, micros, house, { ...named, cause })
    const sold = house === "sales" ? "by hand" : undefined
    customer(cause, house, { balance: micros - paidOff, owed: -paidOff }, sold)
  })
  const sku = products[product] ?? ""
  switch (kind) {
    case "grant":
      return yield* credit("operator_grant", "operator")
    case "pay":
      return yield* credit("card_payment", "card")
    case "giveBack":
      return yield* credit("operator_credit", "sales")
    case "buy":
    case "take": {
      if (has.balance < micros) return
      const [cause, house] =
        kind === "buy" ? (["purchase", "sales"] as const) : (["operator_debit", "operator"] as const)
      if (kind === "buy") {
        yield* sql`insert into purchase (id, account, product_key, price, remaining, payload_sha256, request_sha256,
          purchased_at) values (${named.reference}, ${account}, ${sku}, ${micros}, 0, 'payload', '', now())`
      }
      yield* ledger.debit(account, micros, house, { ...named, cause })
      return customer(cause, house, { balance: -micros, owed: 0n }, kind === "buy" ? sku : undefined)
    }
    case "refund": {
      const back = has.balance < micros ? has.balance : micros
      yield* ledger.clawback(account, micros, "card", { ...named, cause: "card_refund" })
      return customer("card_refund", "card", { balance: -back, owed: micros - back })
    }
    case "held":
    case "request":
    case "subscribe": {
      const [from, to, cause] =
        kind === "held"
          ? (["card", "suspense", "card_held"] as const)
          : kind === "request"
            ? (["x402", "sales", "x402_payment"] as const)
            : (["card", "sales", "subscription_payment"] as const)
      if (kind === "request") {
        yield* sql`insert into x402_sale (id, network, asset, payer, nonce, recipient, amount, valid_after, valid_before,
          signature, product_key, payload_sha256, state, lease_until, since_block, created_at)
          values (${named.reference}, '', '', '', ${named.key}, '', ${micros}, 0, 0, '', ${sku}, 'payload', 'failed', now(), 0,
            now())`
      }
      if (kind === "subscribe") {
        yield* sql`insert into subscription_invoice (invoice, subscription, paid_at) values (${named.reference}, 'sub', now())`
      }
      yield* ledger.between(from, to, micros, { ...named, cause })
      return add([
        { account: from, amount: -micros, cause },
        { account: to, amount: micros, cause, product: kind === "request" ? sku : "dp_agent_499" }
      ])
    }
  }
})

const sum = (entries: ReadonlyArray<Entry>): bigint =>
  entries.reduce((total, { amount }) => total + amount, 0n)
const nameOf = ({ account }: Entry) => account.split(":")[0]

const lesser = (a: bigint, b: bigint) => (a < b ? a : b)

/** Granted and sold credits of one customer after some entries, and what paid for each product after `since`. */
const poolsOf = (entries: ReadonlyArray<Entry>, since: number) => {
  let [granted, sold] = [0n, 0n]
  const paid = new Map<string, { granted: bigint; sold: bigint }>()
  for (const { amount, book, house = "card", product } of entries.toSorted((a, b) => a.book - b.book)) {
    const before = { granted, sold }
    if (amount > 0n) {
      if (house === "operator") granted += amount
      else sold += amount
    } else if (house === "operator" || house === "sales") {
      const first = lesser(granted, -amount)
      granted -= first
      sold += amount + first
    } else {
      const first = lesser(sold, -amount)
      sold -= first
      granted += amount + first
    }
    if (book >= since && product !== undefined && amount < 0n) {
      const so = paid.get(product) ?? { granted: 0n, sold: 0n }
      paid.set(product, {
        granted: so.granted + before.granted - granted,
        sold: so.sold + before.sold - sold
      })
    }
  }
  return { granted, sold, paid }
}

const expected = ({ entries }: Model, book: number) => {
  const [before, now] = [entries.filter((one) => one.book < book), entries.filter((one) => one.book === book)]
  const of = (list: ReadonlyArray<Entry>, account: string) => list.filter((one) => nameOf(one) === account)
  const sums = (select: (one: Entry) => boolean) => {
    const [opening, change] = [sum(before.filter(select)), sum(now.filter(select))]
    return { opening: format(opening), change: format(change), closing: format(opening + change) }
  }
  const pools = (until: number) =>
    people.map((person) =>
      poolsOf(
        entries.filter((one) => one.account === `credits:${person}` && one.book <= until),
        book
      )
    )
  const [opened, closed] = [pools(book - 1), pools(book)]
  const paidFor = (product: string) => {
    const parts = closed.map(({ paid }) => paid.get(product) ?? { granted: 0n, sold: 0n })
    return {
      with_granted: format(parts.reduce((total, part) => total + part.granted, 0n)),
      with_sold: format(parts.reduce((total, part) => total + part.sold, 0n))
    }
  }
  const total = (list: ReturnType<typeof pools>, kind: "granted" | "sold") =>
    format(list.reduce((all, one) => all + one[kind], 0n))
  const soldBy = (way: string) => (one: Entry) =>
    one.account === "sales" &&
    { purchase: "credits", x402_payment: "per_request", subscription_payment: "subscription" }[
      one.cause as string
    ] === way
  const ways = ["credits", "per_request", "subscription"].flatMap((way) =>
    [...products, "dp_agent_499"].map((product) => ({
      way,
      product,
      ...sums((one) => soldBy(way)(one) && one.product === product),
      ...(way === "credits" ? paidFor(product) : {})
    }))
  )
  const byHand = {
    way: "correction",
    product: "by hand",
    ...sums((one) => one.account === "sales" && one.product === "by hand")
  }
  const isHeld = (list: ReadonlyArray<Entry>, name: string) =>
    people.filter((person) => sum(list.filter((one) => one.account === `${name}:${person}`)) !== 0n).length
  return {
    accounts: new Map(
      ["credits", "owed", ...houses].map((account) => [account, sums((one) => nameOf(one) === account)])
    ),
    holders: [isHeld(before, "credits"), isHeld([...before, ...now], "credits")],
    credits: (["granted", "sold"] as const).map((kind) => [kind, total(opened, kind), total(closed, kind)]),
    sales: [...ways, byHand].filter(({ closing, opening }) => closing !== "0.00" || opening !== "0.00"),
    late: format(sum(of(now, "sales").filter(({ dated }) => dated < book)))
  }
}

const close = Effect.fnUntraced(function* (model: Model) {
  const month = monthAt(model.next)
  yield* TestClock.setTime(month.ends + 3 * 86_400_000)
  const closed = yield* closeMonth(month, signing, { withDifferences: true })
  const again = yield* closeMonth(month, signing, { withDifferences: true })
  assert.strictEqual(again.document, closed.document, "closing twice gives the same bytes")
  const { book } = closed
  const should = expected(model, model.next)
  assert.deepStrictEqual(
    new Map(
      book.accounts.map(({ account, change, closing, opening }) => [account, { opening, change, closing }])
    ),
    should.accounts
  )
  const credits = book.accounts.find(({ account }) => account === "credits") ?? assert.fail("no credits")
  assert.deepStrictEqual([credits.n_opening, credits.n_closing], should.holders)
  assert.deepStrictEqual(
    book.credits.map(({ closing, kind, opening }) => [kind, opening, closing]),
    should.credits
  )
  const inOrder = (rows: ReadonlyArray<{ readonly way: string; readonly product: string }>) =>
    rows.toSorted((a, b) => `${a.way} ${a.product}`.localeCompare(`${b.way} ${b.product}`))
  assert.deepStrictEqual(
    inOrder(
      book.sales
        .filter(({ closing, opening }) => closing !== "0.00" || opening !== "0.00")
        .map(({ n: _, ...row }) => row)
    ),
    inOrder(should.sales)
  )
  const late = book.corrections.filter(({ account }) => account === "sales")
  assert.strictEqual(
    format(late.reduce((total, { amount }) => total + BigInt(Math.round(Number(amount) * 1e6)), 0n)),
    should.late
  )
  const checks = verifyMoneyBook(JSON.parse(closed.document), {
    keys,
    pins: [kid],
    ...(model.previous === undefined ? {} : { previous: JSON.parse(model.previous.document) })
  })
  assert.deepStrictEqual(
    checks.filter(({ name, ok }) => ok !== true && name !== "key in use"),
    model.previous === undefined ? checks.filter(({ name }) => name === "book before") : []
  )
  assert.notInclude(closed.document, "acc_", "no account is named")
  model.previous = closed
  model.next += 1
})

onBothEngines("the books of months", (database) => {
  layer(Ledger.layer.pipe(Layer.provideMerge(database)))((it) => {
    it.effect(
      "have exactly what was booked",
      () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* sql`insert into payload (sha256, bytes) values ('payload', '')`
          yield* sql`insert into card_order (id, kind, sku, amount, scope, request_sha256, created_at)
            values ('ord', 'subscription', 'dp_agent_499', 1, '', '', now())`
          yield* sql`insert into subscription (id, card_order, state, told_at) values ('sub', 'ord', 'active', now())`
          for (const id of people) {
            yield* sql`insert into account (id, agent_name, created_at) values (${id}, '', now())`
          }
          const model: Model = {
            entries: [],
            customers: new Map(people.map((id) => [id, { balance: 0n, owed: 0n }])),
            next: 0,
            postings: 0,
            previous: undefined
          }
          const run = Effect.runPromiseWith(yield* Effect.context<Ledger | SqlClient.SqlClient>())
          yield* Effect.promise(() =>
            fc.assert(
              fc.asyncProperty(rounds, (months) =>
                run(
                  Effect.forEach(
                    months,
                    (steps) =>
                      Effect.andThen(
                        Effect.forEach(steps, (each) => act(model, each)),
                        close(model)
                      ),
                    { discard: true }
                  )
                )
              ),
              { numRuns: 12, endOnFailure: true }
            )
          )
          const { ok } = yield* (yield* Ledger).check
          assert.isTrue(ok)
        }),
      120_000
    )
  })
})
