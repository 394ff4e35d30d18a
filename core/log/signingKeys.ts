/** The table of signing keys: which public keys sign what, and when. It is the truth for every process. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { isoTime } from "../plugin/Value.ts"
import { type PublishedKey, thumbprint } from "../proof/keys.ts"
import { announce } from "../readings/Changes.ts"
import { rowsOf } from "../sql/rows.ts"

const keyRows = rowsOf({
  purpose: Schema.Literals(["answers", "log"]),
  public_key: Schema.Uint8Array,
  announced_at: Schema.Date,
  not_before: Schema.Date,
  not_after: Schema.NullOr(Schema.Date)
})

/** Every key, the newest first. */
export const signingKeys = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    select purpose, public_key, announced_at, not_before, not_after from signing_key
    order by not_before desc, announced_at desc, kid limit 10000`.pipe(keyRows)
  return rows.map(
    (row): PublishedKey => ({
      purpose: row.purpose,
      publicKey: row.public_key,
      announcedAt: isoTime(row.announced_at.getTime()),
      notBefore: isoTime(row.not_before.getTime()),
      notAfter: row.not_after === null ? null : isoTime(row.not_after.getTime())
    })
  )
}).pipe(Effect.withSpan("signingKeys.read"))

/** When a key takes over from the one before: epoch milliseconds, in whole seconds. */
export interface Succession {
  readonly announcedAt: number
  readonly notBefore: number
  /** Last use of the key before. */
  readonly endOfOld: number
}

/**
 * Enters a key as the one in use for its purpose, and gives the one before its end. Every process hears of it. Call inside a
 * transaction.
 */
export const enter = Effect.fn("signingKeys.enter")(function* (
  purpose: PublishedKey["purpose"],
  publicKey: Uint8Array,
  { announcedAt, endOfOld, notBefore }: Succession
) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    update signing_key set not_after = ${new Date(endOfOld)} where purpose = ${purpose} and not_after is null`
  yield* sql`
    insert into signing_key ${sql.insert({
      kid: thumbprint(publicKey),
      purpose,
      public_key: publicKey,
      announced_at: new Date(announcedAt),
      not_before: new Date(notBefore)
    })}`
  yield* announce("keys")
})

/**
 * Lets the first key be valid from `since` (epoch milliseconds), if it was made later: the days of a demo lie in the past of the key
 * that was made for it, and where an earlier release did not move it, it may have ended before it began. Once the log states the
 * key's period, that stands.
 */
export const beginAt = Effect.fn("signingKeys.beginAt")(function* (
  purpose: PublishedKey["purpose"],
  since: number
) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    update signing_key k set not_before = ${new Date(since)}
    where purpose = ${purpose} and not_before > ${new Date(since)} and not exists (select 1 from key_document)
      and (not_after < not_before
        or not exists (select 1 from signing_key o where o.purpose = k.purpose and o.kid <> k.kid))`
})
