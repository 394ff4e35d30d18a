/** The thread in which a notary examines tapes: one of 20 MB takes a tenth of a second. */
import { perform } from "../../core/process/threads/perform.ts"
import { publicRoots, type Roots, rootsOf } from "./certificates/chain.ts"
import { ChainVerifier } from "./certificates/openssl.ts"
import type { Examination, Judgement } from "./examination.ts"
import { examine } from "./examine.ts"
import { Refused } from "./Refused.ts"

/** Roots, and OpenSSL asked about chains to them. */
interface Authority {
  readonly roots: Roots
  readonly verifier: ChainVerifier
}

const authorities = new Map<string, Authority>()

const authorityOf = (pems: ReadonlyArray<string> | undefined): Authority => {
  const key = pems === undefined ? "" : pems.join("")
  const before = authorities.get(key)
  if (before !== undefined) return before
  const roots = pems === undefined ? publicRoots() : rootsOf(pems)
  const authority = { roots, verifier: new ChainVerifier(roots) }
  authorities.set(key, authority)
  return authority
}

perform("examining a tape", async ({ roots: pems, secrets, tape }: Examination): Promise<Judgement> => {
  const { roots, verifier } = authorityOf(pems)
  try {
    const { chain, findings } = examine(tape, secrets, roots)
    await verifier.check(chain, tape.host, new Date(tape.opened))
    return { findings }
  } catch (error) {
    if (error instanceof Refused) return { refused: error.message }
    throw error
  }
})
