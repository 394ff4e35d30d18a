/**
 * Watches the deposit address and credits final transfers. The cursor moves in the transaction of the credits, so after a
 * crash the same blocks are read again and found credited. Transfers that are not final are shown as seen, and dropped if
 * they disappear: a reorganisation before finality changes nothing. If a final block changes, crediting halts.
 */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { minute } from "../../plugin/time.ts"
import { rowsOf } from "../../sql/rows.ts"
import { bookUnmatched } from "../books/suspense.ts"
import { Ledger } from "../Ledger.ts"
import { type Block, Chain, type ChainUnreachable, type Transfer } from "./Chain.ts"

const holderRows = rowsOf({ account: Schema.String })
const cursorRows = rowsOf({ block: Schema.BigInt, block_hash: Schema.String })

/** Blocks per request. */
const chunk = 1000n
/** Quotes stop if the chain has not been read for this long. */
const staleMs = 5 * minute

const Match = {
  id: Schema.String,
  account: Schema.String,
  wallet: Schema.String,
  state: Schema.String,
  expires_at: Schema.Date
}
const matchRows = rowsOf(Match)

export class Watch extends Context.Service<
  Watch,
  {
    /** Reads the chain once: credits final transfers and records those seen. */
    readonly look: Effect.Effect<void, ChainUnreachable | SqlError>
    /** Why nothing can be credited now; undefined if all is well. */
    readonly trouble: Effect.Effect<string | undefined>
  }
>()("core/credits/chain/Watch") {
  static readonly layer = Layer.effect(
    Watch,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const ledger = yield* Ledger
      const chain = yield* Chain
      let lookedAt: number | undefined
      let unread: string | undefined
      let halted: string | undefined

      if (chain === null) return Watch.of({ look: Effect.void, trouble: Effect.succeed(undefined) })
      const id = BigInt(chain.chainId)
      const { depositAddress, token } = chain

      const halt = (why: string) =>
        Effect.suspend(() => {
          halted = `Crediting is halted: ${why}. The operator has been notified.`
          return Effect.logError("stablecoin crediting is halted", { why })
        })

      /** The quote that a final transfer pays, or the reason why it pays none. */
      const match = Effect.fnUntraced(function* (transfer: Transfer, time: Date) {
        const [quote] = yield* sql`
          select id, account, wallet, state, expires_at from topup_quote
          where chain = ${id} and token = ${token} and deposit_address = ${depositAddress}
            and units = ${transfer.units}
          order by (wallet = ${transfer.sender}) desc, (state = 'open') desc, created_at desc limit 1 for update`.pipe(
          matchRows
        )
        const [holder] = yield* sql`
          select account from wallet where address = ${transfer.sender} order by verified_at desc limit 1`.pipe(
          holderRows
        )
        const no = (reason: string, account = holder?.account) => ({ reason, account }) as const
        if (quote === undefined) {
          return holder === undefined
            ? no("unknown sender: no key has verified this wallet")
            : no("wrong amount: no quote of this exact amount")
        }
        if (quote.wallet !== transfer.sender)
          return no("wrong sender: the quote of this amount is for another wallet")
        if (quote.state === "credited")
          return no("the quote was already credited by another transfer", quote.account)
        if (time.getTime() > quote.expires_at.getTime()) {
          return no("late: its block is after the quote's expires_at", quote.account)
        }
        return quote
      })

      const settle = Effect.fnUntraced(function* (transfer: Transfer, time: Date) {
        const inserted = yield* sql`
          insert into chain_transfer (chain, token, tx, log_index, block, block_hash, block_time, sender, units, state,
            seen_at)
          values (${id}, ${token}, ${transfer.tx}, ${transfer.logIndex}, ${transfer.block}, ${transfer.blockHash},
            ${time}, ${transfer.sender}, ${transfer.units.toString()}::numeric, 'finalized',
            ${new Date(yield* Clock.currentTimeMillis)})
          on conflict (chain, token, tx, log_index) do update
            set block = excluded.block, block_hash = excluded.block_hash, block_time = excluded.block_time,
              state = 'finalized'
            where chain_transfer.state = 'seen'
          returning tx`
        // Already credited, by this process before a crash or by another replica.
        if (inserted.length === 0) return
        const outcome = yield* match(transfer, time)
        const place = sql`chain = ${id} and token = ${token} and tx = ${transfer.tx} and log_index = ${transfer.logIndex}`
        if ("reason" in outcome) {
          yield* sql`
            update chain_transfer set state = 'unmatched', reason = ${outcome.reason}, account = ${outcome.account ?? null}
            where ${place}`
          if (transfer.units > 0n) yield* bookUnmatched(ledger, { ...transfer, chain: id, token })
          return
        }
        yield* ledger.credit(outcome.account, transfer.units, "stablecoin", {
          cause: "stablecoin_transfer",
          reference: outcome.id,
          key: `stablecoin_transfer:${id}:${token}:${transfer.tx}:${transfer.logIndex}`
        })
        yield* sql`update topup_quote set state = 'credited' where id = ${outcome.id}`
        yield* sql`
          update chain_transfer set state = 'credited', account = ${outcome.account}, quote = ${outcome.id} where ${place}`
      })

      const cursorRow = sql`
        select block, block_hash from chain_cursor
        where chain = ${id} and token = ${token} and deposit_address = ${depositAddress}`.pipe(cursorRows)

      const timesOf = (transfers: ReadonlyArray<Transfer>) =>
        Effect.map(
          Effect.forEach(new Set(transfers.map(({ block }) => block)), (number) =>
            Effect.map(chain.block(number), (block) => [number, block.time] as const)
          ),
          (pairs) => new Map(pairs)
        )

      /** Advances the cursor by one chunk of final blocks; false at the head. */
      const advance = Effect.fnUntraced(function* (head: Block) {
        const [cursor] = yield* cursorRow
        if (cursor === undefined) {
          // There were no quotes before watching began.
          yield* sql`
            insert into chain_cursor (chain, token, deposit_address, block, block_hash)
            values (${id}, ${token}, ${depositAddress}, ${head.number}, ${head.hash}) on conflict do nothing`
          return false
        }
        if (head.number < cursor.block) {
          yield* halt(`the chain's finalized block went back from ${cursor.block} to ${head.number}`)
          return false
        }
        const cursorBlock = yield* chain.block(cursor.block)
        if (cursorBlock.hash !== cursor.block_hash) {
          yield* halt(`block ${cursor.block} was final and has another hash now`)
          return false
        }
        halted = undefined
        if (head.number === cursor.block) return false
        const to = cursor.block + chunk < head.number ? cursor.block + chunk : head.number
        const transfers = yield* chain.transfers(cursor.block + 1n, to)
        const times = yield* timesOf(transfers)
        const end = to === head.number ? head : yield* chain.block(to)
        yield* sql.withTransaction(
          Effect.gen(function* () {
            const moved = yield* sql`
              update chain_cursor set block = ${end.number}, block_hash = ${end.hash}
              where chain = ${id} and token = ${token} and deposit_address = ${depositAddress}
                and block = ${cursor.block} returning block`
            // Another replica has already credited these blocks.
            if (moved.length === 0) return
            for (const transfer of transfers) yield* settle(transfer, times.get(transfer.block) ?? end.time)
            yield* sql`
              update topup_quote set state = 'expired'
              where state = 'open' and chain = ${id} and expires_at < ${end.time}`
          })
        )
        return to < head.number
      })

      /** Records transfers that are not final yet; they are not credited. */
      const showSeen = Effect.fnUntraced(function* (head: Block) {
        const latest = yield* chain.block("latest")
        const from = latest.number - head.number > chunk ? latest.number - chunk : head.number + 1n
        const transfers = from > latest.number ? [] : yield* chain.transfers(from, latest.number)
        const times = yield* timesOf(transfers)
        const now = new Date(yield* Clock.currentTimeMillis)
        yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`delete from chain_transfer where chain = ${id} and token = ${token} and state = 'seen'`
            for (const transfer of transfers) {
              yield* sql`
                insert into chain_transfer (chain, token, tx, log_index, block, block_hash, block_time, sender, units,
                  state, account, seen_at)
                values (${id}, ${token}, ${transfer.tx}, ${transfer.logIndex}, ${transfer.block},
                  ${transfer.blockHash}, ${times.get(transfer.block) ?? latest.time}, ${transfer.sender},
                  ${transfer.units.toString()}::numeric, 'seen',
                  (select account from wallet where address = ${transfer.sender} order by verified_at desc limit 1),
                  ${now})
                on conflict (chain, token, tx, log_index) do nothing`
            }
          })
        )
      })

      return Watch.of({
        look: Effect.gen(function* () {
          const head = yield* chain.block("finalized")
          while (yield* advance(head)) {}
          if (halted !== undefined) return
          yield* showSeen(head)
          lookedAt = yield* Clock.currentTimeMillis
        }).pipe(
          Effect.tapErrorTag("ChainUnreachable", ({ message }) =>
            Effect.sync(() => {
              unread = message
            })
          ),
          Effect.withSpan("Watch.look")
        ),

        trouble: Effect.gen(function* () {
          if (halted !== undefined) return halted
          const now = yield* Clock.currentTimeMillis
          return lookedAt === undefined || now - lookedAt > staleMs
            ? (unread ?? "The chain has not been read yet, so no transfer could be credited.")
            : undefined
        })
      })
    })
  )
}
