/**
 * Ready answers by (exact target, coding), for requests without a key: what the ordinary handler made of one snapshot,
 * until the next. It knows no routes. Bounded by bytes, the longest unused dropped first.
 */
import type { Answer } from "./answer.ts"
import type { Coding } from "./coding.ts"

/** A kept answer, with what was made of it in the running second. */
export interface Entry {
  readonly answer: Answer
  /** Epoch milliseconds of the wall clock from which on it is no answer any more. */
  readonly until: number
  /** The head of a GET with the signatures of one second: status line and headers, without the empty line. */
  head: { readonly second: number; readonly text: string } | undefined
}

/** Bytes of an entry beside its body: headers, names, the maps. An estimate. */
const overhead = 8192

const sizeOf = ({ answer }: Entry): number => answer.bytes.length + overhead

export class ByteCache {
  private readonly entries = new Map<string, Entry>()
  private readonly mostBytes: number
  private bytes = 0
  private key = ""

  constructor(mostBytes: number) {
    this.mostBytes = mostBytes
  }

  /** Says what the lists depend on now (`listKey`): where it has changed, everything is dropped. */
  at(key: string): void {
    if (key === this.key) return
    this.key = key
    this.entries.clear()
    this.bytes = 0
  }

  /** Names the state of the moment: an answer may be kept only when it is still this one after it was made. */
  get state(): string {
    return this.key
  }

  get(url: string, coding: Coding, now: number): Entry | undefined {
    const name = `${coding} ${url}`
    const entry = this.entries.get(name)
    if (entry === undefined || now >= entry.until) return undefined
    this.entries.delete(name)
    this.entries.set(name, entry)
    return entry
  }

  put(url: string, coding: Coding, answer: Answer, until: number): void {
    const name = `${coding} ${url}`
    const before = this.entries.get(name)
    if (before !== undefined) this.bytes -= sizeOf(before)
    this.entries.delete(name)
    const made: Entry = { answer, until, head: undefined }
    this.entries.set(name, made)
    this.bytes += sizeOf(made)
    for (const [oldest, entry] of this.entries) {
      if (this.bytes <= this.mostBytes) break
      this.entries.delete(oldest)
      this.bytes -= sizeOf(entry)
    }
  }

  get size(): number {
    return this.entries.size
  }
}
