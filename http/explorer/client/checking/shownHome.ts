/** The home page beside the signed catalog, and those of its values that are in today's signed sample. */
import type { SupplyListResponse } from "../../../../core/wire/data/supply.ts"
import type { SymbolRow, SymbolsResponse } from "../../../../core/wire/data/symbols.ts"
import { coverage, networkCells } from "../../html/catalog.ts"
import {
  type Compare,
  compareMarkup,
  compareText,
  compareValue,
  type Difference,
  isAfter
} from "./comparing.ts"
import { signedAnswer } from "./signed.ts"

const compareCells = (shown: HTMLElement, row: SymbolRow): ReadonlyArray<Difference> => {
  const cells = networkCells(row)
  return [
    ...compareMarkup(row.name, shown.querySelector("th"), cells.name),
    ...compareMarkup(`${row.name}, metric`, shown.querySelector(".metric"), cells.metric),
    ...compareMarkup(`${row.name}, telemetry`, shown.querySelector(".telemetry"), cells.telemetry),
    ...compareMarkup(`${row.name}, series`, shown.querySelector(".series"), cells.series)
  ]
}

export const compareHome: Compare = async (page) => {
  const catalog = await signedAnswer("/v1/symbols")
  const sample = await signedAnswer("/v1/supply")
  const { generated_utc, symbols } = catalog.body as SymbolsResponse
  const supplied = sample.body as SupplyListResponse
  const rows = new Map(symbols.map((row) => [row.symbol, row]))
  const values = new Map(supplied.supply.map((row) => [`${row.symbol} ${row.metric} ${row.source}`, row]))
  const shown = [...page.querySelectorAll<HTMLElement>("tr[data-symbol]")]
  const found: Array<Difference> = []
  let compared = 0
  for (const one of shown) {
    const { source, symbol = "" } = one.dataset
    const row = rows.get(symbol)
    if (row === undefined) {
      found.push({ where: symbol, shown: "a network", signed: "nothing" })
      continue
    }
    found.push(...compareCells(one, row))
    const value = values.get(`${symbol} ${row.headline} ${source}`)
    if (value === undefined) continue
    compared++
    found.push(
      ...compareValue(`${row.name}, value`, one.querySelector(".value"), value, value.unit),
      ...compareText(`${row.name}, time`, one.querySelector("time")?.getAttribute("datetime"), value.as_of)
    )
  }
  const figures = [...page.querySelectorAll("#estate > *")].slice(0, 2)
  if (figures.length > 0) {
    const counted = document.createElement("template")
    counted.innerHTML = String(coverage(symbols))
    const said = figures.map(({ textContent }) => textContent).join(" ")
    found.push(...compareText("Networks and series", said, counted.content.textContent ?? ""))
  }
  const all = page.querySelectorAll("tr[data-source]").length
  return {
    checks: [...catalog.checks, ...sample.checks],
    found,
    what: `${shown.length} networks and ${compared} of ${all} values (the page of each network compares all of its own)`,
    isNewer: isAfter(generated_utc, page) || isAfter(supplied.generated_utc, page)
  }
}
