/**
 * Caches responses to keyless requests by exact target and content coding, until the next snapshot. It knows nothing
 * about routes. Its size in bytes is bounded; the least recently used entries are dropped first.
 */
import { LRUCache } from "lru-cache"
import type { Answer } from "./answer.ts"
import type { Coding } from "./coding.ts"

/** A cached response, with the head built for the current second. */
export interface Entry {
  readonly answer: Answer
  /** When it expires, in epoch milliseconds of the wall clock. */
  readonly until: number
  /** The head of a GET with the signatures of one second: status line and headers, without the empty line. */
  head: { readonly second: number; readonly text: string } | undefined
}

/** Estimated overhead of an entry in bytes: headers, names, the maps. */
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

  /** Sets the state that lists depend on (`listKey`). A change drops everything. */
  at(key: string): void {
    if (key === this.key) return
    this.key = key
    this.entries.clear()
  }

  /** The current state. A response may be cached only if the state did not change while it was built. */
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
