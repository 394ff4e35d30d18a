/** What people call a symbol: the name of a network, and of the physical world its symbol as words. */
import { bySymbol } from "../../../core/catalog/Catalog.ts"
import { sectorTitle } from "./format.ts"

export const nameOfSymbol = (symbol: string): string => bySymbol.get(symbol)?.name ?? sectorTitle(symbol)
