/** Content codings: which one a client takes, and each body compressed once, in zlib's own threads. */
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import { Effect } from "effect"

export type Coding = "identity" | "gzip" | "br"

/** The best coding of ours that an `Accept-Encoding` takes: the client's weights first, then br, gzip, identity. */
export const codingFor = (accept: string | undefined): Coding => {
  if (accept === undefined || accept === "") return "identity"
  const kept = negotiated.get(accept)
  if (kept !== undefined) return kept
  const weights = new Map<string, number>()
  for (const part of accept.toLowerCase().split(",")) {
    const [name = "", ...parameters] = part.split(";").map((text) => text.trim())
    const q = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2)
    const weight = q === undefined ? 1 : Number(q)
    weights.set(name === "x-gzip" ? "gzip" : name, Number.isFinite(weight) ? weight : 0)
  }
  const weight = (coding: string) =>
    weights.get(coding) ?? weights.get("*") ?? (coding === "identity" ? 0.001 : 0)
  const best = (["br", "gzip", "identity"] as const).reduce((a, b) => (weight(b) > weight(a) ? b : a))
  const chosen = weight(best) > 0 ? best : "identity"
  // The header is the client's: what is kept of it is bounded.
  if (negotiated.size < 500 && accept.length < 200) negotiated.set(accept, chosen)
  return chosen
}

const negotiated = new Map<string, Coding>()

/** Below this a coding saves less than its header costs. */
const smallest = 1024

const compressible = /^(text\/|application\/(problem\+)?json|application\/x-ndjson)/

const compress = {
  gzip: promisify(gzip),
  br: promisify(brotliCompress)
}

const options = {
  gzip: { level: 6 },
  br: { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }
}

/**
 * Gives the function that codes a body. A result is kept under the body's hash, so that a body is compressed once
 * however many ask for it, at most `mostBytes` of them, the longest unused dropped first. A body that is small or of
 * another kind stays as it is.
 */
export const makeEncode = (mostBytes: number) => {
  const kept = new Map<string, Promise<Uint8Array>>()
  const sizes = new Map<string, number>()
  let total = 0

  const drop = (name: string) => {
    kept.delete(name)
    total -= sizes.get(name) ?? 0
    sizes.delete(name)
  }

  const find = (name: string): Promise<Uint8Array> | undefined => {
    const found = kept.get(name)
    if (found === undefined) return undefined
    kept.delete(name)
    kept.set(name, found)
    return found
  }

  const start = (name: string, coding: "gzip" | "br", body: Uint8Array): Promise<Uint8Array> => {
    const made = compress[coding](body, options[coding])
    kept.set(name, made)
    made.then(
      (bytes) => {
        sizes.set(name, bytes.length)
        total += bytes.length
        for (const oldest of kept.keys()) {
          if (total <= mostBytes) break
          drop(oldest)
        }
      },
      () => drop(name)
    )
    return made
  }

  return (
    wanted: Coding,
    sha256: string,
    contentType: string | undefined,
    body: Uint8Array
  ): Effect.Effect<{ readonly coding: Coding; readonly bytes: Uint8Array }> => {
    if (wanted === "identity" || body.length < smallest || !compressible.test(contentType ?? "")) {
      return Effect.succeed({ coding: "identity", bytes: body })
    }
    return Effect.map(
      Effect.promise(() => find(`${wanted} ${sha256}`) ?? start(`${wanted} ${sha256}`, wanted, body)),
      (bytes) => ({ coding: wanted, bytes })
    )
  }
}

export type Encode = ReturnType<typeof makeEncode>
