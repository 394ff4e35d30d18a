/**
 * Caches responses by exact target, content coding and tier, each until something changes that it depends
 * on. It knows nothing about routes. Its size in bytes is bounded; the least recently used entries are dropped first.
 */
import { LRUCache } from "lru-cache"
import type { CacheValidators } from "../../core/readings/read/Versions.ts"
import type { Meter } from "../metrics/Counts.ts"
import { type Form, formIn } from "../request/accept.ts"
import type { ReadyResponse } from "./answer.ts"
import type { Coding } from "./coding.ts"

/** The headers that a GET gets within one second, as name, value, name, value. */
export interface HeadOfSecond {
  readonly second: number
  readonly headers: ReadonlyArray<string>
}

/** A cached response, with the head built for the current second. */
export interface Entry {
  readonly answer: ReadyResponse
  readonly basis: CacheValidators
  /** When it expires whatever happens, in epoch milliseconds of the data clock. */
  readonly until: number
  /** The headers of a GET with the signatures of one second. */
  head: HeadOfSecond | undefined
  /** Counts the GETs that it answered. */
  meter: Meter | undefined
}

/** What tells the responses to one target apart. */
export interface CacheKey {
  readonly coding: Coding
  /** Empty without a key; otherwise for whom the response is made: callers with any key, or with one of this tier. */
  readonly scope: string
  /** The format that the caller prefers, where a response may have several; empty for the usual one. */
  readonly accept: Form | ""
}

/** Spellings of `Accept` that mean the same share a form, so that nobody can make up forms of one answer. */
export const cacheKeyOf = (coding: Coding, accept: string | undefined, scope = ""): CacheKey => ({
  coding,
  scope,
  accept: formIn(accept) ?? ""
})

/** The name of what a request gets: two requests of one name are answered alike. */
export const nameOf = (url: string, { accept, coding, scope }: CacheKey): string =>
  accept === "" && scope === "" ? `${coding} ${url}` : `${coding} ${url} ${scope} ${accept}`

/** Of the room for all, what refusals may take: whoever makes up names must not push out what others ask for. */
const ofRefusals = 1 / 16

/** What an entry takes beside its body, in bytes: names, headers and the head of a second; measured as 4,213. */
export const overhead = 4500

export class ByteCache {
  private readonly entries: LRUCache<string, Entry>
  private readonly refusals: LRUCache<string, Entry>

  constructor(mostBytes: number) {
    const room = (maxSize: number) =>
      new LRUCache<string, Entry>({
        maxSize,
        sizeCalculation: ({ answer: { bytes, text = "" } }) => bytes.length + text.length + overhead
      })
    this.entries = room(mostBytes)
    this.refusals = room(Math.ceil(mostBytes * ofRefusals))
  }

  /** `now` is the data clock in epoch milliseconds. */
  get(url: string, key: CacheKey, now: number): Entry | undefined {
    const name = nameOf(url, key)
    const holds = (entry: Entry | undefined) =>
      entry === undefined || now >= entry.until || !entry.basis.holds(now) ? undefined : entry
    return holds(this.entries.get(name)) ?? holds(this.refusals.get(name))
  }

  put(
    url: string,
    key: CacheKey,
    { answer, basis, until }: Pick<Entry, "answer" | "basis" | "until">
  ): Entry {
    const cache = answer.status < 400 ? this.entries : this.refusals
    const entry = { answer, basis, until, head: undefined, meter: undefined }
    cache.set(nameOf(url, key), entry)
    return entry
  }

  get bytes(): number {
    return this.entries.calculatedSize + this.refusals.calculatedSize
  }

  get size(): number {
    return this.entries.size + this.refusals.size
  }
}
