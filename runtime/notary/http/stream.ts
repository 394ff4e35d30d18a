/** The bytes of one direction, and when each of them came. */
import type { Arrival } from "../tape.ts"
import type { Part } from "../tls/session.ts"

export class Stream {
  readonly bytes: Buffer
  private readonly parts: ReadonlyArray<Part>
  /** Where each part ends. */
  private readonly ends: ReadonlyArray<number>

  constructor(parts: ReadonlyArray<Part>) {
    this.parts = parts.filter(({ data }) => data.length > 0)
    this.bytes = Buffer.concat(this.parts.map(({ data }) => data))
    let end = 0
    this.ends = this.parts.map(({ data }) => {
      end += data.length
      return end
    })
  }

  /** When the record with this byte began to come. */
  firstAt(offset: number): Arrival {
    return this.partAt(offset).first
  }

  /** When the record with this byte was there. */
  lastAt(offset: number): Arrival {
    return this.partAt(offset).last
  }

  private partAt(offset: number): Part {
    let [low, high] = [0, this.ends.length - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.ends[middle] ?? 0) > offset) high = middle
      else low = middle + 1
    }
    const part = this.parts[low]
    if (part === undefined) throw new RangeError(`no byte ${offset}`)
    return part
  }
}
