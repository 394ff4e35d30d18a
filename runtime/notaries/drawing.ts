/** The notaries that a collector may use, and which of them a run uses: by lot. */
import { Malformed } from "../../core/proof/bytes.ts"
import { noteKeyText, parseVkey, type Verifier } from "../../core/proof/checkpoint.ts"
import { type DrawnRun, drawnNotary, notariesInOrder } from "../../core/proof/lot.ts"

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

/** The notary of a run, and all that it was drawn from, in the order of the draw. */
export interface Drawn {
  readonly notary: Notary
  readonly from: ReadonlyArray<string>
}

/** Draws the notary of a run by the hash of a head; undefined where there is none to draw from. */
export const draw = (notaries: ReadonlyArray<Notary>, head: string, run: DrawnRun): Drawn | undefined => {
  const from = notariesInOrder(notaries.map(({ key }) => noteKeyText(key)))
  const drawn = drawnNotary(from, head, run)
  const notary = notaries.find(({ key }) => noteKeyText(key) === drawn)
  return notary === undefined ? undefined : { notary, from }
}
