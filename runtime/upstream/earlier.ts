/** Earlier answers of one URL, for conditional requests. */

/** A 200 with at least one validator. */
export interface EarlierAnswer {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export interface Earlier {
  readonly get: (key: string) => EarlierAnswer | undefined
  readonly put: (key: string, answer: EarlierAnswer) => void
}

/** Keeps the answers used last, at most `most` bytes of body. */
export const memory = (most: number): Earlier => {
  const kept = new Map<string, EarlierAnswer>()
  let size = 0
  const drop = (key: string) => {
    size -= kept.get(key)?.body.length ?? 0
    kept.delete(key)
  }
  return {
    get: (key) => {
      const answer = kept.get(key)
      if (answer !== undefined) {
        // Last in the map's order is the one that was used last.
        kept.delete(key)
        kept.set(key, answer)
      }
      return answer
    },
    put: (key, answer) => {
      drop(key)
      if (answer.body.length > most) return
      kept.set(key, answer)
      size += answer.body.length
      for (const oldest of kept.keys()) {
        if (size <= most) break
        drop(oldest)
      }
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
