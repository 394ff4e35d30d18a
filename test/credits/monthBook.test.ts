/** The book of a closed month: what it says of money that came in by card, when it is refused, and what it waits for. */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { type Closed, closeMonth } from "../../core/credits/books/close.ts"
import { monthOf } from "../../core/credits/books/month.ts"
import { Ledger } from "../../core/credits/Ledger.ts"
import { publicKeyOf, signEd25519 } from "../../core/proof/ed25519.ts"
import { thumbprint } from "../../core/proof/keys.ts"
import { ordered, setTime, tell, withStripe } from "../support/bookkeeping.ts"
import { secret } from "../support/publication.ts"

const signing = {
  origin: "plumbline.test/log",
  simulated: false,
  key: () => ({
    kid: thumbprint(publicKeyOf(secret)),
    sign: (message: Uint8Array) => signEd25519(message, secret)
  })
}

const close = (name: string, withDifferences = false) =>
  closeMonth(monthOf(name) ?? assert.fail(`no month ${name}`), signing, { withDifferences })

const accountOf = ({ book }: Closed, name: string) => book.accounts.find(({ account }) => account === name)

it.effect("has what Stripe has, its fees and refunds, and is refused while something differs", () =>
  withStripe((stub) =>
    Effect.gen(function* () {
      yield* setTime(stub, Date.UTC(1970, 1, 3))
      const [paid, refunded] = [yield* ordered(stub), yield* ordered(stub)]
      for (const { session } of [paid, refunded]) yield* tell(stub, stub.complete(session))
      stub.move("refund", refunded.of.payment_intent ?? "", -500, "refund")
      yield* tell(stub, stub.refund(refunded.of.payment_intent ?? "", 500))

      assert.include((yield* Effect.flip(close("1970-02"))).message, "1970-02 is not over")
      yield* setTime(stub, Date.UTC(1970, 1, 27))
      const lost = yield* ordered(stub)
      stub.complete(lost.session)
      yield* setTime(stub, Date.UTC(1970, 2, 1))
      const differing = yield* Effect.flip(close("1970-02"))
      assert.include(differing._tag === "NotClosed" ? differing.differences[0] : "", "Stripe has 20.00 USD")
      // Stripe tells of it after the month, so it is in the next book, and the comparison takes both together.
      yield* tell(stub, stub.settle(lost.session))
      stub.balance.shift()

      const closed = yield* close("1970-02")
      assert.deepStrictEqual(closed.book.compared, [
        { side: "card", books: "35.00", theirs: "55.00", n: 3, differences: [] }
      ])
      assert.deepStrictEqual(closed.book.not_compared, [
        { side: "stablecoin", why: "no chain is configured" },
        { side: "x402", why: "no chain is configured" }
      ])
      assert.deepStrictEqual(closed.book.fees[0], { party: "Stripe", usd: "2.64" })
      const [granted, sold] = closed.book.credits
      assert.deepInclude(granted, { kind: "granted", opening: "0.00", used: "0.00" })
      assert.deepStrictEqual(sold, {
        kind: "sold",
        opening: "0.00",
        added: "40.00",
        used: "0.00",
        taken_back: "5.00",
        closing: "35.00"
      })
      assert.deepInclude(accountOf(closed, "card"), { change: "-35.00", closing: "-35.00" })

      assert.include((yield* Effect.flip(close("1970-01"))).message, "the next month to close is 1970-03")
      assert.include((yield* Effect.flip(close("1970-04"))).message, "is not over")
      yield* setTime(stub, Date.UTC(1970, 5, 1))
      assert.include((yield* Effect.flip(close("1970-04"))).message, "1970-03 is not closed")
      const next = yield* close("1970-03")
      assert.deepInclude(accountOf(next, "card"), { opening: "-35.00", change: "-20.00" })
      assert.deepStrictEqual(next.book.corrections, [])
    })
  )
)

it.effect(
  "waits for what is being booked, and shows what is booked too late as a correction of its month",
  () =>
    withStripe((stub) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const ledger = yield* Ledger
        const book = (key: string) =>
          ledger.between("operator", "sales", 1_000_000n, {
            cause: "operator_correction",
            reference: key,
            key
          })
        yield* setTime(stub, Date.UTC(1970, 1, 3))
        const open = yield* Deferred.make<void>()
        const booked = yield* Deferred.make<void>()
        const writing = yield* Effect.forkChild(
          sql.withTransaction(
            book("slow").pipe(
              Effect.andThen(Deferred.succeed(booked, undefined)),
              Effect.andThen(Deferred.await(open))
            )
          )
        )
        yield* Deferred.await(booked)
        yield* setTime(stub, Date.UTC(1970, 2, 1))
        yield* book("after")
        const closing = yield* Effect.forkChild(close("1970-02"))
        const waits = sql`select 1 as one from pg_locks where not granted and relation = 'posting'::regclass`
        while (closing.pollUnsafe() === undefined && (yield* waits).length === 0) yield* Effect.yieldNow
        yield* Deferred.succeed(open, undefined)
        yield* Fiber.join(writing)
        const february = yield* Fiber.join(closing)
        assert.deepInclude(accountOf(february, "sales"), { opening: "0.00", closing: "1.00" })

        // A process whose clock is behind.
        yield* setTime(stub, Date.UTC(1970, 1, 20))
        yield* book("late")
        yield* setTime(stub, Date.UTC(1970, 3, 1))
        assert.strictEqual((yield* close("1970-02")).document, february.document)
        const march = yield* close("1970-03")
        assert.deepInclude(accountOf(march, "sales"), { opening: "1.00", change: "2.00", closing: "3.00" })
        assert.deepStrictEqual(
          march.book.corrections.map(({ account, amount, month, n }) => [month, account, n, amount]),
          [
            ["1970-02", "operator", 1, "-1.00"],
            ["1970-02", "sales", 1, "1.00"]
          ]
        )
        // A book is never written over.
        yield* Effect.flip(sql`update money_book set document = ''`)
        // An entry that was changed behind the ledger's back.
        yield* sql`alter table ledger_entry disable trigger user`
        yield* sql`update ledger_entry set amount = amount * 2 where posting = (select id from posting where key = 'slow')`
        yield* setTime(stub, Date.UTC(1970, 4, 1))
        assert.include(
          (yield* Effect.flip(close("1970-04"))).message,
          "does not open with what 1970-03 closed with"
        )
      })
    )
)
