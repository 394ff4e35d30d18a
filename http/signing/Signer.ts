/** The service's signing keys. They sign statements and cannot move funds. */
import { Context } from "effect"

export interface SigningKey {
  /** RFC 7638 thumbprint: the name of the key in its document. */
  readonly kid: string
  /** The 64 bytes of an Ed25519 signature. */
  readonly sign: (message: Uint8Array) => Uint8Array
}

export class Signer extends Context.Service<
  Signer,
  {
    /**
     * The key in use at a time (epoch milliseconds, wall clock): the one that signs an answer with that timestamp. Asked
     * again for each second, so a rotation needs no restart.
     */
    readonly key: (at: number) => SigningKey
  }
>()("http/signing/Signer") {}
