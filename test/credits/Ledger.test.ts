import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as fc from "fast-check"
import { Ledger } from "../../core/credits/Ledger.ts"
import * as Money from "../../core/credits/Money.ts"
import { onBothEngines } from "../support/database.ts"

describe("money", () => {
  it("reads plain decimals of at most six places and nothing else", () => {
    assert.strictEqual(Money.parse("4.99"), 4_990_000n)
    assert.strictEqual(Money.parse("0.000001"), 1n)
    assert.strictEqual(Money.parse("20"), 20_000_000n)
    const refused = [
      "",
      "-1",
      "+1",
      "1.",
      ".5",
      "01",
      "1e3",
      "0x1",
      "1,5",
      " 1",
      "1.0000001",
      "NaN",
      "Infinity",
      "٣"
    ]
    for (const text of refused) assert.isUndefined(Money.parse(text), text)
    for (const value of [Number.NaN, Number("1e309"), -5, 1e-7, 1e21, null, true, [20], {}, 20n]) {
      assert.isUndefined(Money.parseUnknown(value))
    }
  })

  it("goes to JSON and back without losing a micro-dollar", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: Money.largest }), (micros) => {
        const wire = JSON.parse(JSON.stringify({ usd: Money.toNumber(micros) })) as { usd: number }
        // A JSON number below 1e-6 prints with an exponent only at 1e-7, which six places never reach.
        assert.strictEqual(Money.parseUnknown(wire.usd), micros)
        assert.strictEqual(Money.parse(Money.format(micros)), micros)
      }),
      { numRuns: 2000 }
    )
  })
})

const account = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into account (id, agent_name, created_at) values (${id}, '', now())`
  return id
})

const stands = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{
    balance: bigint
    owed: bigint
  }>`select balance, owed from account where id = ${id}`
  return row
})

const draft = (key: string) => ({ cause: "operator_grant", reference: "test", key }) as const

onBothEngines("the ledger", (database) => {
  layer(Ledger.layer.pipe(Layer.provideMerge(database)))((it) => {
    it.effect("credits and debits once per key", () =>
      Effect.gen(function* () {
        const ledger = yield* Ledger
        const id = yield* account("once")
        const first = yield* ledger.credit(id, 5_000_000n, "operator", draft("once:1"))
        const again = yield* ledger.credit(id, 5_000_000n, "operator", draft("once:1"))
        assert.deepStrictEqual([first.posted, again.posted], [true, false])
        yield* ledger.debit(id, 5_000_000n, "sales", draft("once:2"))
        // The retry finds a balance of zero and must still hear that its posting is there.
        const retried = yield* ledger.debit(id, 5_000_000n, "sales", draft("once:2"))
        assert.isFalse(retried.posted)
        assert.deepStrictEqual(yield* stands(id), { balance: 0n, owed: 0n })
      })
    )

    it.effect("refuses what is not there and leaves no trace", () =>
      Effect.gen(function* () {
        const ledger = yield* Ledger
        const id = yield* account("short")
        yield* ledger.credit(id, 1n, "operator", draft("short:1"))
        const refused = yield* Effect.flip(ledger.debit(id, 2n, "sales", draft("short:2")))
        assert.deepInclude(refused, { _tag: "BalanceShort", balance: 1n })
        // The refused key is free: a later attempt with enough money may use it.
        yield* ledger.credit(id, 1n, "operator", draft("short:3"))
        assert.isTrue((yield* ledger.debit(id, 2n, "sales", draft("short:2"))).posted)
      })
    )

    it.effect("takes back what is there, books the rest as owed, and settles it first", () =>
      Effect.gen(function* () {
        const ledger = yield* Ledger
        const id = yield* account("owing")
        yield* ledger.credit(id, 5_000_000n, "card", draft("owing:1"))
        yield* ledger.clawback(id, 20_000_000n, "card", draft("owing:2"))
        assert.deepStrictEqual(yield* stands(id), { balance: 0n, owed: 15_000_000n })
        yield* ledger.credit(id, 10_000_000n, "card", draft("owing:3"))
        assert.deepStrictEqual(yield* stands(id), { balance: 0n, owed: 5_000_000n })
        yield* ledger.credit(id, 7_000_000n, "card", draft("owing:4"))
        assert.deepStrictEqual(yield* stands(id), { balance: 2_000_000n, owed: 0n })
      })
    )

    it.effect("cannot be changed, and takes no posting that does not sum to zero", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const ledger = yield* Ledger
        yield* ledger.credit(yield* account("fixed"), 1n, "operator", draft("fixed:1"))
        const attempts = [
          sql`update ledger_entry set amount = amount + 1`,
          sql`delete from ledger_entry`,
          sql`truncate ledger_entry`,
          sql`update posting set cause = 'x'`,
          sql`delete from posting`,
          sql`insert into ledger_entry values ((select max(id) from posting), 'sales', 5)`
        ]
        for (const attempt of attempts) assert.strictEqual((yield* Effect.flip(attempt))._tag, "SqlError")
        assert.isTrue((yield* ledger.check).ok)
      })
    )

    it.effect("is checked: a balance that no entry explains is named", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const ledger = yield* Ledger
        const id = yield* account("forged")
        assert.isTrue((yield* ledger.check).ok)
        yield* sql`update account set balance = 1 where id = ${id}`
        const report = yield* ledger.check
        assert.isFalse(report.ok)
        assert.deepStrictEqual(report.problems, ["account forged: balance is not the sum of its entries"])
        yield* sql`update account set balance = 0 where id = ${id}`
      })
    )
  })
})
