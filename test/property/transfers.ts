/** Stablecoin transfers: quotes, payments of all sorts, reorganisations before finality, looks at the chain. */
import { assert } from "@effect/vitest"
import { Array as Arr, Clock, Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as fc from "fast-check"
import { Accounts } from "../../core/credits/Accounts.ts"
import { type Block, type Chain, ChainUnreachable, type Transfer } from "../../core/credits/chain/Chain.ts"
import { Deposits } from "../../core/credits/chain/Deposits.ts"
import { Watch } from "../../core/credits/chain/Watch.ts"
import { parse } from "../../core/credits/Money.ts"
import type { Run } from "./traffic.ts"

const who = fc.nat(2)

export type Step =
  | { readonly kind: "quote"; readonly who: number; readonly key: number | undefined }
  | {
      readonly kind: "send"
      readonly quote: number
      /** Whose wallet it comes from, seen from the quote's: 0 is the right one. */
      readonly by: number
      /** Units too many. */
      readonly off: bigint
      readonly times: number
    }
  | { readonly kind: "reorganise"; readonly keep: boolean }
  | { readonly kind: "finalize" }
  | { readonly kind: "look" }

export const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant("quote" as const), who, key: fc.option(fc.nat(1), { nil: undefined }) }),
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("send" as const),
      quote: fc.constantFrom(0, 0, 0, 1, 2),
      by: fc.constantFrom(0, 0, 0, 1, 3),
      off: fc.constantFrom(0n, 0n, 0n, 1n, -1n),
      times: fc.integer({ min: 1, max: 2 })
    })
  },
  fc.record({ kind: fc.constant("reorganise" as const), keep: fc.boolean() }),
  fc.record({ kind: fc.constant("finalize" as const) }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("look" as const) }) }
)

interface Mined extends Block {
  readonly transfers: ReadonlyArray<Transfer>
}

const token = `0x${"70".repeat(20)}`

/** A chain of the test's own making: blocks behind `final` stay, those ahead of it may be made anew. */
export const makeChain = () => {
  const blocks: Array<Mined> = [{ number: 0n, hash: "0x0", time: new Date(0), transfers: [] }]
  let final = 0n
  let hashes = 0
  let transactions = 0
  const newest = () => blocks.at(-1) ?? assert.fail("no block")

  const mineBlock = (time: Date, included: ReadonlyArray<Pick<Transfer, "sender" | "units" | "tx">>) => {
    const number = newest().number + 1n
    const hash = `0x${(++hashes).toString(16)}`
    const transfers = included.map((each, logIndex) => ({
      ...each,
      logIndex,
      block: number,
      blockHash: hash
    }))
    blocks.push({ number, hash, time, transfers })
  }

  const chain: Chain = {
    chainId: 8453,
    token,
    depositAddress: `0x${"de".repeat(20)}`,
    code: () => Effect.succeed("0x"),
    finalTransaction: () => Effect.die(new Error("not asked here")),
    block: (which) =>
      Effect.suspend(() => {
        const block = which === "latest" ? newest() : blocks[Number(which === "finalized" ? final : which)]
        return block === undefined
          ? Effect.fail(new ChainUnreachable({ message: "no such block" }))
          : Effect.succeed(block)
      }),
    transfers: (from, to) =>
      Effect.sync(() =>
        blocks.filter(({ number }) => number >= from && number <= to).flatMap(({ transfers }) => transfers)
      )
  }

  return {
    chain,
    /** One transaction in one new block. */
    send: (time: Date, sender: string, units: ReadonlyArray<bigint>) => {
      const tx = `0x${(++transactions).toString(16).padStart(64, "0")}`
      mineBlock(
        time,
        units.map((each) => ({ sender, units: each, tx }))
      )
    },
    /** What is not final is gone; it comes back in one new block, in another order, or not at all. */
    reorganise: (time: Date, keep: boolean) => {
      const undone = blocks.splice(Number(final) + 1).flatMap(({ transfers }) => transfers)
      mineBlock(time, keep ? undone.reverse() : [])
    },
    finalize: () => {
      final = newest().number
    },
    height: () => newest().number,
    /** With the time of their block. */
    since: (height: bigint) =>
      blocks
        .filter(({ number }) => number > height)
        .flatMap(({ time, transfers }) => transfers.map((transfer) => ({ ...transfer, time })))
  }
}

export type PretendChain = ReturnType<typeof makeChain>

interface Quoted {
  readonly id: string
  readonly wallet: string
  readonly units: bigint
  readonly expires: number
}

export const traffic = Effect.fnUntraced(function* (
  { accounts: ids, clock, name }: Run,
  chain: PretendChain
) {
  const sql = yield* SqlClient.SqlClient
  const accounts = yield* Accounts
  const deposits = yield* Deposits
  const watch = yield* Watch
  const n = BigInt(name.replaceAll(/\D/g, ""))
  // The last is nobody's.
  const wallets = [0n, 1n, 2n, 3n].map((k) => `0x${(n * 4n + k).toString(16).padStart(40, "0")}`)
  const wallet = (k: number) => wallets[k] ?? assert.fail("no such wallet")
  const verified_at = new Date(yield* Clock.currentTimeMillis)
  yield* sql`insert into wallet ${sql.insert(
    Arr.map(ids, (account, k) => ({ account, address: wallet(k), delegated: false, verified_at }))
  )}`
  const quotes: Array<Quoted> = []
  const under = new Map<string, Set<string>>()
  // What runs before this one left ahead of the final block is theirs no more.
  chain.finalize()
  yield* watch.look
  const began = chain.height()

  const act = Effect.fnUntraced(function* (of: Step) {
    const time = new Date(yield* Clock.currentTimeMillis)
    switch (of.kind) {
      case "quote": {
        const account = yield* accounts.find(ids[of.who] ?? "")
        if (account === undefined) return yield* Effect.die(new Error("the account is gone"))
        const key = of.key === undefined ? undefined : `${of.key}`
        const quote = yield* deposits.quote(account, { amount: 1, from_address: wallet(of.who) }, key)
        if (key !== undefined) {
          const quoteKey = `${account.id} ${key}`
          under.set(quoteKey, (under.get(quoteKey) ?? new Set()).add(quote.quote_id))
        }
        if (quotes.some(({ id }) => id === quote.quote_id)) return
        quotes.push({
          id: quote.quote_id,
          wallet: wallet(of.who),
          units: parse(quote.amount) ?? assert.fail(quote.amount),
          expires: Date.parse(quote.expires_at)
        })
        return
      }
      case "send": {
        const quote = quotes[of.quote % Math.max(quotes.length, 1)]
        if (quote === undefined) return
        const sender = wallet((wallets.indexOf(quote.wallet) + of.by) % 4)
        return chain.send(time, sender, Array(of.times).fill(quote.units + of.off))
      }
      case "reorganise":
        return chain.reorganise(time, of.keep)
      case "finalize":
        return chain.finalize()
      case "look":
        return yield* watch.look
    }
  })

  const holds = Effect.gen(function* () {
    chain.finalize()
    yield* watch.look
    const place = ({ logIndex, tx }: { readonly tx: string; readonly logIndex: number }) =>
      `${tx} ${logIndex}`
    const transfersByPlace = new Map(chain.since(began).map((each) => [place(each), each] as const))
    const rows = yield* sql<{
      tx: string
      log_index: number
      state: string
      reason: string | null
      quote: string | null
      account: string | null
      credited: bigint | null
    }>`
      select t.tx, t.log_index, t.state, t.reason, t.quote, t.account,
        (select e.amount from posting g join ledger_entry e on e.posting = g.id and e.account = 'stablecoin'
          where g.key = 'stablecoin_transfer:' || t.chain || ':' || t.token || ':' || t.tx || ':' || t.log_index) as credited
      from chain_transfer t where t.block > ${began}`
    // Neither lost nor made up: what was reorganised away is not there.
    assert.deepStrictEqual(
      rows.map(({ log_index, tx }) => place({ tx, logIndex: log_index })).sort(),
      [...transfersByPlace.keys()].sort()
    )
    const paid = new Set<string>()
    for (const { credited, log_index, quote, reason, state, tx } of rows) {
      const transfer =
        transfersByPlace.get(place({ tx, logIndex: log_index })) ?? assert.fail("not on the chain")
      if (state !== "credited") {
        assert.deepStrictEqual([state, quote, credited], ["unmatched", null, null])
        assert.isNotEmpty(reason)
        continue
      }
      const {
        expires,
        id,
        units,
        wallet: of
      } = quotes.find(({ id }) => id === quote) ?? assert.fail(`no quote ${quote}`)
      assert.deepStrictEqual([transfer.sender, transfer.units, credited], [of, units, -units])
      assert.isAtMost(transfer.time.getTime(), expires)
      assert.isFalse(paid.has(id), "a quote takes one transfer")
      paid.add(id)
    }
    for (const { expires, id, units, wallet: of } of quotes) {
      const inTime = [...transfersByPlace.values()].some(
        ({ sender, time, units: came }) => sender === of && came === units && time.getTime() <= expires
      )
      assert.strictEqual(paid.has(id), inTime, `${id} is credited when it was paid, and only then`)
    }
    for (const [key, quoteIds] of under) assert.strictEqual(quoteIds.size, 1, key)
    const [postings] = yield* sql<{ n: number }>`
      select count(*)::int as n from posting g join ledger_entry e on e.posting = g.id
      where g.cause = 'stablecoin_transfer' and ${sql.in(
        "e.account",
        ids.map((id) => `credits:${id}`)
      )}`
    // A credit that only settles what is owed has no entry of credits.
    assert.isAtMost(postings?.n ?? 0, paid.size)
  }).pipe(clock.under)

  // Without it half of the runs would have nothing to pay.
  yield* act({ kind: "quote", who: 0, key: undefined })
  return { act, holds }
})
