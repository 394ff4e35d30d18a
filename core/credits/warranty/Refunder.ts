/**
 * The port that sends what warranties owe to the address that paid. It signs one authorization (EIP-3009) for each debt, and
 * the token takes an authorization once: however often it is sent, in whichever transaction, the debt is paid once.
 */
import { Context, type Effect } from "effect"
import { sha256 } from "../../process/sha256.ts"
import { toHex, utf8 } from "../../proof/bytes.ts"
import { format, type Micros } from "../Money.ts"
import type { Authorization, Payment, Settler, SettlerUnavailable } from "../x402/Settler.ts"

/** What the refund address has. */
export interface Funds {
  /** In the token. */
  readonly balance: Micros
  /** Transfers that its gas covers at current fees. */
  readonly transfers: number
}

export interface Refunder extends Pick<Settler, "verify" | "settle" | "follow" | "finality"> {
  /** CAIP-2, e.g. `eip155:8453`. */
  readonly network: string
  /** The token, lower case. */
  readonly asset: string
  /** Who pays, lower case. */
  readonly address: string
  /** Whether the authorization of this nonce was used or cancelled, in whichever transaction and however long ago. */
  readonly isUsed: (nonce: string) => Effect.Effect<boolean, SettlerUnavailable>
  /** Signs in memory, over what the token's contract says of itself. */
  readonly sign: (authorization: Authorization) => Effect.Effect<Payment, SettlerUnavailable>
  readonly funds: Effect.Effect<Funds, SettlerUnavailable>
}

/** The adapter of this service; null if the operator has set no key. */
export const WarrantyRefunder = Context.Reference<Refunder | null>("core/credits/warranty/Refunder", {
  defaultValue: () => null
})

/** An authorization that never ends: whoever sends it, and however late, pays what is owed and nothing else. */
export const never = 2n ** 256n - 1n

/** The nonce is derived from the sale's id, so the chain refuses a second transfer even after a restore of the database. */
export const nonceOf = (sale: string): string => `0x${toHex(sha256(utf8(`warranty refund of ${sale}`)))}`

/** Signs the authorization that pays a sale back. It is the same whenever it is made, so the chain takes it once. */
export const signRefund = (
  { address, sign }: Refunder,
  { amount, payer, sale }: { readonly amount: Micros; readonly payer: string; readonly sale: string }
): Effect.Effect<Payment, SettlerUnavailable> =>
  sign({
    from: address,
    to: payer,
    value: amount,
    validAfter: 0n,
    validBefore: never,
    nonce: nonceOf(sale)
  })

/** With gas for fewer transfers the address is low. */
const fewTransfers = 20

/** What the address lacks, in words; undefined if it has the amount and gas for 20 transfers. */
export const lacks = (address: string, { balance, transfers }: Funds, needed: Micros): string | undefined => {
  const low = [
    ...(balance < needed
      ? [`${format(balance)} USDC, less than the ${format(needed)} that may fall due`]
      : []),
    ...(transfers < fewTransfers ? [`gas for ${transfers} transfers`] : [])
  ]
  return low.length === 0 ? undefined : `The refund address ${address} has ${low.join(" and ")}.`
}
