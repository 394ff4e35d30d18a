/** What the state of chains proves of the series that are read from them: in a line, and by feed. */
import { byFamily, type ProofsByFeed } from "../../../core/readings/read/ProvedSeries.ts"
import type { ChainProofs } from "../../../core/wire/data/dataDictionary.ts"
import { formatNumber } from "./format.ts"
import { type Html, html } from "./markup.ts"

const chainWords: Readonly<Record<ChainProofs["family"], string>> = {
  substrate: "Substrate chains",
  cosmos: "Cosmos chains",
  evm: "contracts of EVM chains"
}

const shareOf = ({ proved, series }: Pick<ChainProofs, "proved" | "series">): string =>
  `${formatNumber(proved)} of ${formatNumber(series)}`

/** How many series are proved, by kind of chain; false where nothing is read from one. */
export const proofsLine = (byFeed: ProofsByFeed): Html | false => {
  const shares = byFamily(byFeed).map((sum) => `${shareOf(sum)} series of ${chainWords[sum.family]}`)
  return (
    shares.length > 0 &&
    html`<p class="quiet">Proved by the state of a block: ${shares.join(", ")}. <a href="/trust#chain">What that proves</a></p>`
  )
}

/** The same by feed, with what nodes answered that proved nothing; `titles` by feed. */
export const proofsTable = (byFeed: ProofsByFeed, titles: ReadonlyMap<string, string>): Html => {
  const cell = (name: string, content: string) =>
    html`<td role="cell" class="label" data-label="${name}">${content}</td>`
  return html`<table class="cards keys" role="table" aria-labelledby="chain"><thead role="rowgroup"><tr role="row">${["Feed", "Chains", "Series proved", "Why others are not"].map((head) => html`<th scope="col" role="columnheader">${head}</th>`)}</tr></thead>
<tbody role="rowgroup">${Object.entries(byFeed).flatMap(([feed, of]) =>
    of.map(
      (one) =>
        html`<tr role="row"><th scope="row" role="rowheader">${titles.get(feed) ?? feed}<span class="sub"><code>${feed}</code></span></th>${cell("chains", chainWords[one.family])}${cell("series proved", shareOf(one))}${cell("why others are not", one.unproved?.join("; ") ?? (one.proved === one.series ? "" : "it does not ask for their proof"))}</tr>`
    )
  )}</tbody></table>`
}
