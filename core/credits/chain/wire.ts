/** Stablecoin top-ups on the wire (spec 2.9, 4.2), and how they are refused. */
import { Schema } from "effect"
import { type Micros, Usd, usd } from "../Money.ts"

/** Bounds of a quote, published in `/v1/credits/crypto`. */
export const leastQuote: Micros = usd("1")
export const mostQuote: Micros = usd("10000")
export const quoteMinutes = 60
export const challengeMinutes = 10

const time = Schema.String.annotate({ format: "date-time", description: "ISO 8601 in UTC" })
const address = (of: string) => Schema.String.annotate({ description: `Address of ${of}` })

export const CryptoStatus = Schema.Struct({
  enabled: Schema.Boolean.annotate({ description: "Whether a quote can be had now" }),
  reason: Schema.optionalKey(Schema.String.annotate({ description: "Why not" })),
  chain: Schema.optionalKey(Schema.String),
  chain_id: Schema.optionalKey(Schema.Int),
  token: Schema.optionalKey(address("native USDC on that chain; bridged tokens are not credited")),
  methods: Schema.Array(Schema.String),
  min_usd: Usd,
  max_usd: Usd,
  quote_minutes: Schema.Int,
  credited_when: Schema.String,
  wallets: Schema.String
}).annotate({ identifier: "CryptoStatus" })

export const ChallengeRequest = Schema.Struct({
  wallet: Schema.String.annotate({ description: "0x and 40 hex digits; an externally owned wallet" })
})

export const Challenge = Schema.Struct({
  message: Schema.String.annotate({ description: "Sign exactly this text (EIP-191 personal_sign)" }),
  nonce: Schema.String,
  expires_at: time
}).annotate({ identifier: "Challenge" })

export const VerifyRequest = Schema.Struct({
  nonce: Schema.String.annotate({ description: "As the challenge gave it" }),
  signature: Schema.String.annotate({ description: "0x and 130 hex digits" })
})

export const Verified = Schema.Struct({
  status: Schema.Literal("verified"),
  wallet: address("the wallet"),
  delegated: Schema.Boolean.annotate({ description: "The wallet delegates to a contract (EIP-7702)" }),
  message: Schema.String
}).annotate({ identifier: "WalletVerified" })

export const QuoteState = Schema.Literals(["open", "expired", "credited"])

export const Quote = Schema.Struct({
  status: Schema.Literal("quote"),
  quote_id: Schema.String,
  deposit_address: address("the deposit"),
  amount: Schema.String.annotate({ description: "Send exactly this many USDC, in one transfer" }),
  expires_at: time,
  from_address: address("the wallet it must come from"),
  token: address("native USDC"),
  chain_id: Schema.Int,
  message: Schema.String
}).annotate({ identifier: "TopUpQuote" })

export const TransferState = Schema.Literals(["seen", "finalized", "credited", "unmatched"])

export const CryptoReceipts = Schema.Struct({
  receipts: Schema.Array(
    Schema.Struct({
      chain_id: Schema.Int,
      token: Schema.String,
      transaction: Schema.String,
      log_index: Schema.Int,
      from_address: Schema.String,
      amount: Schema.String,
      block_time: time,
      status: TransferState,
      reason: Schema.optionalKey(Schema.String.annotate({ description: "Why it was not credited" })),
      quote_id: Schema.optionalKey(Schema.String)
    })
  ).annotate({ description: "Transfers from wallets of this key, newest first" }),
  quotes: Schema.Array(
    Schema.Struct({
      quote_id: Schema.String,
      amount: Schema.String,
      from_address: Schema.String,
      state: QuoteState,
      expires_at: time
    })
  ).annotate({ description: "Quotes of this key, newest first" })
}).annotate({ identifier: "CryptoReceipts" })

/** Stablecoin top-ups are not to be had now; the reason is in `/v1/credits/crypto`, too. */
export class CryptoUnavailable extends Schema.TaggedError<CryptoUnavailable>()("CryptoUnavailable", {
  message: Schema.String
}) {}

/** The wallet, or its signature, is not one that we take. */
export class WalletRefused extends Schema.TaggedError<WalletRefused>()("WalletRefused", {
  field: Schema.String,
  message: Schema.String
}) {}

/** This key has not verified the wallet. */
export class WalletUnverified extends Schema.TaggedError<WalletUnverified>()("WalletUnverified", {
  message: Schema.String
}) {}
