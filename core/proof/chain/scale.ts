/** The part of SCALE that headers and nodes of a trie need; only the shortest form of a number is read. */
import { Malformed } from "../bytes.ts"
import { demand } from "../check.ts"

/** Reads bytes from the beginning to the end. Each method throws `Malformed`. */
export class ScaleReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get left(): number {
    return this.#bytes.length - this.#at
  }

  take(size: number): Uint8Array {
    if (size > this.left) throw new Malformed("SCALE: cut off")
    this.#at += size
    return this.#bytes.subarray(this.#at - size, this.#at)
  }

  byte(): number {
    return this.take(1)[0] ?? 0
  }

  /** An unsigned integer of so many bytes, little endian. */
  unsigned(size: number): bigint {
    return this.take(size).reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n)
  }

  /** A compact integer: its two lowest bits say how long it is. */
  compact(): bigint {
    const first = this.byte()
    const mode = first & 3
    if (mode === 3) {
      const size = (first >> 2) + 4
      demand(size <= 16, "SCALE: a compact number is too large")
      return shortest(this.unsigned(size), size === 4 ? 1n << 30n : 1n << BigInt((size - 1) * 8))
    }
    this.#at -= 1
    return shortest(this.unsigned(1 << mode) >> 2n, mode === 0 ? 0n : 1n << (mode === 1 ? 6n : 14n))
  }

  /** Bytes after their compact length. */
  bytes(): Uint8Array {
    const size = this.compact()
    if (size > BigInt(this.left)) throw new Malformed("SCALE: cut off")
    return this.take(Number(size))
  }

  end(): void {
    demand(this.left === 0, "SCALE: something follows")
  }
}

const shortest = (value: bigint, least: bigint): bigint => {
  demand(value >= least, "SCALE: a compact number is not in its shortest form")
  return value
}
