/**
 * The verifier as a worker: signatures and proofs are computed beside the page, which stays free for its reader. What needs
 * the page itself (its markup, what this browser keeps) is in `checking/`.
 */
import { type Failure, failureOf } from "./parts/failure.ts"
import { checkFiles } from "./verifier/files.ts"
import { compareHeads } from "./verifier/heads.ts"
import { signedAnswer } from "./verifier/signed.ts"
import { pageNow } from "./verifier/transport.ts"
import { notTrustable } from "./verifier/trust.ts"
import { proveValue } from "./verifier/value.ts"

/** What a page can ask for. Each takes one thing and returns one, of which messages are made. */
const work = { checkFiles, compareHeads, notTrustable, pageNow, proveValue, signedAnswer }

export type Work = typeof work

export type Reply<A> = { readonly value: A } | { readonly failure: Failure }

/** `parts/workerCall.ts` types each request and its reply. */
interface Call {
  readonly name: keyof Work
  readonly input: never
}

export const answer = async ({ input, name }: Call): Promise<Reply<unknown>> => {
  try {
    return { value: await work[name](input) }
  } catch (error) {
    return { failure: failureOf(error) }
  }
}

// A page imports this module where it cannot start a worker.
if (typeof document === "undefined") {
  addEventListener(
    "message",
    ({ data, ports: [port] }) => void answer(data).then((reply) => port?.postMessage(reply))
  )
  postMessage("ready")
}
