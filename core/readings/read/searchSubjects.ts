/** What a query may name: networks of the catalog, and symbols of the physical world. */
import { networks as catalog } from "../../catalog/Catalog.ts"
import type { Manifest } from "../../plugin/Manifest.ts"
import { allOtherNames, isOptional, isOrdinary, otherSymbols, tellingWords, wordsOf } from "./searchWords.ts"

export interface Subject {
  readonly symbol: string
  readonly name: string
  /** Each of them in words. */
  readonly names: ReadonlyArray<ReadonlyArray<string>>
  /** Its place among the symbols of its collector: parts of a gauge come after the whole. Networks have the first. */
  readonly place: number
  /** Of a network of the catalog. */
  readonly category?: string
  /** Words that a question need not say of its metrics: a network's category, and of the physical world the parts of a symbol. */
  readonly says: ReadonlySet<string>
}

/** `SN64` is subnet 64. */
const subnetWords = (symbol: string): ReadonlyArray<ReadonlyArray<string>> => {
  const [, n] = /^SN(\d+)$/.exec(symbol) ?? []
  return n === undefined ? [] : [["subnet", n]]
}

const ofCatalog: ReadonlyArray<Subject> = catalog.map(({ category, name, symbol }) => ({
  symbol,
  name,
  category,
  names: [wordsOf(symbol), tellingWords(name), ...subnetWords(symbol)],
  says: new Set([category]),
  place: 0
}))

const ofWorld = (manifests: ReadonlyArray<Manifest>): ReadonlyArray<Subject> =>
  manifests.flatMap(({ covers, title }) =>
    "sector" in covers
      ? covers.symbols.map((symbol, place) => ({
          symbol,
          name: place === 0 ? title : `${title}: ${symbol}`,
          names: [wordsOf(symbol), ...(place === 0 ? [tellingWords(title)] : [])],
          says: new Set(wordsOf(symbol)),
          place
        }))
      : []
  )

/** What some words are a name of, and the words beside them; no subject where none is named. */
export interface Naming {
  readonly subjects: ReadonlyArray<Subject>
  readonly name: ReadonlyArray<string>
  readonly rest: ReadonlyArray<string>
}

/** A name as it is written, after other words where it is one word: a sentence may begin with any. */
const writtenAs = (name: string): RegExp => {
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
  return new RegExp(`${name.includes(" ") ? "(?:^|\\s)" : "\\s"}${escaped}(?=[\\s?!.,']|$)`)
}

/** Words of a name that is looked for; longer names are found by their parts. */
const mostWords = 5

export class Subjects {
  readonly bySymbol: ReadonlyMap<string, Subject>
  readonly #byWords: ReadonlyMap<string, ReadonlyArray<Subject>>
  /** Words that are in the name of a metric: alone they name no network, unless nothing else is said. */
  readonly #ofMetrics: ReadonlySet<string>

  /** Networks whose names are words that say something else as well, each as it is written. */
  readonly #plain: ReadonlyArray<{ readonly subject: Subject; readonly form: RegExp }>

  constructor(manifests: ReadonlyArray<Manifest>) {
    const all = [...ofCatalog, ...ofWorld(manifests)]
    this.bySymbol = new Map(all.map((subject) => [subject.symbol, subject]))
    const named = all.flatMap((subject) => subject.names.map((words) => [words.join(" "), subject] as const))
    this.#byWords = new Map(
      [...Map.groupBy(named, ([words]) => words)].map(([words, of]) => [
        words,
        [...new Set(of.map(([, subject]) => subject))]
      ])
    )
    const metrics = manifests.flatMap(({ metrics }) => Object.keys(metrics))
    this.#ofMetrics = new Set([...metrics, ...allOtherNames].flatMap((metric) => wordsOf(metric)))
    this.#plain = ofCatalog
      .filter(({ name }) => /^[A-Z]/.test(name) && !wordsOf(name).some((word) => this.tells(word)))
      .map((subject) => ({ subject, form: writtenAs(subject.name) }))
  }

  /** The names of everything, in words. */
  get words(): Iterable<string> {
    return [...this.bySymbol.values()].flatMap(({ names }) => names.flat())
  }

  /**
   * What words name, longest names first, and the words that are left. A word of plain English names a network only where it is the
   * whole query; a symbol in capitals that is no such word, and any after a `$`, is meant as one.
   */
  named(words: ReadonlyArray<string>, query: string): Naming {
    const written = this.#written(words, query)
    if (written !== undefined) return written
    const other = otherSymbols.find(({ words: of }) => of.every((word) => words.includes(word)))
    const subject = other === undefined ? undefined : this.bySymbol.get(other.symbol)
    if (other !== undefined && subject !== undefined)
      return {
        subjects: [subject],
        name: other.words,
        rest: words.filter((word) => !other.words.includes(word))
      }
    const capitals = new Set(
      query
        .split(/\s+/)
        .filter((word) => /^\$/.test(word) || (/^[A-Z]/.test(word) && !wordsOf(word).every(isOrdinary)))
        .map((word) => word.replace(/^\$|[?!.,]+$/g, ""))
        .filter((word) => this.bySymbol.has(word))
    )
    const meant = new Set([...capitals].flatMap((symbol) => wordsOf(symbol)))
    const nAll = wordsOf(query).length
    const isName = (of: ReadonlyArray<string>) =>
      of.length === nAll || of.some((word) => this.tells(word) || meant.has(word))
    return this.#all({ subjects: [], name: [], rest: words }, isName)
  }

  /** What is named beside what some words name already: "akash vs render" names two. */
  #all(named: Naming, isName: (of: ReadonlyArray<string>) => boolean): Naming {
    const next = this.#longest(named.rest, isName)
    const all = {
      subjects: [...named.subjects, ...next.subjects],
      name: [...named.name, ...next.name],
      rest: next.rest
    }
    return next.subjects.length === 0 ? all : this.#all(all, isName)
  }

  /** What a query names in capitals as its name is written: "The Graph", and "Node" where no sentence begins with it. */
  #written(words: ReadonlyArray<string>, query: string): Naming | undefined {
    const matches = this.#plain.filter(({ form }) => form.test(query))
    const longest = matches.toSorted((a, b) => b.subject.name.length - a.subject.name.length)[0]
    if (longest === undefined) return undefined
    const own = tellingWords(longest.subject.name)
    const name = words.filter((word) => own.includes(word))
    const rest = words.filter((word) => !own.includes(word))
    return this.#all({ subjects: [longest.subject], name, rest }, (of) => of.some((word) => this.tells(word)))
  }

  /** What all of these words and no others name, ordinary words or not. */
  perhapsCalled(words: ReadonlyArray<string>): ReadonlyArray<Subject> {
    return this.#byWords.get(words.join(" ")) ?? []
  }

  /** Of the physical world, what has most of these words in its symbol, as `GB_GRID_WIND` has "wind"; none where none has any. */
  ofWorldWith(words: ReadonlyArray<string>): ReadonlyArray<Subject> {
    const scored = [...this.bySymbol.values()].flatMap((subject) => {
      const own = wordsOf(subject.symbol)
      const n = words.filter((word) => own.includes(word)).length
      return n === 0 || own.length < 2 || ofCatalog.includes(subject) ? [] : [{ subject, n }]
    })
    const most = Math.max(0, ...scored.map(({ n }) => n))
    return scored.flatMap(({ n, subject }) => (n === most ? [subject] : []))
  }

  /** What words name although all of the name are words of metrics as well, as "tao" is. */
  perhapsNamed(words: ReadonlyArray<string>): Naming {
    return this.#longest(words, (of) => !of.every((word) => isOptional(word) || isOrdinary(word)))
  }

  #longest(words: ReadonlyArray<string>, isName: (of: ReadonlyArray<string>) => boolean): Naming {
    for (let length = Math.min(mostWords, words.length); length > 0; length--) {
      for (let from = 0; from + length <= words.length; from++) {
        const of = words.slice(from, from + length)
        const subjects = this.#byWords.get(of.join(" "))
        if (subjects === undefined || !isName(of)) continue
        return { subjects, name: of, rest: [...words.slice(0, from), ...words.slice(from + length)] }
      }
    }
    return { subjects: [], name: [], rest: words }
  }

  /** Whether a word alone names what is called so: it is of no metric's name, and no plain English. */
  tells(word: string): boolean {
    return !this.#ofMetrics.has(word) && !isOptional(word) && !isOrdinary(word)
  }
}
