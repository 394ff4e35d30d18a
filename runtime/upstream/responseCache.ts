/** Earlier answers of one URL, for conditional requests. */
import { LRUCache } from "lru-cache"

/** A 200 with at least one validator. */
export interface EarlierAnswer {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export interface Earlier {
  readonly get: (key: string) => EarlierAnswer | undefined
  readonly put: (key: string, answer: EarlierAnswer) => void
}

/** Keeps the answers used last, at most `most` bytes of body; a body larger than that is not kept. */
export const memory = (most: number): Earlier => {
  const cache = new LRUCache<string, EarlierAnswer>({
    maxSize: most,
    sizeCalculation: ({ body }) => Math.max(1, body.length)
  })
  return {
    get: (key) => cache.get(key),
    put: (key, answer) => {
      cache.set(key, answer)
    }
  }
}

/** The request headers that ask whether the earlier answer still holds. */
export const conditions = (earlier: EarlierAnswer | undefined): Record<string, string> => ({
  ...(earlier?.headers["etag"] === undefined ? {} : { "if-none-match": earlier.headers["etag"] }),
  ...(earlier?.headers["last-modified"] === undefined
    ? {}
    : { "if-modified-since": earlier.headers["last-modified"] })
})
