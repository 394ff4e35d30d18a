/** How an answer of a search is named. */
import { bySymbol } from "../../../core/catalog/Catalog.ts"
import type { SearchAnswer } from "../../../core/wire/data/networks.ts"
import { metricTitle, metricWords } from "./format.ts"

/** `Price of Helium`; of the physical world, `Trains in Finland: trains running`. */
export const answerTitle = ({ metric, name, symbol }: SearchAnswer): string =>
  bySymbol.has(symbol) ? `${metricTitle(metric)} of ${name}` : `${name}: ${metricWords(metric)}`
