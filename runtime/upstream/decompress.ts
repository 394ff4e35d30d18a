/** Decodes the content codings of answers as a stream, so a decompression bomb is cut off while it unpacks. */
import { pipeline, type Readable, type Transform } from "node:stream"
import * as zlib from "node:zlib"
import { guarded } from "../../core/process/guarded.ts"
import { TransportError } from "./TransportError.ts"

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: () => zlib.createGunzip(),
  "x-gzip": () => zlib.createGunzip(),
  deflate: () => zlib.createInflate(),
  br: () => zlib.createBrotliDecompress(),
  // RFC 9659: a decoder of content coding zstd needs a window of 8 MiB and may refuse a larger one.
  zstd: () => zlib.createZstdDecompress({ params: { [zlib.constants.ZSTD_d_windowLogMax]: 23 } })
}

/** The body after its content codings. Throws `TransportError` for a coding that is not known, or more than two. */
export const decoded = (body: Readable, contentEncoding: string | undefined): Readable => {
  const codings = (contentEncoding ?? "")
    .toLowerCase()
    .split(",")
    .map((coding) => coding.trim())
    .filter((coding) => coding !== "" && coding !== "identity")
  if (codings.length > 2) throw new TransportError({ kind: "limit", detail: "more than two content codings" })
  return codings.reverse().reduce<Readable>((stream, coding) => {
    const decoder = decoders[coding]
    if (decoder === undefined) {
      throw new TransportError({
        kind: "limit",
        detail: `unknown content coding ${coding.slice(0, 20)}`
      })
    }
    // The reader of the last stream sees the error; the callback keeps it from being thrown a second time.
    return pipeline(stream, decoder(), () => {})
  }, body)
}

/** Reads a stream to its end; more than `most` bytes, read or decoded, destroys it. */
export const collect = async (wire: Readable, contentEncoding: string | undefined, most: number) => {
  const tooLarge = () =>
    new TransportError({ kind: "limit", detail: `the answer is larger than ${most} bytes` })
  let received = 0
  wire.on(
    "data",
    guarded("the answer of an upstream", (chunk: Uint8Array) => {
      received += chunk.length
      if (received > most) wire.destroy(tooLarge())
    })
  )
  wire.pause()
  const chunks: Array<Uint8Array> = []
  let size = 0
  for await (const chunk of decoded(wire, contentEncoding) as AsyncIterable<Uint8Array>) {
    size += chunk.length
    // Leaving the loop destroys the stream, and with it the connection.
    if (size > most) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, size)
}
