/** Picks the content coding and compresses each body once: large ones in zlib's threads. */
import { promisify } from "node:util"
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from "node:zlib"
import { Effect } from "effect"
import { LRUCache } from "lru-cache"

export type Coding = "identity" | "gzip" | "br"

/** The best coding for an `Accept-Encoding`: by the client's weights, then br, gzip, identity. */
export const codingFor = (accept: string | undefined): Coding => {
  if (accept === undefined || accept === "") return "identity"
  const cachedCoding = negotiated.get(accept)
  if (cachedCoding !== undefined) return cachedCoding
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
  // The client controls this header, so long ones are not cached.
  if (accept.length < 200) negotiated.set(accept, chosen)
  return chosen
}

const negotiated = new LRUCache<string, Coding>({ max: 500 })

/** Below this size, compression saves less than its header costs. */
const smallest = 1024

const compressible = /^(text\/|image\/svg|application\/(problem\+)?json|application\/x-ndjson)/

/** Up to this size, handing a body to another thread costs more than compressing it here, which takes 0.1 ms. */
const largestHere = 16 * 1024

const compress = {
  gzip: promisify(gzip),
  br: promisify(brotliCompress)
}

const compressHere = {
  gzip: gzipSync,
  br: brotliCompressSync
}

/** How bodies are compressed. */
export const options = {
  gzip: { level: 6 },
  br: { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }
}

/** Scripts and styles never change under their names, so they are worth the longest search: a tenth less to load. */
const lasting = /^text\/(javascript|css)/

const optionsOfLasting = {
  gzip: { level: 9 },
  br: { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }
}

/** The bytes in memory of their own: zlib gives a part of a buffer of 64 KiB, which would be kept with it. */
const alone = (coded: Buffer): Uint8Array => new Uint8Array(coded)

/** Estimated overhead of a cached body in bytes. */
const overhead = 256

/**
 * Gives the function that codes a body. A result is kept under the body's hash, so that a body is compressed once
 * however many ask for it: at most `mostBytes` of them, the least recently used dropped first. A body that is small or
 * of another kind stays as it is.
 */
export const makeEncode = (mostBytes: number) => {
  const compressed = new LRUCache<string, Uint8Array>({
    maxSize: mostBytes,
    sizeCalculation: ({ length }) => length + overhead
  })
  const underWay = new Map<string, Promise<Uint8Array>>()

  const start = (
    name: string,
    coding: "gzip" | "br",
    body: Uint8Array,
    isLasting: boolean
  ): Promise<Uint8Array> => {
    const started = underWay.get(name)
    if (started !== undefined) return started
    const coded = compress[coding](body, (isLasting ? optionsOfLasting : options)[coding])
      .then((coded) => {
        const bytes = alone(coded)
        compressed.set(name, bytes)
        return bytes
      })
      .finally(() => underWay.delete(name))
    underWay.set(name, coded)
    return coded
  }

  return (
    coding: Coding,
    sha256: string,
    contentType: string | undefined,
    body: Uint8Array
  ): Effect.Effect<{ readonly coding: Coding; readonly bytes: Uint8Array }> => {
    if (coding === "identity" || body.length < smallest || !compressible.test(contentType ?? "")) {
      return Effect.succeed({ coding: "identity", bytes: body })
    }
    const name = `${coding} ${sha256}`
    const cachedBytes = compressed.get(name)
    if (cachedBytes !== undefined) return Effect.succeed({ coding, bytes: cachedBytes })
    const isLasting = lasting.test(contentType ?? "")
    if (body.length <= largestHere && !isLasting) {
      const bytes = alone(compressHere[coding](body, options[coding]))
      compressed.set(name, bytes)
      return Effect.succeed({ coding, bytes })
    }
    return Effect.map(
      // biome-ignore lint/plugin/promise: compresses in memory
      Effect.promise(() => start(name, coding, body, isLasting)),
      (bytes) => ({ coding, bytes })
    )
  }
}

export type Encode = ReturnType<typeof makeEncode>
