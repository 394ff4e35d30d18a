/**
 * Keys and quotas of the encoder API. These keys belong to no account and are valid nowhere else. Each is derived from its
 * purchase, so it can be delivered again although only its hash is stored.
 */
import { Clock, Context, Effect, Layer, Redacted, Schema } from "effect"
import * as Hex from "effect/encoding/Hex"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { day as dayMs } from "../plugin/time.ts"
import { rowsOf } from "../sql/rows.ts"
import { KeyUnknown } from "../wire/problems/accounts.ts"
import { countToday } from "./dailyCounter.ts"
import { isKeyOf, KeyMode, keyOf } from "./keys/KeyMode.ts"
import { encoder } from "./pricing.ts"
import { Secret, sha256 } from "./Secret.ts"

const purchaseRows = rowsOf({ purchased_at: Schema.Date })

/** The quota a query counts against. */
export interface EncoderCaller {
  readonly subject: string
  readonly perDay: number
}

export interface EncoderQuota {
  /** Whole seconds until the next UTC day; absent if the query is allowed. */
  readonly retryAfter?: number
  readonly headers: Readonly<Record<string, string>>
}

export class EncoderKeys extends Context.Service<
  EncoderKeys,
  {
    /** The key of a purchase. */
    readonly ofPurchase: (id: string) => string
    /** Activates the key of a purchase from `purchased_at` on, in the transaction of its sale. */
    readonly open: (id: string) => Effect.Effect<void, SqlError>
    /** The owner of a key, or the network of a caller without one. */
    readonly identify: (
      key: Redacted.Redacted | undefined,
      network: string
    ) => Effect.Effect<EncoderCaller, KeyUnknown | SqlError>
    /** Counts a query in SQL, exactly across replicas and restarts. Rejected queries do not count. */
    readonly count: (caller: EncoderCaller) => Effect.Effect<EncoderQuota, SqlError>
  }
>()("core/credits/EncoderKeys") {
  static readonly layer = Layer.effect(
    EncoderKeys,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const secret = yield* Secret
      const mode = yield* KeyMode
      const ofPurchase = (id: string) => keyOf(mode, secret.hmac("encoder key", id))

      return EncoderKeys.of({
        ofPurchase,

        open: Effect.fnUntraced(function* (id) {
          yield* sql`insert into encoder_key (hash, purchase) values (${sha256(ofPurchase(id))}, ${id})`
        }),

        identify: Effect.fn("EncoderKeys.identify")(function* (key, network) {
          if (key === undefined) {
            const subject = `encoder:net:${Hex.encode(secret.hmac("limits", network))}`
            return { subject, perDay: encoder.freePerDay }
          }
          const hash = sha256(Redacted.value(key))
          const [purchase] = isKeyOf(mode, key)
            ? yield* sql`
                select p.purchased_at from encoder_key k join purchase p on p.id = k.purchase where k.hash = ${hash}`.pipe(
                purchaseRows
              )
            : []
          if (purchase === undefined) {
            return yield* new KeyUnknown({
              message:
                "X-API-Key: not a key of the encoder API. The product dag_manifold_30d delivers one, and no other key works " +
                `here. Without the header you have ${encoder.freePerDay} free queries per day.`
            })
          }
          const endsAt = purchase.purchased_at.getTime() + encoder.keyDays * dayMs
          if ((yield* Clock.currentTimeMillis) >= endsAt) {
            return yield* new KeyUnknown({
              message:
                `X-API-Key: this key expired at ${new Date(endsAt).toISOString()}, ${encoder.keyDays} days after its ` +
                "purchase. Buy dag_manifold_30d again for a new one."
            })
          }
          return { subject: `encoder:key:${hash}`, perDay: encoder.keyPerDay }
        }),

        count: Effect.fn("EncoderKeys.count")(function* ({ perDay, subject }) {
          const { dayEnds, left } = yield* countToday(sql, subject, perDay)
          return {
            ...(left === undefined ? { retryAfter: dayEnds } : {}),
            headers: {
              "ratelimit-policy": `"day";q=${perDay};w=86400`,
              ratelimit: `"day";r=${left ?? 0};t=${dayEnds}`
            }
          }
        })
      })
    })
  )
}
