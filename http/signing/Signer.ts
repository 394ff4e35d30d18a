/** The service's signing keys. They sign statements and can move no funds. */
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
    /** The key in use. Called for every signature, so that a rotation needs no restart. */
    readonly key: () => SigningKey
    /** Every key that ever signed, the one in use too: a retired key stays for ever. */
    readonly keys: () => ReadonlyArray<PublicKey>
    /** Origin of the log, which names the keys in its checkpoints. */
    readonly origin: string
  }
>()("http/signing/Signer") {}
