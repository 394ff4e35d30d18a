/** The watchlist of this browser: read with care, since anybody can edit what is stored. */
import { mostWatched, type Watched, watchedOf, watchedText } from "../../../html/watch.ts"
import { storedWatchlist, storeWatchlist } from "../store.ts"

/** The valid entries of a list of texts, each once, and how many were none. */
export const entriesOf = (
  texts: unknown
): { readonly entries: ReadonlyArray<Watched>; readonly invalid: number } => {
  const all: ReadonlyArray<unknown> = Array.isArray(texts) ? texts : []
  const valid = all.map(watchedOf).filter((one) => one !== undefined)
  const byText = new Map(valid.map((one) => [watchedText(one), one]))
  return { entries: [...byText.values()], invalid: all.length - valid.length }
}

/** What is watched, in the order in which it was added. */
export const watchlist = (): ReadonlyArray<Watched> =>
  entriesOf(storedWatchlist()).entries.slice(0, mostWatched)

const write = (entries: ReadonlyArray<Watched>): void => storeWatchlist(entries.map(watchedText))

/** What came of adding some entries. */
export interface Added {
  readonly added: number
  readonly present: number
  /** Those that the list had no room for. */
  readonly left: number
  /** False in a browser that stores nothing. */
  readonly stored: boolean
}

/** Adds those that the list does not have, as many as fit. */
export const addWatched = (entries: ReadonlyArray<Watched>): Added => {
  const before = watchlist()
  const texts = new Set(before.map(watchedText))
  const fresh = entries.filter((one) => !texts.has(watchedText(one)))
  const fitting = fresh.slice(0, mostWatched - before.length)
  if (fitting.length > 0) write([...before, ...fitting])
  return {
    added: fitting.length,
    present: entries.length - fresh.length,
    left: fresh.length - fitting.length,
    stored: watchlist().length === before.length + fitting.length
  }
}

export const removeWatched = (text: string): void =>
  write(watchlist().filter((one) => watchedText(one) !== text))

export const emptyWatchlist = (): void => write([])

/** What a full list says. */
export const fullText = `Your watchlist is full: it holds ${mostWatched} entries.`

/** What a browser that stores nothing says. */
export const notStoredText = "This browser stores nothing for this site, so the list is not kept."
