/**
 * Who is paid: a statement that binds a domain, a signing key and the addresses that receive payments. Buyers check it before
 * the first payment. Served and signed in the same way as an event: canonical JSON, then `kid` and `signature`.
 */
import { checkTag, type Tag } from "./leaf.ts"
import * as s from "./shape.ts"
import { readSigned, withSignature } from "./signedMembers.ts"

export const payeeTag = "service-payee-v1"

/** An address that receives payments in one token on one chain. */
export interface PaidAddress {
  /** CAIP-2. */
  readonly network: string
  readonly asset: string
  readonly pay_to: string
}

export interface Payee {
  readonly v: Tag<typeof payeeTag>
  /** Host of the service, with its port unless that is the default. */
  readonly domain: string
  readonly payees: ReadonlyArray<PaidAddress>
  readonly signed_at: string
  /** Ask again after this time. */
  readonly valid_until: string
  /** Present exactly in the demo. */
  readonly simulated?: true
}

const address = s.nested<PaidAddress>("an address", { network: s.network, asset: s.name, pay_to: s.name })

const shape: s.Shape<Payee> = {
  v: s.oneOf<Tag<typeof payeeTag>>(payeeTag, `${payeeTag}-demo`),
  domain: s.name,
  payees: s.listOf(address),
  signed_at: s.time,
  valid_until: s.time,
  simulated: s.optional(s.trueOrAbsent)
}

const checkPayee = (value: unknown): Payee => {
  const payee = s.readShape("a payee statement", value, shape)
  checkTag(payee, payeeTag)
  return payee
}

/** The statement as it is served. */
export const signPayee = (
  payee: Payee,
  key: { readonly kid: string; readonly sign: (message: Uint8Array) => Uint8Array }
) => withSignature(checkPayee(payee), key)

/** A served statement, taken apart. Throws `Malformed`. */
export const readPayee = (value: unknown) => {
  const { document: payee, ...signed } = readSigned("a payee statement", value, checkPayee)
  return { payee, ...signed }
}
