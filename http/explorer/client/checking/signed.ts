/** The signed answers behind a page: a script cannot read the signature of its own page, so it asks for the data. */
import { trusted } from "../parts/store.ts"
import { ask } from "../parts/workerCall.ts"
import type { Signed } from "../verifier/signed.ts"

/** Throws `CouldNotLook` if there is no such answer. */
export const signedAnswer = (path: string): Promise<Signed> =>
  ask("signedAnswer", { path, trusted: trusted() })
