/** Addresses that public sources name as wallets of exchanges: a part of what the exchanges hold, never the whole. */
import { Schema } from "effect"
import walletsJson from "./exchange-wallets.json" with { type: "json" }

/** One labelled address of `exchange-wallets.json`. */
export const ExchangeWallet = Schema.Struct({
  exchange: Schema.NonEmptyString,
  /** The chain on which the source names it, in the words of the network catalog. */
  chain: Schema.Literals(["base", "bsc", "ethereum", "polygon"]),
  /** Lower-case hex. */
  address: Schema.String.check(Schema.isPattern(/^0x[0-9a-f]{40}$/)),
  /** Who says that it is the exchange's: repository, commit and file. */
  source: Schema.NonEmptyString
})
export interface ExchangeWallet extends Schema.Schema.Type<typeof ExchangeWallet> {}

/** Every labelled address, in the order of the file. */
export const exchangeWallets: ReadonlyArray<ExchangeWallet> = Schema.decodeUnknownSync(
  Schema.Array(ExchangeWallet)
)(walletsJson)
