/** Statements of test notaries about exchanges, as a real one would sign them. */
import { type Verifier, verifierOf, vkey } from "../../../core/proof/checkpoint.ts"
import {
  type Notarisation,
  type NotarisedExchange,
  notarisationNote
} from "../../../core/proof/notarisation.ts"
import type { RunExchange } from "../../../core/readings/ingest/Run.ts"
import { publicKeyOf, signEd25519 } from "../ed25519.ts"

export interface StatingNotary {
  readonly vkey: string
  readonly verifier: Verifier
  readonly sign: (message: Uint8Array) => Uint8Array
}

export const statingNotary = (n: number): StatingNotary => {
  const secret = new Uint8Array(32).fill(n)
  const name = `notary.test/n${n}`
  return {
    vkey: vkey(name, publicKeyOf(secret)),
    verifier: verifierOf(name, publicKeyOf(secret)),
    sign: (message) => signEd25519(message, secret)
  }
}

/** What a notary states of one exchange, otherwise than it was where the test says so. */
export const statedExchange = (
  { at, method, sha256, size, status, url }: RunExchange,
  more: Partial<NotarisedExchange> = {}
): NotarisedExchange => {
  const { pathname, search } = new URL(url)
  if (method === "LISTEN") throw new Error("no notary carries a window of listening")
  return {
    asked_at: at,
    answered_at: at,
    request: { method, target: `${pathname}${search}` },
    response: { status, whole: "length", sha256, size, encoded_size: size },
    ...more
  }
}

/** A statement about these exchanges with a host, signed. */
export const noteOf = (
  { sign, verifier }: StatingNotary,
  host: string,
  exchanges: ReadonlyArray<NotarisedExchange>,
  more: Partial<Notarisation> = {}
): string => {
  const at = exchanges[0]?.answered_at ?? "2026-09-05T12:00:00.000Z"
  const hash = "1".repeat(64)
  return notarisationNote(
    {
      v: "service-notarisation-v1",
      notary: verifier.name,
      collector: "log.example.net/test",
      day: at.slice(0, 10),
      n: 1,
      host,
      address: "93.184.216.1",
      session: hash,
      cipher: "TLS_AES_256_GCM_SHA384",
      signature: "ecdsa_secp256r1_sha256",
      certificate: { sha256: hash, root_sha256: hash, not_after: "2027-01-01T00:00:00.000Z" },
      roots_sha256: hash,
      opened_at: at,
      closed_at: at,
      stated_at: at,
      cut: false,
      exchanges,
      log: { size: 1, root: hash },
      ...more
    },
    verifier,
    sign
  )
}
