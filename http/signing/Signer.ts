/** The service's signing keys. They sign statements and cannot move funds. */
import { Context } from "effect"

export interface SigningKey {
  /** RFC 7638 thumbprint: the name of the key in its document. */
  readonly kid: string
  /** The 64 bytes of an Ed25519 signature. */
  readonly sign: (message: Uint8Array) => Uint8Array
}

export interface PublicKey {
  /** 32 bytes. */
  readonly publicKey: Uint8Array
  /** ISO 8601 UTC, whole seconds. */
  readonly notBefore: string
  /** ISO 8601 UTC, null while the key is in use. */
  readonly notAfter: string | null
}

export class Signer extends Context.Service<
  Signer,
  {
    /** The current key. Called for every signature, so a rotation needs no restart. */
    readonly key: () => SigningKey
    /** Every key that ever signed, including the current one. Retired keys stay listed forever. */
    readonly keys: () => ReadonlyArray<PublicKey>
    /** Origin of the log, which names the keys in its checkpoints. */
    readonly origin: string
  }
>()("http/signing/Signer") {}
