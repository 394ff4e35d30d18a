/** What holds by itself, and is signed by nobody whom the reader named. */
import { Malformed } from "../bytes.ts"

/** Signatures fit, and nobody whom the reader trusts made them: that proves nothing, and refutes nothing. */
export class Untrusted extends Malformed {
  override readonly name = "Untrusted"

  constructor(message: string) {
    super(message, "key")
  }
}
