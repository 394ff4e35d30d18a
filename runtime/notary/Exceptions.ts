import { Context } from "effect"
import { type Resolve, refusal, systemResolve } from "../upstream/address.ts"
import type { Endpoint } from "./carry.ts"

/**
 * The ways past a notary's rules. Only tests set any: no command and no setting reaches this.
 */
export interface Exceptions {
  readonly resolve: Resolve
  /** Why an address must not be connected to. */
  readonly refusal: (address: string) => string | undefined
  /** Where an address is really connected to. */
  readonly endpoint: (address: string) => Endpoint
  /** Roots to trust instead of the public ones, as PEM. */
  readonly roots: ReadonlyArray<string> | undefined
}

export const Exceptions = Context.Reference<Exceptions>("runtime/notary/Exceptions", {
  defaultValue: () => ({
    resolve: systemResolve,
    refusal,
    endpoint: (address) => ({ host: address, port: 443 }),
    roots: undefined
  })
})
