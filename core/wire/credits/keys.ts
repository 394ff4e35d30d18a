/** The keys of an account: several, each with a name and scopes. */
import { Schema } from "effect"
import { Usd } from "./money.ts"

/** What a key may do. */
export const Scope = Schema.Literals(["read", "buy", "account"]).annotate({
  description:
    "read: the data that the account's tier includes. buy: purchases with credits, and their receipts. account: " +
    "statement, top-ups, wallets, subscription and keys"
})
export type Scope = typeof Scope.Type

export const scopes: ReadonlyArray<Scope> = Scope.literals

const time = (description: string) => Schema.String.annotate({ format: "date-time", description })
const keyId = Schema.String.annotate({
  description: "Id of the key; it grants no access and stays the same when the key is rotated"
})
const name = Schema.String.annotate({ description: "Its name; empty if none was given" })
const keyScopes = Schema.Array(Scope).annotate({ description: "What the key may do" })
const perDay = Schema.NullOr(Usd).annotate({
  description: "Most that the key may spend in a UTC day; null: as much as the balance has"
})

export const KeyItem = Schema.Struct({
  key_id: keyId,
  name,
  scopes: keyScopes,
  buy_per_day: perDay,
  bought_today: Usd.annotate({ description: "What it has spent in this UTC day" }),
  created_at: time("When it was issued, ISO 8601 in UTC"),
  last_used_at: Schema.NullOr(Schema.String).annotate({
    description:
      "When it was last used, ISO 8601 in UTC, to within 5 minutes; null: never, or before this was recorded"
  }),
  current: Schema.Boolean.annotate({ description: "True for the key that you sent" })
}).annotate({ identifier: "AccountKey", description: "One key of the account" })

export const KeyList = Schema.Struct({
  keys: Schema.Array(KeyItem).annotate({ description: "The keys that are valid now, oldest first" })
}).annotate({ identifier: "AccountKeys" })

export const KeyRequest = Schema.Struct({
  name: Schema.optionalKey(
    Schema.String.annotate({ description: "a name for the key, up to 100 characters" })
  ),
  scopes: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({
      description: "read, buy and account, or some of them; default read"
    })
  ),
  buy_per_day: Schema.optionalKey(
    Schema.NullOr(Schema.Union([Schema.Finite, Schema.String])).annotate({
      description: "the most that the key may spend in a UTC day, in USD; needs the scope buy"
    })
  )
})

/** The only response that contains the key; it cannot be retrieved later. */
export const NewKey = Schema.Struct({
  api_key: Schema.String.annotate({ description: "The new key; it is shown only once" }),
  key_id: keyId,
  name,
  scopes: keyScopes,
  buy_per_day: perDay,
  message: Schema.String.annotate({ description: "What to do with it" })
}).annotate({ identifier: "NewAccountKey" })

export const Revoked = Schema.Struct({
  key_id: keyId,
  revoked: Schema.Literal(true).annotate({ description: "The key no longer works" })
}).annotate({ identifier: "RevokedAccountKey" })
