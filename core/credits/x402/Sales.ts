/**
 * Stores sales without an account in SQL. A single insert on (network, asset, payer, nonce) ties an authorization to one
 * sale, a lease says which process may drive it, and states only move forward.
 */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { day, hour } from "../../plugin/time.ts"
import { providing } from "../../process/providing.ts"
import type { Due as Removable } from "../../readings/removing.ts"
import { rowsOf } from "../../sql/rows.ts"
import type { Commitment } from "../../wire/credits/checkpointName.ts"
import type { SaleWarranty } from "../../wire/credits/warranty.ts"
import { commitmentOfSale, commitTo } from "../commitments.ts"
import { Ledger } from "../Ledger.ts"
import { Products } from "../Product.ts"
import type { Payload } from "../payload.ts"
import { productKey } from "../pricing.ts"
import { type Warranted, warrant, warrantyOf } from "../warranty/sold.ts"
import type { SubmittedTransaction } from "./Settler.ts"
import { Sale } from "./saleRecord.ts"

const payloadRows = rowsOf({ bytes: Schema.Uint8Array })
const countRows = rowsOf({ n: Schema.Finite })
const idRows = rowsOf({ id: Schema.String })
const saleRows = rowsOf(Sale.fields)

/** Removes the bodies of reads that nobody can download again. An open sale may still settle. */
export const removeOldBodies = Effect.fnUntraced(function* (due: Removable) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    delete from x402_body b where wanted_at < ${new Date(due.wall - day)} and not exists (
      select from x402_sale s
      where s.state in ('reserved', 'settling') and s.payload_sha256 = b.sha256)`
})

/** How long one attempt may take. After that, anyone may take over the lease and continue. */
const leaseMs = 90_000

export type Claim = Pick<
  Sale,
  | "id"
  | "network"
  | "asset"
  | "payer"
  | "nonce"
  | "recipient"
  | "amount"
  | "valid_after"
  | "valid_before"
  | "signature"
  | "payment_id"
  | "product_key"
  | "read"
  | "checkpoint"
  | "since_block"
>

export class Sales extends Context.Service<
  Sales,
  {
    readonly find: (
      of: Pick<Sale, "network" | "asset" | "payer" | "nonce">
    ) => Effect.Effect<Sale | undefined, SqlError>
    /** The last sale of a product, or of the same read, to a payer that settled at or after `since`. */
    readonly lastOf: (
      of: Pick<Sale, "network" | "asset" | "payer" | "product_key"> & { readonly target: string | undefined },
      since: Date
    ) => Effect.Effect<Sale | undefined, SqlError>
    readonly byPaymentId: (payer: string, id: string) => Effect.Effect<Sale | undefined, SqlError>
    /** Claims the authorization for this sale; undefined if it or its payment identifier is already in use. */
    readonly claim: (
      claim: Claim,
      payload: Payload,
      warranted?: Warranted
    ) => Effect.Effect<Sale | undefined, SqlError>
    /** Takes over an open sale whose lease has expired; undefined if another process holds it. */
    readonly lease: (id: string) => Effect.Effect<Sale | undefined, SqlError>
    readonly release: (id: string) => Effect.Effect<void, SqlError>
    /**
     * Called before anything is sent; from then on only the chain decides the outcome. A settled sale is sent again if a
     * reorganisation undid it.
     */
    readonly sending: (
      id: string,
      submission: SubmittedTransaction | undefined
    ) => Effect.Effect<void, SqlError>
    /** Books the sale once: state, ledger and grant in one transaction. Returns the updated sale. */
    readonly settled: (id: string, transaction: string) => Effect.Effect<Sale, SqlError>
    readonly failed: (id: string, reason: string, message: string) => Effect.Effect<Sale, SqlError>
    /** What was sold. Undefined of a read that can be downloaded no more: only then its body is removed. */
    readonly payload: (
      sale: Pick<Sale, "payload_sha256" | "read">
    ) => Effect.Effect<Uint8Array | undefined, SqlError>
    /** The log's commitment to a settled sale; undefined of one from before there were commitments. */
    readonly commitment: (id: string) => Effect.Effect<typeof Commitment.Type | undefined, SqlError>
    /** What was promised of a sale; undefined if nothing was. */
    readonly warranty: (id: string) => Effect.Effect<SaleWarranty | undefined, SqlError>
    /** Settlements of a payer that failed on the chain in the last hour; each cost us gas. */
    readonly wasted: (payer: string) => Effect.Effect<number, SqlError>
    /** Open sales whose lease has expired. */
    readonly abandoned: Effect.Effect<ReadonlyArray<string>, SqlError>
    /** Settled sales whose transaction is not final yet. */
    readonly notFinal: Effect.Effect<ReadonlyArray<Sale>, SqlError>
    /** The payment of a settled sale is in another transaction since a reorganisation. */
    readonly paidBy: (id: string, transaction: string) => Effect.Effect<void, SqlError>
    readonly final: (id: string) => Effect.Effect<void, SqlError>
    /** A reorganisation reversed the payment for good. The sale stays delivered; the ledger records it as unpaid. */
    readonly lost: (id: string, amount: bigint) => Effect.Effect<void, SqlError>
  }
>()("core/credits/x402/Sales") {
  static readonly layer = Layer.effect(
    Sales,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const ledger = yield* Ledger
      const products = yield* Products
      const provided = yield* providing(SqlClient.SqlClient, SecureRandom)
      const commit = provided(commitTo)
      const now = Effect.map(Clock.currentTimeMillis, (millis) => new Date(millis))
      const leased = Effect.map(Clock.currentTimeMillis, (millis) => new Date(millis + leaseMs))

      const byId = Effect.fnUntraced(function* (id: string) {
        const [sale] = yield* sql`select * from x402_sale where id = ${id}`.pipe(saleRows)
        return sale ?? (yield* Effect.die(new Error(`no sale ${id}`)))
      })

      return Sales.of({
        find: Effect.fnUntraced(function* ({ asset, network, nonce, payer }) {
          const [sale] = yield* sql`
            select * from x402_sale
            where network = ${network} and asset = ${asset} and payer = ${payer} and nonce = ${nonce}`.pipe(
            saleRows
          )
          return sale
        }),

        lastOf: Effect.fnUntraced(function* ({ asset, network, payer, product_key, target = null }, since) {
          const [sale] = yield* sql`
            select * from x402_sale
            where network = ${network} and asset = ${asset} and payer = ${payer}
              and product_key = ${product_key} and read->>'target' is not distinct from ${target}::text and state = 'settled' and settled_at >= ${since}
            order by settled_at desc, id limit 1`.pipe(saleRows)
          return sale
        }),

        byPaymentId: Effect.fnUntraced(function* (payer, id) {
          const [sale] = yield* sql`
            select * from x402_sale where payer = ${payer} and payment_id = ${id}`.pipe(saleRows)
          return sale
        }),

        claim: Effect.fn("Sales.claim")(function* (claim, payload, warranted) {
          return yield* sql.withTransaction(
            Effect.gen(function* () {
              yield* claim.read === null
                ? sql`
                    insert into payload (sha256, bytes) values (${payload.sha256}, ${payload.bytes})
                    on conflict (sha256) do nothing`
                : sql`
                    insert into x402_body (sha256, bytes, wanted_at)
                    values (${payload.sha256}, ${payload.bytes}, ${yield* now})
                    on conflict (sha256) do update set wanted_at = excluded.wanted_at`
              const [sale] = yield* sql`
                insert into x402_sale (id, network, asset, payer, nonce, recipient, amount, valid_after, valid_before,
                  signature, payment_id, product_key, read, payload_sha256, checkpoint, state, lease_until, since_block,
                  created_at)
                values (${claim.id}, ${claim.network}, ${claim.asset}, ${claim.payer}, ${claim.nonce},
                  ${claim.recipient}, ${claim.amount}, ${claim.valid_after}, ${claim.valid_before},
                  ${claim.signature}, ${claim.payment_id}, ${claim.product_key},
                  ${claim.read === null ? null : JSON.stringify(claim.read)}::jsonb, ${payload.sha256},
                  ${claim.checkpoint === null ? null : JSON.stringify(claim.checkpoint)}::jsonb, 'reserved',
                  ${yield* leased}, ${claim.since_block}, ${yield* now})
                on conflict do nothing returning *`.pipe(saleRows)
              if (sale !== undefined) yield* provided(warrant)(claim.id, warranted)
              return sale
            })
          )
        }),

        lease: Effect.fnUntraced(function* (id) {
          const [sale] = yield* sql`
            update x402_sale set lease_until = ${yield* leased}
            where id = ${id} and state in ('reserved', 'settling') and lease_until <= ${yield* now} returning *`.pipe(
            saleRows
          )
          return sale
        }),

        release: Effect.fnUntraced(function* (id) {
          yield* sql`
            update x402_sale set lease_until = ${yield* now}
            where id = ${id} and state in ('reserved', 'settling')`
        }),

        sending: Effect.fn("Sales.sending")(function* (id, submission) {
          const [sale] = yield* sql`
            update x402_sale set tx = coalesce(${submission?.transaction ?? null}, tx), raw = ${submission?.raw ?? null},
              state = case state when 'reserved' then 'settling' else state end
            where id = ${id} and (state in ('reserved', 'settling') or (state = 'settled' and final_at is null))
            returning id`
          if (sale === undefined)
            return yield* Effect.die(new Error(`sale ${id} is closed; nothing was sent`))
        }),

        settled: Effect.fn("Sales.settled")(function* (id, transaction) {
          return yield* sql.withTransaction(
            Effect.gen(function* () {
              const [sale] = yield* sql`
                update x402_sale set state = 'settled', tx = ${transaction}, settled_at = ${yield* now},
                  reason = null, message = null
                where id = ${id} and state <> 'settled' returning *`.pipe(saleRows)
              if (sale === undefined) return yield* byId(id)
              yield* ledger.between("x402", "sales", sale.amount, {
                cause: "x402_payment",
                reference: id,
                key: `x402:${id}`
              })
              if (sale.read !== null) {
                yield* sql`update x402_body set wanted_at = ${yield* now} where sha256 = ${sale.payload_sha256}`
              }
              const key = productKey(sale.product_key)
              const grant = key === undefined ? undefined : products.get(key)?.grant
              if (grant !== undefined) yield* grant({ id, inputs: {} })
              yield* commit(id, sale.payload_sha256)
              return sale
            })
          )
        }),

        failed: Effect.fn("Sales.failed")(function* (id, reason, message) {
          const [sale] = yield* sql`
            update x402_sale set state = 'failed', reason = ${reason}, message = ${message}, payment_id = null
            where id = ${id} and state in ('reserved', 'settling') returning *`.pipe(saleRows)
          return sale ?? (yield* byId(id))
        }),

        payload: Effect.fnUntraced(function* ({ payload_sha256: sha256, read }) {
          const [payload] = yield* (
            read === null
              ? sql`select bytes from payload where sha256 = ${sha256}`
              : sql`select bytes from x402_body where sha256 = ${sha256}`
          ).pipe(payloadRows)
          if (payload === undefined && read === null)
            return yield* Effect.die(new Error(`no payload ${sha256}`))
          return payload?.bytes
        }),

        commitment: provided(commitmentOfSale),

        warranty: provided(warrantyOf),

        wasted: Effect.fnUntraced(function* (payer) {
          const hourAgo = new Date((yield* Clock.currentTimeMillis) - hour)
          const [count] = yield* sql`
            select count(*)::int as n from x402_sale
            where payer = ${payer} and state = 'failed' and tx is not null and created_at > ${hourAgo}`.pipe(
            countRows
          )
          return count?.n ?? 0
        }),

        abandoned: Effect.gen(function* () {
          const rows = yield* sql`
            select id from x402_sale where state in ('reserved', 'settling') and lease_until <= ${yield* now}
            order by lease_until limit 50`.pipe(idRows)
          return rows.map(({ id }) => id)
        }),

        notFinal: Effect.suspend(() =>
          sql`
              select * from x402_sale where state = 'settled' and final_at is null order by settled_at limit 50`.pipe(
            saleRows
          )
        ),

        paidBy: Effect.fnUntraced(function* (id, transaction) {
          yield* sql`update x402_sale set tx = ${transaction}, raw = null where id = ${id} and final_at is null`
        }),

        final: Effect.fnUntraced(function* (id) {
          yield* sql`update x402_sale set final_at = ${yield* now} where id = ${id} and final_at is null`
        }),

        lost: Effect.fn("Sales.lost")(function* (id, amount) {
          yield* sql.withTransaction(
            Effect.gen(function* () {
              yield* sql`update x402_sale set final_at = ${yield* now}, lost_at = ${yield* now} where id = ${id}`
              yield* ledger.between("sales", "x402", amount, {
                cause: "x402_reorganised",
                reference: id,
                key: `x402_reorganised:${id}`
              })
            })
          )
        })
      })
    })
  )
}
