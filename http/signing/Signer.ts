/** The service's signing keys. They sign statements and cannot move funds. */
import { Context } from "effect"
import type { PublishedKey } from "../../core/proof/keys.ts"

export interface SigningKey {
  /** RFC 7638 thumbprint: the name of the key in its document. */
  readonly kid: string
  /** The 64 bytes of an Ed25519 signature. */
  readonly sign: (message: Uint8Array) => Uint8Array
}

export class Signer extends Context.Service<
  Signer,
  {
    /** The current key. Called for every signature, so a rotation needs no restart. */
    readonly key: () => SigningKey
    /** Every key that ever signed, including the current one. Retired keys stay listed forever. */
    readonly keys: () => ReadonlyArray<PublishedKey>
    /** Origin of the log, which names the keys in its checkpoints. */
    readonly origin: string
  }
>()("http/signing/Signer") {}
