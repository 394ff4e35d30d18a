/** Turns a WOFF font into the TrueType file that it holds: `resvg` draws no text with WOFF, and does not say so. */
import { inflateSync } from "node:zlib"

/** Bytes of a table's entry, there and here. */
const woffEntry = 20
const entry = 16

/** Throws where the file is not WOFF 1. */
export const trueTypeOf = (woff: Buffer): Buffer => {
  if (woff.toString("latin1", 0, 4) !== "wOFF") throw new Error("the font is not a WOFF file")
  const count = woff.readUInt16BE(12)
  const tables = Array.from({ length: count }, (_, n) => {
    const at = 44 + n * woffEntry
    const offset = woff.readUInt32BE(at + 4)
    const stored = woff.subarray(offset, offset + woff.readUInt32BE(at + 8))
    const length = woff.readUInt32BE(at + 12)
    return {
      tag: woff.subarray(at, at + 4),
      checksum: woff.subarray(at + 16, at + 20),
      data: stored.length < length ? inflateSync(stored) : stored
    }
  })
  const head = Buffer.alloc(12 + count * entry)
  const power = 2 ** Math.floor(Math.log2(count))
  woff.copy(head, 0, 4, 8)
  head.writeUInt16BE(count, 4)
  head.writeUInt16BE(power * entry, 6)
  head.writeUInt16BE(Math.log2(power), 8)
  head.writeUInt16BE(count * entry - power * entry, 10)
  const parts: Array<Buffer> = [head]
  let offset = head.length
  tables.forEach(({ checksum, data, tag }, n) => {
    const at = 12 + n * entry
    tag.copy(head, at)
    checksum.copy(head, at + 4)
    head.writeUInt32BE(offset, at + 8)
    head.writeUInt32BE(data.length, at + 12)
    // Tables begin at multiples of four bytes.
    const padding = Buffer.alloc((4 - (data.length % 4)) % 4)
    parts.push(data, padding)
    offset += data.length + padding.length
  })
  return Buffer.concat(parts)
}
