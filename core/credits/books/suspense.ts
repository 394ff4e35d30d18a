/** Money that arrived and belongs to nobody yet, until an operator refunds it or credits it to an account. */
import type { Ledger } from "../Ledger.ts"
import type { Micros } from "../Money.ts"

/** A transfer that no quote explains. */
export interface Unmatched {
  readonly chain: bigint
  readonly token: string
  readonly tx: string
  readonly logIndex: number
  readonly units: Micros
}

/** Books what arrived for a held order, once. */
export const bookHeld = (ledger: Ledger["Service"], order: string, amount: Micros) =>
  ledger.between("card", "suspense", amount, {
    cause: "card_held",
    reference: order,
    key: `card_held:${order}`
  })

/** The name of a transfer, as operators are told it. */
export const transferName = ({ logIndex, tx }: Pick<Unmatched, "logIndex" | "tx">): string =>
  `${tx}:${logIndex}`

/** Books an unmatched transfer, once. */
export const bookUnmatched = (ledger: Ledger["Service"], transfer: Unmatched) =>
  ledger.between("stablecoin", "suspense", transfer.units, {
    cause: "transfer_unmatched",
    reference: transferName(transfer),
    key: `transfer_unmatched:${transfer.chain}:${transfer.token}:${transfer.tx}:${transfer.logIndex}`
  })
