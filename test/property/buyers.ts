/** Purchases, grants, refunds, rotations and Stripe's events, by three buyers. */
import { assert } from "@effect/vitest"
import { Array as Arr, Clock, Effect, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as fc from "fast-check"
import { Accounts } from "../../core/credits/Accounts.ts"
import { CardEvents } from "../../core/credits/card/CardEvents.ts"
import type { CardEvent, CardProcessor } from "../../core/credits/card/CardProcessor.ts"
import { Ledger } from "../../core/credits/Ledger.ts"
import { Purchases } from "../../core/credits/Purchases.ts"
import { sha256 } from "../../core/credits/Secret.ts"
import type { Run } from "./traffic.ts"

const who = fc.nat(2)

export type Step =
  | { readonly kind: "buy"; readonly who: number; readonly key: number | undefined; readonly dear: boolean }
  | {
      readonly kind: "grant" | "refund"
      readonly who: number
      readonly micros: bigint
      readonly payment: number
    }
  | { readonly kind: "register" | "rotate"; readonly who: number }
  | { readonly kind: "event"; readonly who: number; readonly event: number; readonly again: boolean }

export const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant("buy" as const),
    who,
    key: fc.option(fc.nat(2), { nil: undefined, freq: 4 }),
    dear: fc.boolean()
  }),
  fc.record({
    kind: fc.constantFrom("grant" as const, "refund" as const),
    who,
    micros: fc.bigInt({ min: 1n, max: 6_000_000n }),
    payment: fc.nat(2)
  }),
  fc.record({ kind: fc.constantFrom("register" as const, "rotate" as const), who }),
  fc.record({ kind: fc.constant("event" as const), who, event: fc.nat(9), again: fc.boolean() })
)

/** Stripe's place: what a webhook's body says is taken as it stands; its signatures are another test's. */
export const processor: CardProcessor = {
  checkout: () => Effect.die(new Error("not asked here")),
  portal: () => Effect.die(new Error("not asked here")),
  expire: () => Effect.die(new Error("not asked here")),
  preview: () => Effect.die(new Error("not asked here")),
  change: () => Effect.die(new Error("not asked here")),
  cancel: () => Effect.die(new Error("not asked here")),
  paymentOf: () => Effect.die(new Error("not asked here")),
  refund: () => Effect.die(new Error("not asked here")),
  lines: () => Effect.die(new Error("not asked here")),
  event: (body) =>
    Effect.sync(() => {
      const event = JSON.parse(new TextDecoder().decode(body), (name, value) =>
        name === "amount" || name === "total" ? BigInt(value) : value
      )
      return { ...event, at: new Date(0) } as CardEvent
    })
}

/** What can be told of one payment of 20 USD, in the order in which it happened. */
const events = (name: string) => {
  const session = { kind: "session", session: `cs_${name}`, order: `ord_${name}`, mode: "payment" }
  const paid = { ...session, outcome: "paid", amount: "20000000", payment: `pi_${name}` }
  const dispute = { kind: "dispute", payment: `pi_${name}`, amount: "20000000" }
  const refund = { kind: "refund", payment: `pi_${name}`, failed: false }
  return [
    { ...paid, outcome: "waiting" },
    paid,
    { ...paid, type: "async" },
    { kind: "refunds", payment: `pi_${name}`, total: "5000000" },
    { ...refund, refund: `re_${name}_1`, amount: "5000000" },
    { kind: "refunds", payment: `pi_${name}`, total: "12000000" },
    { ...refund, refund: `re_${name}_2`, amount: "7000000" },
    { ...refund, refund: `re_${name}_1`, amount: "5000000", failed: true },
    { ...dispute, state: "open" },
    { ...dispute, state: "won" }
  ] as const
}

/** What of a payment is gone for good, by the events that were heard, in whatever order. */
const takenBack = (eventNumbers: ReadonlySet<number>): bigint => {
  const failed = eventNumbers.has(7) ? 5_000_000n : 0n
  const total = (eventNumbers.has(5) ? 12_000_000n : eventNumbers.has(3) ? 5_000_000n : 0n) - failed
  const each =
    (eventNumbers.has(4) && !eventNumbers.has(7) ? 5_000_000n : 0n) + (eventNumbers.has(6) ? 7_000_000n : 0n)
  const refunded = total > each ? total : each
  const disputed = eventNumbers.has(8) && !eventNumbers.has(9) ? 20_000_000n : 0n
  return refunded + disputed > 20_000_000n ? 20_000_000n : refunded + disputed
}

/** Three accounts with 5 USD and an order of 20 USD each, written at once: what makes them is not what is tried here. */
export const open = Effect.fnUntraced(function* (name: string) {
  const sql = yield* SqlClient.SqlClient
  const at = new Date(yield* Clock.currentTimeMillis)
  const buyers = Arr.map(Arr.make(0, 1, 2), (n) => ({
    n,
    id: `acc_${name}.${n}`,
    key: `key of ${name}.${n}`
  }))
  yield* sql`insert into account ${sql.insert(
    Arr.map(buyers, ({ id }) => ({ id, agent_name: "", balance: 5_000_000n, created_at: at }))
  )}`
  yield* sql`insert into api_key ${sql.insert(
    Arr.map(buyers, ({ id, key }) => ({ hash: sha256(key), account: id, created_at: at }))
  )}`
  yield* sql`
    with given as (
      insert into posting (key, cause, reference, posted_at)
      select 'operator_grant:' || id, 'operator_grant', id, ${at} from account
      where ${sql.in(
        "id",
        buyers.map(({ id }) => id)
      )}
      returning id, reference
    )
    insert into ledger_entry (posting, account, amount)
    select id, 'credits:' || reference, 5000000 from given union all select id, 'operator', -5000000 from given`
  yield* sql`insert into card_order ${sql.insert(
    Arr.map(buyers, ({ id, n }) => ({
      id: `ord_${name}.${n}`,
      kind: "topup",
      sku: "pack_20",
      amount: 20_000_000n,
      account: id,
      scope: id,
      request_sha256: "",
      session: `cs_${name}.${n}`,
      created_at: at
    }))
  )}`
  return buyers
})

/** What holds for all runs at once: a key is never without its account, a grant never without its credits, nor a fourth. */
export const registered = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const wrong = yield* sql`
    select a.id from account a left join starter_grant s on s.account = a.id
    where (select count(*) from api_key k where k.account = a.id and k.ended_at is null) <> 1
      or (s.account is null) <> not exists (select 1 from posting g where g.key = 'starter_grant:' || a.id)`
  assert.deepStrictEqual(wrong, [])
  const generous = yield* sql`select origin from starter_grant group by origin having count(*) > 3`
  assert.deepStrictEqual(generous, [])
  const [fourth] = yield* sql<{ n: number }>`
    select count(*)::int as n from account a where agent_name = 'of a registration'
      and not exists (select 1 from starter_grant s where s.account = a.id)`
  assert.isAbove(fourth?.n ?? 0, 0, "some networks used up their grants")
})

export const traffic = Effect.fnUntraced(function* (
  { accounts: ids, name }: Run,
  buyers: Effect.Success<ReturnType<typeof open>>
) {
  const sql = yield* SqlClient.SqlClient
  const accounts = yield* Accounts
  const purchases = yield* Purchases
  const ledger = yield* Ledger
  const cards = yield* CardEvents
  const answered = new Map<string, Set<string>>()
  const deliveredEvents = new Map<string, Set<number>>()

  const act = Effect.fnUntraced(function* (of: Step) {
    const { id, key } = buyers[of.who] ?? assert.fail("no such buyer")
    switch (of.kind) {
      case "buy": {
        const account = yield* accounts.find(id)
        if (account === undefined) return yield* Effect.die(new Error("the account is gone"))
        const product_key = of.dear ? "depin_revenue_snapshot" : "depin_provenance"
        const idempotency = of.key === undefined ? undefined : `${of.key}`
        const bytes = yield* purchases.buy(account, { product_key }, idempotency)
        const { purchase_id } = JSON.parse(new TextDecoder().decode(bytes)) as { purchase_id: string }
        const under = `${id} ${idempotency ?? purchase_id}`
        answered.set(under, (answered.get(under) ?? new Set()).add(purchase_id))
        return
      }
      case "grant": {
        yield* ledger.credit(id, of.micros, "operator", {
          cause: "operator_grant",
          reference: id,
          key: `operator_grant:${name}.${of.who}.${of.payment}`
        })
        return
      }
      case "refund": {
        yield* ledger.clawback(id, of.micros, "card", {
          cause: "card_refund",
          reference: name,
          key: `card_refund:${name}.${of.who}.${of.payment}`
        })
        return
      }
      case "register": {
        // Ten runs are of one network.
        yield* accounts.register({ agent_name: "of a registration" }, name.slice(0, -1))
        return
      }
      case "rotate": {
        yield* accounts.rotate(Redacted.make(key))
        return
      }
      case "event": {
        const content = events(`${name}.${of.who}`)[of.event]
        // The same event again, or another event that says the same.
        const event = `evt_${name}.${of.who}.${of.event}${of.again ? ".again" : ""}`
        yield* cards.take(new TextEncoder().encode(JSON.stringify({ type: "", ...content, id: event })), "")
        deliveredEvents.set(id, (deliveredEvents.get(id) ?? new Set()).add(of.event))
        return
      }
    }
  })

  const payments = Effect.gen(function* () {
    const rows = yield* sql<{ payment: string; cause: string; amount: bigint }>`
      select split_part(g.key, ':', 2) as payment, g.cause, e.amount
      from posting g join ledger_entry e on e.posting = g.id and e.account = 'card'
      where g.key like ${`card_payment:pi_${name}.%`} or g.key like ${`card_reversal:pi_${name}.%`}`
    for (const [n, { id }] of buyers.entries()) {
      const eventNumbers = deliveredEvents.get(id) ?? new Set<number>()
      const paid = eventNumbers.has(1) || eventNumbers.has(2)
      const own = rows.filter(({ payment }) => payment === `pi_${name}.${n}`)
      assert.strictEqual(own.filter(({ cause }) => cause === "card_payment").length, paid ? 1 : 0)
      // Seen from the house's account: what came in, less what went back, in whatever order it was told.
      const netPayment = own.reduce((sum, { amount }) => sum - amount, 0n)
      assert.strictEqual(netPayment, paid ? 20_000_000n - takenBack(eventNumbers) : 0n)
    }
  })

  const charges = Effect.gen(function* () {
    const sold = yield* sql<{
      id: string
      bytes: Uint8Array | null
      payload_sha256: string
      price: bigint
      charged: bigint | null
    }>`
      select p.id, p.payload_sha256, p.price, y.bytes,
        (select -e.amount from posting g join ledger_entry e on e.posting = g.id and e.account = 'credits:' || p.account
          where g.key = 'purchase:' || p.id) as charged
      from purchase p left join payload y on y.sha256 = p.payload_sha256
      where ${sql.in("p.account", ids)}`
    for (const purchase of sold) {
      assert.strictEqual(sha256(purchase.bytes ?? new Uint8Array()), purchase.payload_sha256)
      assert.strictEqual(purchase.charged, purchase.price)
    }
    const credits = ids.map((id) => `credits:${id}`)
    const [row] = yield* sql<{ n: number }>`
      select count(*)::int as n from posting g join ledger_entry e on e.posting = g.id
      where g.cause = 'purchase' and ${sql.in("e.account", credits)}`
    assert.strictEqual(row?.n, sold.length)
    const soldIds = new Set(sold.map(({ id }) => id))
    for (const [under, purchaseIds] of answered) {
      assert.strictEqual(purchaseIds.size, 1, under)
      for (const id of purchaseIds) assert.isTrue(soldIds.has(id), "an answer without its purchase")
    }
  })

  const holds = Effect.gen(function* () {
    yield* payments
    yield* charges
    const balances = yield* sql<{ balance: bigint; owed: bigint; entries: bigint; owing: bigint }>`
      select a.balance, a.owed,
        coalesce((select sum(amount)::bigint from ledger_entry where account = 'credits:' || a.id), 0) as entries,
        coalesce((select -sum(amount)::bigint from ledger_entry where account = 'owed:' || a.id), 0) as owing
      from account a where ${sql.in("a.id", ids)}`
    for (const { balance, entries, owed, owing } of balances) {
      assert.deepStrictEqual([balance, owed], [entries, owing])
      assert.isTrue(balance >= 0n && owed >= 0n)
    }
  })

  return { act, holds }
})
