/** The home page beside the signed catalog, and those of its values that are in today's signed sample. */
import type { SupplyListResponse } from "../../../../core/wire/data/supply.ts"
import type { SymbolRow, SymbolsResponse } from "../../../../core/wire/data/symbols.ts"
import { coverage, networkCells } from "../../html/catalog.ts"
import { setMarkup } from "../parts/trusted.ts"
import {
  type Compare,
  compareMarkup,
  compareText,
  compareValue,
  type Difference,
  isAfter
} from "./comparison.ts"
import { signedAnswer } from "./signed.ts"

const compareCells = (rowElement: HTMLElement, row: SymbolRow): ReadonlyArray<Difference> => {
  const cells = networkCells(row)
  return [
    ...compareMarkup(row.name, rowElement.querySelector("th"), cells.name),
    ...compareMarkup(`${row.name}, metric`, rowElement.querySelector(".metric"), cells.metric),
    ...compareMarkup(`${row.name}, telemetry`, rowElement.querySelector(".telemetry"), cells.telemetry),
    ...compareMarkup(`${row.name}, series`, rowElement.querySelector(".series"), cells.series)
  ]
}

export const compareHome: Compare = async (page) => {
  const catalog = await signedAnswer("/v1/symbols")
  const sample = await signedAnswer("/v1/supply")
  const { generated_utc, symbols } = catalog.body as SymbolsResponse
  const supplied = sample.body as SupplyListResponse
  const rows = new Map(symbols.map((row) => [row.symbol, row]))
  const values = new Map(supplied.supply.map((row) => [`${row.symbol} ${row.metric} ${row.source}`, row]))
  const rowElements = [...page.querySelectorAll<HTMLElement>("tr[data-symbol]")]
  const mismatches: Array<Difference> = []
  let compared = 0
  for (const one of rowElements) {
    const { source, symbol = "" } = one.dataset
    const row = rows.get(symbol)
    if (row === undefined) {
      mismatches.push({ where: symbol, displayed: "a network", signed: "nothing" })
      continue
    }
    mismatches.push(...compareCells(one, row))
    const value = values.get(`${symbol} ${row.headline} ${source}`)
    if (value === undefined) continue
    compared++
    mismatches.push(
      ...compareValue(`${row.name}, value`, one.querySelector(".value"), value, value.unit),
      ...compareText(`${row.name}, time`, one.querySelector("time")?.getAttribute("datetime"), value.as_of)
    )
  }
  const figures = [...page.querySelectorAll("#estate > *")].slice(0, 2)
  if (figures.length > 0) {
    const counted = document.createElement("template")
    setMarkup(counted, String(coverage(symbols)))
    const displayed = figures.map(({ textContent }) => textContent).join(" ")
    mismatches.push(...compareText("Networks and series", displayed, counted.content.textContent ?? ""))
  }
  const all = page.querySelectorAll("tr[data-source]").length
  return {
    checks: [...catalog.checks, ...sample.checks],
    mismatches,
    what: `${rowElements.length} networks and ${compared} of ${all} values (the page of each network compares all of its own)`,
    isNewer: isAfter(generated_utc, page) || isAfter(supplied.generated_utc, page)
  }
}
