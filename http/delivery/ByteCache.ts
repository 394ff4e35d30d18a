/**
 * Ready answers by (exact target, coding), for requests without a key: what the ordinary handler made of one snapshot,
 * until the next. It knows no routes. Bounded by bytes, the longest unused dropped first.
 */
import { LRUCache } from "lru-cache"
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

export class ByteCache {
  private readonly entries: LRUCache<string, Entry>
  private key = ""

  constructor(mostBytes: number) {
    this.entries = new LRUCache({
      maxSize: mostBytes,
      sizeCalculation: ({ answer }) => answer.bytes.length + overhead
    })
  }

  /** Says what the lists depend on now (`listKey`): where it has changed, everything is dropped. */
  at(key: string): void {
    if (key === this.key) return
    this.key = key
    this.entries.clear()
  }

  /** Names the state of the moment: an answer may be kept only when it is still this one after it was made. */
  get state(): string {
    return this.key
  }

  get(url: string, coding: Coding, now: number): Entry | undefined {
    const entry = this.entries.get(`${coding} ${url}`)
    return entry === undefined || now >= entry.until ? undefined : entry
  }

  put(url: string, coding: Coding, answer: Answer, until: number): void {
    this.entries.set(`${coding} ${url}`, { answer, until, head: undefined })
  }

  get size(): number {
    return this.entries.size
  }
}
