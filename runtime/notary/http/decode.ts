/** Content decoding (RFC 9110, 8.4), bounded. */
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from "node:zlib"
import { demand, refuse } from "../Refused.ts"
import type { HttpResponse } from "./responses.ts"

type Decoder = (body: Buffer, options: { readonly maxOutputLength: number }) => Buffer

const decoders: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ["gzip", gunzipSync],
  ["x-gzip", gunzipSync],
  ["deflate", inflateSync],
  ["br", brotliDecompressSync],
  ["zstd", zstdDecompressSync]
])

const mostCodings = 2

const codeOf = (error: unknown): string => String(Object(error)["code"])

/** The body after content decoding, of at most `most` bytes. */
export const decodedBody = ({ body, headers }: HttpResponse, most: number): Buffer => {
  const codings = (headers.get("content-encoding") ?? [])
    .join(",")
    .toLowerCase()
    .split(",")
    .map((coding) => coding.trim())
    .filter((coding) => coding !== "" && coding !== "identity")
  demand(codings.length <= mostCodings, "more than two content codings")
  if (body.length === 0) return body
  return codings.reduceRight((bytes, coding) => {
    const decode = decoders.get(coding) ?? refuse("an unknown content coding")
    try {
      return decode(bytes, { maxOutputLength: most })
    } catch (error) {
      return refuse(`the body does not decode (${codeOf(error)})`)
    }
  }, body)
}
