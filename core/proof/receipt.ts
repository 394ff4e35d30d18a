/**
 * Offers and receipts of payments per request: the payloads of the x402 extension `offer-receipt`, version 1, each signed as
 * a JWS. A receipt has more members than the extension asks for: what was sold, for how much, to whom, and the head of the
 * log at that time.
 */
import { Malformed } from "./bytes.ts"
import { isDemoLog } from "./keys.ts"
import * as s from "./shape.ts"

/** What the seller promises until `validUntil`. */
export interface OfferPayload {
  readonly version: 1
  readonly resourceUrl: string
  readonly scheme: string
  /** CAIP-2. */
  readonly network: string
  readonly asset: string
  readonly payTo: string
  /** Smallest units of the token. */
  readonly amount: string
  /** Unix time in seconds. */
  readonly validUntil: number
}

/** A checkpoint of the log. */
export interface LogHead {
  readonly origin: string
  readonly size: number
  readonly root: string
}

export interface ReceiptPayload {
  readonly version: 1
  readonly network: string
  readonly resourceUrl: string
  readonly payer: string
  /** Unix time in seconds. */
  readonly issuedAt: number
  readonly transaction: string
  readonly purchaseId: string
  readonly productKey: string
  readonly asset: string
  readonly payTo: string
  readonly amount: string
  /** SHA-256 of `data` as sent, which is its RFC 8785 bytes. */
  readonly payloadSha256: string
  /** The newest checkpoint at that time; null if there was none. */
  readonly checkpoint: LogHead | null
  /** Present exactly in the demo. */
  readonly simulated?: true
}

const version = {
  is: (value: unknown): value is 1 => value === 1,
  says: "1",
  optional: false
}
const head = s.nested<LogHead>("a checkpoint", { origin: s.name, size: s.count, root: s.hash })

/** Unix seconds of years that a receipt can be of: before 2020 there was nothing to sell, and after 9999 is what was meant in milliseconds. */
const seconds: s.Member<number> = {
  is: (value): value is number => s.ordinal.is(value) && value >= 1_577_836_800 && value <= 253_402_300_799,
  says: "Unix seconds of the years 2020 to 9999",
  optional: false
}

const receipt: s.Shape<ReceiptPayload> = {
  version,
  network: s.network,
  resourceUrl: s.name,
  payer: s.name,
  issuedAt: seconds,
  transaction: s.name,
  purchaseId: s.name,
  productKey: s.name,
  asset: s.name,
  payTo: s.name,
  amount: s.amount,
  payloadSha256: s.hash,
  checkpoint: {
    is: (value: unknown): value is LogHead | null => value === null || head.is(value),
    says: "a checkpoint or null",
    optional: false
  },
  simulated: s.optional(s.trueOrAbsent)
}

/** Throws `Malformed`, naming the member. */
export const readReceipt = (value: unknown): ReceiptPayload => {
  const payload = s.readShape("a receipt", value, receipt)
  const { checkpoint, simulated } = payload
  if (checkpoint !== null && isDemoLog(checkpoint.origin) !== (simulated === true))
    throw new Malformed(
      "a receipt and the log that it names disagree on whether they are simulated",
      "contradiction"
    )
  return payload
}
