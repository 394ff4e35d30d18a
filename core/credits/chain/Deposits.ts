/** Quotes for stablecoin top-ups. Each has an exact amount that no other open quote has. */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Hex from "effect/encoding/Hex"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { minute } from "../../plugin/time.ts"
import { rowsOf } from "../../sql/rows.ts"
import {
  type CryptoReceipts,
  type CryptoStatus,
  type Quote,
  QuoteState,
  TransferState
} from "../../wire/credits/chain.ts"
import { CryptoUnavailable, type WalletUnverified } from "../../wire/problems/chain.ts"
import { IdempotencyKeyReused } from "../../wire/problems/purchases.ts"
import { BadParameter } from "../../wire/problems/request.ts"
import type { Account } from "../Accounts.ts"
import { bodyHash, checkKey } from "../idempotency.ts"
import { format, parseUnknown, toNumber } from "../Money.ts"
import { leastQuote, mostQuote, quoteMinutes } from "./bounds.ts"
import { Chain, chainName } from "./Chain.ts"
import { checksummed } from "./signature.ts"
import { notConfigured, readAddress, Wallets } from "./Wallets.ts"
import { Watch } from "./Watch.ts"

const countRows = rowsOf({ n: Schema.Finite })
const statedRows = rowsOf({
  id: Schema.String,
  units: Schema.BigInt,
  wallet: Schema.String,
  state: QuoteState,
  expires_at: Schema.Date
})

/** The most open quotes per key, since each blocks an amount for everyone else. */
const mostOpen = 10
/** The most micro-dollars added to make an amount unique; they are credited too. */
const mostOffset = 9999
const tries = 50

const QuoteRow = {
  id: Schema.String,
  wallet: Schema.String,
  deposit_address: Schema.String,
  units: Schema.BigInt,
  expires_at: Schema.Date,
  request_sha256: Schema.String
}
const quoteRows = rowsOf(QuoteRow)

const transferRows = rowsOf({
  chain: Schema.BigInt,
  token: Schema.String,
  tx: Schema.String,
  log_index: Schema.Finite,
  sender: Schema.String,
  units: Schema.String,
  block_time: Schema.Date,
  state: TransferState,
  reason: Schema.NullOr(Schema.String),
  quote: Schema.NullOr(Schema.String)
})

export type QuoteRefusal = CryptoUnavailable | IdempotencyKeyReused | BadParameter | WalletUnverified

export class Deposits extends Context.Service<
  Deposits,
  {
    readonly status: Effect.Effect<typeof CryptoStatus.Type>
    readonly quote: (
      account: Account,
      request: { readonly amount: unknown; readonly from_address: string | undefined },
      idempotencyKey?: string
    ) => Effect.Effect<typeof Quote.Type, QuoteRefusal | SqlError>
    /** The newest 200 transfers and quotes of the key. */
    readonly receipts: (account: Account) => Effect.Effect<typeof CryptoReceipts.Type, SqlError>
  }
>()("core/credits/chain/Deposits") {
  static readonly layer = Layer.effect(
    Deposits,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const random = yield* SecureRandom
      const wallets = yield* Wallets
      const chain = yield* Chain
      const watch = yield* Watch

      /** Why quotes are unavailable now; undefined if they are available. */
      const trouble = chain === null ? Effect.succeed(notConfigured) : watch.trouble

      const quoteOf = (
        row: Schema.Struct.Type<typeof QuoteRow>,
        chainId: number,
        token: string
      ): typeof Quote.Type => ({
        status: "quote",
        quote_id: row.id,
        deposit_address: checksummed(row.deposit_address),
        amount: format(row.units),
        expires_at: row.expires_at.toISOString(),
        from_address: checksummed(row.wallet),
        token: checksummed(token),
        chain_id: chainId,
        message:
          `Send exactly ${format(row.units)} native USDC on ${chainName(chainId)} in one transfer from this wallet ` +
          "before expires_at. It is credited once its block is final; follow it at /v1/credits/crypto/receipts."
      })

      return Deposits.of({
        status: Effect.gen(function* () {
          const reason = yield* trouble
          return {
            enabled: reason === undefined,
            ...(reason === undefined ? {} : { reason }),
            ...(chain === null
              ? {}
              : {
                  chain: chainName(chain.chainId),
                  chain_id: chain.chainId,
                  token: checksummed(chain.token)
                }),
            methods: ["usdc", "crypto"],
            min_usd: toNumber(leastQuote),
            max_usd: toNumber(mostQuote),
            quote_minutes: quoteMinutes,
            credited_when:
              "When the chain has finalized the block of the transfer (about 15 to 25 minutes on Base).",
            wallets:
              "Externally owned wallets that this key has verified, including delegated ones (EIP-7702). Contract wallets and exchange withdrawals are not supported."
          }
        }),

        quote: Effect.fn("Deposits.quote")(function* (account, request, idempotencyKey) {
          const reason = yield* trouble
          if (chain === null || reason !== undefined) {
            return yield* new CryptoUnavailable({ message: reason ?? notConfigured })
          }
          const key = yield* checkKey(idempotencyKey)
          const amount = parseUnknown(request.amount)
          if (amount === undefined || amount < leastQuote || amount > mostQuote) {
            return yield* new BadParameter({
              field: "amount",
              message: `amount must be from ${format(leastQuote)} to ${format(mostQuote)} USD, as a number or a decimal string.`
            })
          }
          const wallet = yield* readAddress("from_address", request.from_address ?? "")
          const hash = yield* bodyHash({ amount: format(amount), wallet })
          const earlier = Effect.gen(function* () {
            const [row] =
              key === undefined
                ? []
                : yield* sql`
                    select id, wallet, deposit_address, units, expires_at, request_sha256 from topup_quote
                    where account = ${account.id} and idempotency_key = ${key}`.pipe(quoteRows)
            if (row !== undefined && row.request_sha256 !== hash) return yield* IdempotencyKeyReused.of()
            return row
          })
          const before = yield* earlier
          if (before !== undefined) return quoteOf(before, chain.chainId, chain.token)
          yield* wallets.requireVerified(account, wallet)

          const now = yield* Clock.currentTimeMillis
          const id = `quo_${Hex.encode(yield* random.randomBytes(16))}`
          const quote = yield* sql.withTransaction(
            Effect.gen(function* () {
              yield* sql`select 1 as one from account where id = ${account.id} for update`
              const raced = yield* earlier
              if (raced !== undefined) return raced
              const [open] = yield* sql`
                select count(*)::int as n from topup_quote where account = ${account.id} and state = 'open'`.pipe(
                countRows
              )
              if ((open?.n ?? 0) >= mostOpen) {
                return yield* new BadParameter({
                  field: "amount",
                  message: `This key already has ${mostOpen} open quotes, the limit. Pay one or let one expire.`
                })
              }
              for (let attempt = 0; attempt < tries; attempt++) {
                const units = amount + BigInt(yield* random.intBetween(1, mostOffset))
                const [row] = yield* sql`
                  insert into topup_quote (id, account, wallet, chain, token, deposit_address, units, idempotency_key,
                    request_sha256, created_at, expires_at)
                  values (${id}, ${account.id}, ${wallet}, ${BigInt(chain.chainId)}, ${chain.token},
                    ${chain.depositAddress}, ${units}, ${key ?? null}, ${hash}, ${new Date(now)},
                    ${new Date(now + quoteMinutes * minute)})
                  on conflict do nothing
                  returning id, wallet, deposit_address, units, expires_at, request_sha256`.pipe(quoteRows)
                if (row !== undefined) return row
              }
              return yield* new CryptoUnavailable({
                message: "Open quotes already use every amount near this one. Request a different amount."
              })
            })
          )
          return quoteOf(quote, chain.chainId, chain.token)
        }),

        receipts: Effect.fn("Deposits.receipts")(function* (account) {
          const transfers = yield* sql`
            select chain, token, tx, log_index, sender, units::text as units, block_time, state, reason, quote
            from chain_transfer where account = ${account.id}
            order by block desc, log_index desc limit 200`.pipe(transferRows)
          const quotes = yield* sql`
            select id, units, wallet, state, expires_at from topup_quote where account = ${account.id}
            order by created_at desc limit 200`.pipe(statedRows)
          return {
            receipts: transfers.map((row) => ({
              chain_id: Number(row.chain),
              token: checksummed(row.token),
              transaction: row.tx,
              log_index: row.log_index,
              from_address: checksummed(row.sender),
              amount: format(BigInt(row.units)),
              block_time: row.block_time.toISOString(),
              status: row.state,
              ...(row.reason === null ? {} : { reason: row.reason }),
              ...(row.quote === null ? {} : { quote_id: row.quote })
            })),
            quotes: quotes.map((row) => ({
              quote_id: row.id,
              amount: format(row.units),
              from_address: checksummed(row.wallet),
              state: row.state,
              expires_at: row.expires_at.toISOString()
            }))
          }
        })
      })
    })
  )
}
