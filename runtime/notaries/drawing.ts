/** The notaries that a collector may use, and which of them a run uses: by lot. */
import { createHash } from "node:crypto"
import { Malformed } from "../../core/proof/bytes.ts"
import { noteKeyText, parseVkey, type Verifier } from "../../core/proof/checkpoint.ts"

export interface Notary {
  readonly key: Verifier
  /** Without the token. */
  readonly url: URL
  /** By which the notary knows the collector. */
  readonly token: string
}

/** The words that a notary takes in a message between threads. */
export interface NotaryText {
  readonly vkey: string
  readonly address: string
}

const schemes = ["http:", "https:"]

/** Reads a notary's verifier key and its address with the collector's token, `https://<token>@host[:port]`. Throws `Malformed`. */
export const parseNotary = ({ address, vkey }: NotaryText): Notary => {
  const key = parseVkey(vkey)
  const url = URL.parse(address)
  const form = `the address of notary ${key.name} must be https://<token>@<host>, or http:// in a network of your own`
  // The address is not repeated: it has a secret in it.
  if (url === null || !schemes.includes(url.protocol) || `${url.pathname}${url.search}${url.hash}` !== "/")
    throw new Malformed(form)
  const token = decodeURIComponent(url.username)
  if (token === "" || url.password !== "" || !/^[\x21-\x7e]+$/.test(token)) throw new Malformed(form)
  url.username = ""
  return { key, url, token }
}

/** Reads `<verifier key> <address>, <verifier key> <address>...`; lines separate as commas do. Throws `Malformed`. */
export const parseNotaries = (text: string): ReadonlyArray<NotaryText> => {
  const parts = text
    .split(/[,\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== "" && !part.startsWith("#"))
  const notaries = parts.map((part): NotaryText => {
    const [vkey = "", address = "", ...more] = part.split(/\s+/)
    if (address === "" || more.length > 0)
      throw new Malformed("each notary must be <verifier key> https://<token>@<host>")
    parseNotary({ vkey, address })
    return { vkey, address }
  })
  if (new Set(notaries.map(({ vkey }) => vkey)).size < notaries.length)
    throw new Malformed("a notary is there twice")
  return notaries
}

/** What a run is known by before it begins: a run that no schedule asked for, by its id. */
export interface DrawnRun {
  readonly id: string
  readonly plugin: string
  /** ISO 8601. */
  readonly due?: string
}

/** In the order of the draw: by verifier key. */
const inOrder = (notaries: ReadonlyArray<Notary>): ReadonlyArray<Notary> =>
  [...notaries].sort((a, b) => (noteKeyText(a.key) < noteKeyText(b.key) ? -1 : 1))

/**
 * The notary of a run: number SHA-256(`<head>\n<plugin>\n<due, or the run's id>\n`) mod n, over the notaries in the order of their
 * verifier keys. `head` is the hash of a cosigned checkpoint: the collector cannot choose it, and a run's time was published the
 * day before, so neither can it choose its notary.
 */
export const draw = (
  notaries: ReadonlyArray<Notary>,
  head: string,
  { due, id, plugin }: DrawnRun
): Notary | undefined => {
  const digest = createHash("sha256")
    .update(`${head}\n${plugin}\n${due ?? id}\n`)
    .digest()
  // 48 bits over a handful of notaries: as even as it can be seen.
  return inOrder(notaries)[digest.readUIntBE(0, 6) % Math.max(1, notaries.length)]
}
