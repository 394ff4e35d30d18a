/** What an entry of the catalog is. Browsers load this file, so that it reads no list. */

/** A subnet is of one network; a reference chain is there to compare with, and no infrastructure network itself. */
type CatalogKind = "network" | "subnet" | "reference"

/** True of the symbol of a subnet of Bittensor. */
export const isSubnet = (symbol: string): boolean => /^SN\d+$/.test(symbol)

export const kindOf = ({
  category,
  symbol
}: {
  readonly category: string
  readonly symbol: string
}): CatalogKind => (category === "reference" ? "reference" : isSubnet(symbol) ? "subnet" : "network")
