/** Stablecoin top-ups. */
import { Schema } from "effect"
import { Usd } from "./money.ts"

const time = Schema.String.annotate({ format: "date-time", description: "ISO 8601 in UTC" })

const address = (of: string) => Schema.String.annotate({ description: `Address of ${of}` })

export const CryptoStatus = Schema.Struct({
  enabled: Schema.Boolean.annotate({ description: "Whether quotes are available now" }),
  reason: Schema.optionalKey(Schema.String.annotate({ description: "Why not" })),
  chain: Schema.optionalKey(Schema.String.annotate({ description: "Name of the chain" })),
  chain_id: Schema.optionalKey(Schema.Int.annotate({ description: "EIP-155 number of the chain" })),
  token: Schema.optionalKey(address("native USDC on that chain; bridged tokens are not credited")),
  methods: Schema.Array(Schema.String).annotate({ description: "Valid values of `method` in a top-up" }),
  min_usd: Usd,
  max_usd: Usd,
  quote_minutes: Schema.Int.annotate({ description: "How many minutes a quote is valid" }),
  credited_when: Schema.String.annotate({
    description: "When a transfer is credited"
  }),
  wallets: Schema.String.annotate({ description: "Which wallets are supported" })
}).annotate({ identifier: "CryptoStatus" })

export const ChallengeRequest = Schema.Struct({
  wallet: Schema.String.annotate({ description: "an externally owned wallet: 0x and 40 hex digits" })
})

export const Challenge = Schema.Struct({
  message: Schema.String.annotate({ description: "Sign exactly this text (EIP-191 personal_sign)" }),
  nonce: Schema.String.annotate({ description: "Send it back with the signature" }),
  expires_at: time
}).annotate({ identifier: "Challenge" })

export const VerifyRequest = Schema.Struct({
  nonce: Schema.String.annotate({ description: "The nonce of the challenge" }),
  signature: Schema.String.annotate({ description: "0x and 130 hex digits" })
})

export const Verified = Schema.Struct({
  status: Schema.Literal("verified").annotate({ description: "The wallet made the signature" }),
  wallet: address("the wallet"),
  delegated: Schema.Boolean.annotate({ description: "The wallet delegates to a contract (EIP-7702)" }),
  message: Schema.String.annotate({ description: "What the signature proves and what it does not" })
}).annotate({ identifier: "WalletVerified" })

export const QuoteState = Schema.Literals(["open", "expired", "credited"])

export const Quote = Schema.Struct({
  status: Schema.Literal("quote").annotate({ description: "A quote" }),
  quote_id: Schema.String.annotate({ description: "Id of the quote" }),
  deposit_address: address("the deposit"),
  amount: Schema.String.annotate({ description: "Send exactly this many USDC, in one transfer" }),
  expires_at: time,
  from_address: address("the wallet it must come from"),
  token: address("native USDC"),
  chain_id: Schema.Int.annotate({ description: "EIP-155 number of the chain" }),
  message: Schema.String.annotate({ description: "What to do next" })
}).annotate({ identifier: "TopUpQuote" })

export const TransferState = Schema.Literals(["seen", "finalized", "credited", "unmatched"])

export const CryptoReceipts = Schema.Struct({
  receipts: Schema.Array(
    Schema.Struct({
      chain_id: Schema.Int.annotate({ description: "EIP-155 number of the chain" }),
      token: Schema.String.annotate({ description: "Address of the token" }),
      transaction: Schema.String.annotate({ description: "Hash of the transaction" }),
      log_index: Schema.Int.annotate({ description: "Log index of the transfer in its block" }),
      from_address: Schema.String.annotate({ description: "Sender" }),
      amount: Schema.String.annotate({ description: "USDC" }),
      block_time: time,
      status: TransferState.annotate({ description: "Progress of the transfer" }),
      reason: Schema.optionalKey(Schema.String.annotate({ description: "Why it was not credited" })),
      quote_id: Schema.optionalKey(Schema.String.annotate({ description: "The quote it pays" }))
    })
  ).annotate({ description: "Transfers from wallets of this key, newest first" }),
  quotes: Schema.Array(
    Schema.Struct({
      quote_id: Schema.String.annotate({ description: "Id of the quote" }),
      amount: Schema.String.annotate({ description: "USDC to send" }),
      from_address: Schema.String.annotate({ description: "The wallet it must come from" }),
      state: QuoteState.annotate({ description: "State of the quote" }),
      expires_at: time
    })
  ).annotate({ description: "Quotes of this key, newest first" })
}).annotate({ identifier: "CryptoReceipts" })
