/** Keys of accounts, and what a tier opens. */
import { Schema } from "effect"
import { HowToUnlock, Tier } from "../credits/tiers.ts"
import { problem } from "./problem.ts"

/** The key is missing, unknown or ended. One message for all three: a caller learns nothing by guessing. */
export class KeyUnknown extends problem<KeyUnknown>()("KeyUnknown", "key-unknown", {
  status: 401,
  title: "A known key is needed",
  meaning:
    "The header `X-API-Key` is missing, or holds a key that is unknown, has ended or opens something else.",
  remedy: "Send the key that registration gave. POST /v1/credits/register gives a new one.",
  accountHint: "Pass api_key, or set the header X-API-Key on the connection; register_agent gives a free key."
}) {
  static readonly refused = () =>
    new KeyUnknown({
      message:
        "Send a known key in the header X-API-Key; POST /v1/credits/register gives one free, with starter credits."
    })
}

/** A tier-gated view was called below its tier. */
export class TierTooLow extends problem<TierTooLow>()(
  "TierTooLow",
  "tier-too-low",
  {
    status: 402,
    title: "A higher tier is needed",
    meaning: "The view belongs to a subscription tier above the caller's. Credits do not change the tier.",
    remedy: "`how_to_unlock` names the tier and the way to it.",
    accountHint: "how_to_unlock says which subscription opens it."
  },
  {
    tier: Tier,
    how_to_unlock: HowToUnlock
  }
) {}

export class ViewUnavailable extends problem<ViewUnavailable>()("ViewUnavailable", "view-unavailable", {
  status: 503,
  title: "The view is not available",
  meaning: "The caller may read the view, and it cannot be made at the moment.",
  remedy: "`message` says why. Trying again later costs nothing."
}) {}

export class NoTable extends problem<NoTable>()(
  "NoTable",
  "no-table",
  {
    status: 422,
    title: "The dataset is no table",
    meaning: "Its parts have parts of their own, which rows and columns cannot hold.",
    remedy: "Take it with format=ndjson."
  },
  {
    valid_values: Schema.Array(Schema.String)
  }
) {}
