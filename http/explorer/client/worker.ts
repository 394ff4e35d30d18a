/**
 * The verifier as a worker: signatures and proofs are computed beside the page, which stays free for its reader. What needs
 * the page itself (its markup, what this browser keeps) is in `checking/`.
 */
import { type Failure, failureOf } from "./parts/failure.ts"
import type { checkFiles } from "./verifier/files.ts"
import { compareHeads } from "./verifier/heads.ts"
import { notTrustable } from "./verifier/trust.ts"
import type { proveValue } from "./verifier/value.ts"

/**
 * What a page can ask for. Each takes one thing and returns one, of which messages are made. What verifies bundles and files is twice
 * as large as the rest, and comes when a reader asks for it.
 */
export interface Work {
  readonly checkFiles: typeof checkFiles
  readonly compareHeads: typeof compareHeads
  /** Loads what verifies files, for a reader who is offline when one is given. */
  readonly loadFiles: (nothing: undefined) => Promise<void>
  readonly notTrustable: typeof notTrustable
  readonly proveValue: typeof proveValue
}

const work: Work = {
  checkFiles: async (files) => (await import("./verifier/files.ts")).checkFiles(files),
  compareHeads,
  loadFiles: async () => void (await import("./verifier/files.ts")),
  notTrustable,
  proveValue: async (request) => (await import("./verifier/value.ts")).proveValue(request)
}

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
