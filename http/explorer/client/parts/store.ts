/** What this browser keeps for this site. A browser that keeps nothing only forgets: every use goes on without it. */

export interface StoredHead {
  readonly note: string
  /** When this browser saw it, ISO 8601. */
  readonly seen: string
}

/** Two heads of one log of which the later does not follow from the earlier. */
export interface Contradiction {
  readonly origin: string
  readonly address: string
  /** When this browser noticed, ISO 8601. */
  readonly noticed: string
  readonly why: string
  readonly kept: StoredHead
  readonly shown: string
  /** The key document that came with the later one. */
  readonly keys: unknown
}

/** What the reader trusts, from elsewhere: one key on a line. */
export interface Trusted {
  readonly keys: string
  readonly witnesses: string
  readonly notaries: string
  /** How many of the notaries are needed, as it was written; empty: one. */
  readonly leastNotaries: string
  /** Hashes that name who may sign blocks of chains. */
  readonly signers: string
}

/** Nobody is trusted. */
export const nobody: Trusted = { keys: "", witnesses: "", notaries: "", leastNotaries: "", signers: "" }

const read = <A>(name: string, otherwise: A): A => {
  try {
    const text = localStorage.getItem(`plumbline.${name}`)
    return text === null ? otherwise : JSON.parse(text)
  } catch {
    return otherwise
  }
}

const write = (name: string, value: unknown): void => {
  try {
    localStorage.setItem(`plumbline.${name}`, JSON.stringify(value))
  } catch {
    // Private windows and full disks: the page says what it found, and forgets it.
  }
}

/** The greatest head that was seen of each log, by its origin. */
export const storedHeads = (): Readonly<Record<string, StoredHead>> => read("heads", {})
export const storeHead = (origin: string, head: StoredHead): void =>
  write("heads", { ...storedHeads(), [origin]: head })

export const contradictions = (): ReadonlyArray<Contradiction> => read("contradictions", [])
export const storeContradiction = (contradiction: Contradiction): void =>
  write("contradictions", [
    ...contradictions().filter(({ origin }) => origin !== contradiction.origin),
    contradiction
  ])

/** The reader has kept the evidence, and starts anew with this log. */
export const forget = (origin: string): void => {
  const { [origin]: _, ...others } = storedHeads()
  write("heads", others)
  write(
    "contradictions",
    contradictions().filter((one) => one.origin !== origin)
  )
}

/** An earlier version kept no notaries. */
export const trusted = (): Trusted => ({ ...nobody, ...read<Partial<Trusted>>("trusted", nobody) })
export const storeTrusted = (what: Trusted): void => write("trusted", what)

/** Keys that signed what this browser verified, each with the time it first did, ISO 8601. */
export type SeenKeys = Readonly<Record<string, string>>
export const seenKeys = (): SeenKeys => read("keys", {})

/** The most keys that are kept: an operator has a few. */
const mostKeys = 100

/** Keeps the first time of each. */
export const storeKeys = (kids: ReadonlyArray<string>, now: string): void => {
  const before = seenKeys()
  const added = kids.filter((kid) => before[kid] === undefined)
  if (added.length > 0 && Object.keys(before).length < mostKeys)
    write("keys", { ...before, ...Object.fromEntries(added.map((kid) => [kid, now])) })
}

/** What is watched, as it is stored: `parts/watchlist/entries.ts` says what of it is an entry. */
export const storedWatchlist = (): unknown => read<unknown>("watchlist", [])
export const storeWatchlist = (entries: ReadonlyArray<string>): void => write("watchlist", entries)
/** The language of the documentation's samples, as the samples name it; empty before one is chosen. */
export const storedLanguage = (): string => read("language", "")
export const storeLanguage = (language: string): void => write("language", language)
