/** Stablecoin top-ups. */
import { Schema } from "effect"
import { problem } from "./problem.ts"

/** Stablecoin top-ups are unavailable; `/v1/credits/crypto` gives the same reason. */
export class CryptoUnavailable extends problem<CryptoUnavailable>()(
  "CryptoUnavailable",
  "crypto-unavailable",
  {
    status: 503,
    title: "Stablecoin top-ups are not available",
    meaning:
      "No chain is configured on this service, or the chain cannot be read right now. Nothing was changed.",
    remedy: "GET /v1/credits/crypto gives the reason and shows when top-ups are available again."
  }
) {}

/** This key has not verified the wallet. */
export class WalletUnverified extends problem<WalletUnverified>()(
  "WalletUnverified",
  "wallet-unverified",
  {
    status: 403,
    title: "The wallet is not verified for this key",
    meaning: "Only transfers from a wallet that this key has verified are credited to it.",
    remedy:
      "POST /v1/credits/crypto/challenge, sign the message, POST /v1/credits/crypto/verify, then retry.",
    accountHint: "Verify the wallet over REST first: POST /v1/credits/crypto/challenge."
  },
  {
    field: Schema.String
  }
) {}
