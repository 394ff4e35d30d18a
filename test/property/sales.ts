/** Sales per request: authorizations that are sent again, at once, front-run, lost, reverted, undone. */
import { assert } from "@effect/vitest"
import { Clock, Effect, Exit } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as fc from "fast-check"
import { withData } from "../../core/credits/payload.ts"
import { sha256 } from "../../core/credits/Secret.ts"
import { X402 } from "../../core/credits/x402/X402.ts"
import { encode, named } from "../support/payments.ts"
import { type PretendSettler, type Scenario, scenarios, terms } from "../support/settler.ts"
import type { Run } from "./traffic.ts"

const which = fc.constantFrom(0, 0, 0, 1, 2)

export type Step =
  | { readonly kind: "pay"; readonly which: number; readonly dear: boolean; readonly way: Scenario }
  | { readonly kind: "front-run" | "undo"; readonly which: number }
  | { readonly kind: "final" }
  | { readonly kind: "complete" }

export const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("pay" as const),
      which,
      dear: fc.constantFrom(false, false, false, true),
      way: fc.constantFrom<Scenario>("settles", ...scenarios)
    })
  },
  fc.record({ kind: fc.constantFrom("front-run" as const, "undo" as const), which }),
  fc.record({ kind: fc.constant("final" as const) }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("complete" as const) }) }
)

const url = "https://shop.test"

export const traffic = Effect.fnUntraced(function* ({ clock, name }: Run, chain: PretendSettler) {
  const sql = yield* SqlClient.SqlClient
  const x402 = yield* X402
  const n = BigInt(name.replaceAll(/\D/g, ""))
  const listed = yield* x402.list(url)
  const validBefore = BigInt(Math.floor((yield* Clock.currentTimeMillis) / 1000)) + 300n

  /** The second and the third are of one payer, who gave them one name. */
  const signed = [0n, 1n, 2n].map((k) => {
    const payer = n * 2n + (k === 0n ? 0n : 1n)
    const nonce = `0x${(n * 3n + k).toString(16).padStart(64, "0")}`
    const from = `0x${payer.toString(16).padStart(40, "0")}`
    return {
      nonce,
      from,
      extension: k === 0n ? {} : named(`payment_of_${payer.toString().padStart(20, "0")}`)
    }
  })
  const authorization = (k: number) => signed[k] ?? assert.fail("no such authorization")
  const amounts = { depin_provenance: 490_000n, depin_revenue_snapshot: 2_990_000n }
  type Key = keyof typeof amounts

  /** What each authorization was given. */
  const answersByNonce = new Map<string, Set<string>>()

  const pay = Effect.fnUntraced(function* (k: number, key: Key) {
    const { extension, from, nonce } = authorization(k)
    const offer = listed.find((each) => each.key === key)?.offer?.accepts[0]
    const header = encode({
      x402Version: 2,
      accepted: offer,
      payload: {
        signature: "0x00",
        authorization: {
          from,
          to: terms.payTo,
          value: String(amounts[key]),
          validAfter: "0",
          validBefore: String(validBefore),
          nonce
        }
      },
      ...extension
    })
    const { data, head } = yield* x402.pay(key, url, { version: 2, header })
    const text = new TextDecoder().decode(withData(head, data))
    const { payload_sha256, payment } = JSON.parse(text) as {
      payload_sha256: string
      payment: { transaction: string }
    }
    assert.strictEqual(sha256(text.slice(text.indexOf(',"data":') + 8, -1)), payload_sha256)
    // What a reorganisation undid is paid by another transaction.
    const answer = text.replace(payment.transaction, "")
    answersByNonce.set(nonce, (answersByNonce.get(nonce) ?? new Set()).add(answer))
  })

  const act = Effect.fnUntraced(function* (of: Step) {
    switch (of.kind) {
      case "pay": {
        chain.scenarioOf.set(authorization(of.which).nonce, of.way)
        return yield* pay(of.which, of.dear ? "depin_revenue_snapshot" : "depin_provenance")
      }
      case "front-run": {
        const { nonce } = authorization(of.which)
        const [sale] = yield* sql<{ amount: bigint }>`select amount from x402_sale where nonce = ${nonce}`
        // Somebody else can only submit what was shown to somebody.
        if (sale === undefined) return
        return yield* chain.submit(
          {
            signature: "0x00",
            authorization: { nonce, validBefore, from: "", to: "", value: 0n, validAfter: 0n }
          },
          "others"
        )
      }
      case "undo": {
        const { nonce } = authorization(of.which)
        if (!chain.final.has(chain.moved.get(nonce) ?? "")) chain.moved.delete(nonce)
        return
      }
      case "final": {
        for (const { nonce } of signed) {
          const transaction = chain.moved.get(nonce)
          if (transaction !== undefined) chain.final.add(transaction)
        }
        return
      }
      case "complete":
        return yield* x402.complete
    }
  })

  /** Leases run out, and what was left in the middle is followed up: sent anew, and then seen. */
  const settleDown = Effect.gen(function* () {
    for (const { nonce } of signed) chain.scenarioOf.delete(nonce)
    for (let n = 0; n < 2; n++) {
      clock.pass(2 * 60_000)
      yield* x402.complete
    }
  })

  const nonces = sql.in(
    "s.nonce",
    signed.map(({ nonce }) => nonce)
  )

  const holds = Effect.gen(function* () {
    yield* settleDown
    const sales = yield* sql<{ nonce: string; product_key: Key; amount: bigint }>`
      select s.nonce, s.product_key, s.amount from x402_sale s where ${nonces}`
    const last = yield* Effect.forEach(signed.keys(), (k) => {
      const sale = sales.find(({ nonce }) => nonce === authorization(k).nonce)
      return Effect.exit(pay(k, sale?.product_key ?? "depin_provenance"))
    })
    yield* settleDown
    const entries = yield* sql<{ nonce: string; cause: string; amount: bigint }>`
      select s.nonce, g.cause, -e.amount as amount from x402_sale s
      join posting g on g.reference = s.id join ledger_entry e on e.posting = g.id and e.account = 'x402'
      where ${nonces}`
    for (const [k, { nonce }] of signed.entries()) {
      const own = sales.filter((sale) => sale.nonce === nonce)
      assert.isAtMost(own.length, 1, "one authorization, one sale")
      const booked = entries.filter((entry) => entry.nonce === nonce)
      assert.isAtMost(booked.filter(({ cause }) => cause === "x402_payment").length, 1, "booked once")
      const came = chain.moved.has(nonce)
      assert.strictEqual(
        booked.reduce((sum, { amount }) => sum + amount, 0n),
        came ? (own[0]?.amount ?? amounts.depin_provenance) : 0n,
        "what came, and nothing else"
      )
      const answers = answersByNonce.get(nonce)?.size ?? 0
      assert.isAtMost(answers, 1, "one authorization, one answer")
      const exit = last[k]
      if (exit !== undefined && Exit.isSuccess(exit)) assert.isNotEmpty(booked)
      else assert.isFalse(came && own.length > 0, `paid, and not given: ${exit}`)
      // The data is given for money alone, be it that a reorganisation took that back later.
      if (answers > 0) assert.isNotEmpty(booked)
    }
    // Else what this run leaves to be watched would stand before what the next ones leave.
    yield* act({ kind: "final" })
    yield* x402.complete
  }).pipe(clock.under)

  return { act, holds }
})
