/** Networks by what a person types: a symbol in any case, a name, a slip of either, or words that describe them. */
import MiniSearch, { type SearchOptions } from "minisearch"
import { bySymbol, networks } from "./Catalog.ts"

export type SymbolMatch = { readonly symbol: string } | { readonly suggestions: ReadonlyArray<string> }

/** Texts that differ only in case or in the form of their characters are the same to a person. */
export const folded = (text: string): string => text.normalize("NFKC").trim().toLowerCase()

const byFoldedSymbol = new Map(networks.map(({ symbol }) => [folded(symbol), symbol]))

/** Names that two networks share are ambiguous and find neither. */
const byFoldedName = new Map(
  [...Map.groupBy(networks, ({ name }) => folded(name))].flatMap(([name, [first, ...others]]) =>
    first === undefined || others.length > 0 ? [] : [[name, first.symbol]]
  )
)

/** Words that say nothing of a network. */
const common = new Set(["and", "for", "network", "networks", "of", "the"])

const index = new MiniSearch<(typeof networks)[number]>({
  idField: "symbol",
  fields: ["symbol", "name", "category"],
  processTerm: (term) => {
    const word = folded(term)
    return word === "" || common.has(word) ? null : word
  },
  searchOptions: { prefix: (term) => term.length > 2, boost: { symbol: 3, name: 2 } }
})
index.addAll(networks)

/** Texts longer than any name are not worth a search. */
const longest = 100

const searchIndex = (text: string, options: SearchOptions = {}): ReadonlyArray<string> =>
  index.search(folded(text.slice(0, longest)), options).map(({ id }) => String(id))

/** Symbols that a refusal proposes. */
export const mostSuggestions = 5

/** The network that a text names exactly: by its symbol in any case, or by its whole name. */
export const symbolOf = (text: string): string | undefined =>
  bySymbol.has(text) ? text : (byFoldedSymbol.get(folded(text)) ?? byFoldedName.get(folded(text)))

/**
 * The network that a text names: its exact symbol, its symbol in another case, or its whole name. Else the symbols that
 * come nearest, best first: the subnet whose number was padded with zeros, then by the beginning of a word or by up to a
 * third of its characters; none where nothing is near.
 */
export const findSymbol = (text: string): SymbolMatch => {
  const symbol = symbolOf(text)
  if (symbol !== undefined) return { symbol }
  const unpadded = byFoldedSymbol.get(folded(text).replace(/^sn0+(?=\d)/, "sn"))
  const near = searchIndex(text, { fuzzy: (term) => term.length > 2 && 0.34 })
  return {
    suggestions: [...new Set(unpadded === undefined ? near : [unpadded, ...near])].slice(0, mostSuggestions)
  }
}

const texts = networks.map(({ category, name, symbol }) => ({
  symbol,
  text: [symbol, name, category].map(folded).join("\n")
}))

/**
 * Symbols of the networks that any word of the text describes, best match first; then those that hold the whole text
 * inside of a word, as "coin" is in Filecoin.
 */
export const searchNetworks = (text: string): ReadonlyArray<string> => {
  const query = folded(text)
  if (query === "") return []
  const inside = texts.filter((network) => network.text.includes(query)).map(({ symbol }) => symbol)
  return [...new Set([...searchIndex(text), ...inside])]
}
