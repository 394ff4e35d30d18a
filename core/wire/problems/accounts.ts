/** Problems with an API key or its tier. */
import { Schema } from "effect"
import { Scope } from "../credits/keys.ts"
import { Usd } from "../credits/money.ts"
import { AccountTier, HowToUnlock } from "../credits/tiers.ts"
import { problem } from "./problem.ts"

/** The key is missing, unknown or revoked. All three get the same message, so guessing reveals nothing. */
export class KeyUnknown extends problem<KeyUnknown>()("KeyUnknown", "key-unknown", {
  status: 401,
  title: "A valid API key is required",
  meaning:
    "The `X-API-Key` header is missing, or its key is unknown, expired, revoked or meant for another API.",
  remedy: "Send the key you got at registration. POST /v1/credits/register issues a new one.",
  accountHint:
    "Pass api_key, or set the X-API-Key header on the connection. register_agent issues a free key."
}) {
  static readonly refused = () =>
    new KeyUnknown({
      message:
        "Missing or invalid API key. Send a valid one in the X-API-Key header; POST /v1/credits/register issues one free."
    })
}

/** The key is valid, but was issued for other things. */
export class ScopeMissing extends problem<ScopeMissing>()(
  "ScopeMissing",
  "scope-missing",
  {
    status: 403,
    title: "The key lacks a scope",
    meaning:
      "The key is valid, but was issued without the scope that this call needs. Nothing was done or charged.",
    remedy:
      "Use a key with one of `needed_scopes`. A key with the scope `account` issues one: POST /v1/credits/keys. What is " +
      "free to read can be read without a key.",
    accountHint: "Ask the owner of the account for a key with one of needed_scopes."
  },
  {
    /** Any one of them suffices. */
    needed_scopes: Schema.Array(Scope),
    key_scopes: Schema.Array(Scope)
  }
) {}

/** The purchase would exceed what the key may spend in a day. Nothing was charged. */
export class BuyLimitReached extends problem<BuyLimitReached>()(
  "BuyLimitReached",
  "buy-limit-reached",
  {
    status: 403,
    title: "The key's daily limit is reached",
    meaning:
      "The key may spend only so much in a UTC day, and this purchase would exceed it. Nothing was charged; the account may have more credits.",
    remedy: "Buy after `resets_at`, or use a key with a higher `buy_per_day`.",
    accountHint: "Wait until resets_at, or ask the owner of the account for a key with a higher buy_per_day."
  },
  {
    price: Usd,
    buy_per_day: Usd,
    bought_today: Usd,
    /** The next UTC midnight, ISO 8601. */
    resets_at: Schema.String
  }
) {}

/** The account has no such key. */
export class KeyIdUnknown extends problem<KeyIdUnknown>()("KeyIdUnknown", "key-id-unknown", {
  status: 404,
  title: "No such key in this account",
  meaning: "The account has no valid key with this id. Keys of other accounts get the same answer.",
  remedy: "GET /v1/credits/keys lists the account's keys."
}) {}

/** Without this key, nobody could manage the account any more. */
export class LastFullKey extends problem<LastFullKey>()("LastFullKey", "last-full-key", {
  status: 409,
  title: "The last key with every scope cannot be revoked",
  meaning: "Without it, nobody could issue keys, top up or cancel a subscription.",
  remedy: "Rotate it, or create another key with every scope and no daily limit first."
}) {}

/** The caller's tier does not include this view. */
export class TierTooLow extends problem<TierTooLow>()(
  "TierTooLow",
  "tier-too-low",
  {
    status: 402,
    title: "A higher tier is required",
    meaning:
      "This view requires a higher subscription tier than the caller has. Credits do not change the tier.",
    remedy: "`how_to_unlock` names the tier and how to get it.",
    accountHint: "how_to_unlock names the subscription you need."
  },
  {
    tier: AccountTier,
    how_to_unlock: HowToUnlock
  }
) {}

/** The caller's tier does not reach that far back. */
export class HistoryTooDeep extends problem<HistoryTooDeep>()(
  "HistoryTooDeep",
  "history-too-deep",
  {
    status: 402,
    title: "A deeper history is required",
    meaning:
      "The file of a month or a year has days from before the caller's depth of history. Without a key, that is the last 30 days. Credits do not change it.",
    remedy:
      "Read the files of its single days, which are open to everybody, or send the `X-API-Key` of one of the `tiers`.",
    accountHint: "`tiers` names the subscriptions with the full depth."
  },
  {
    /** First day that the caller may read, YYYY-MM-DD. */
    available_from: Schema.String,
    tiers: Schema.Array(Schema.String)
  }
) {}

export class ViewUnavailable extends problem<ViewUnavailable>()("ViewUnavailable", "view-unavailable", {
  status: 503,
  title: "The view is not available",
  meaning: "The caller has access to the view, but it cannot be computed right now.",
  remedy: "`message` says why. Try again later; a retry costs nothing."
}) {}

export class NoTable extends problem<NoTable>()(
  "NoTable",
  "no-table",
  {
    status: 422,
    title: "The dataset cannot be exported as a table",
    meaning: "Its records are nested, so they do not fit into rows and columns.",
    remedy: "Request format=ndjson."
  },
  {
    valid_values: Schema.Array(Schema.String)
  }
) {}
