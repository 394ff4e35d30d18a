/** The home page beside the signed catalog, and those of its values that are in today's signed sample. */
import type { MarketResponse } from "../../../../core/wire/data/market.ts"
import type { RevenueResponse } from "../../../../core/wire/data/revenue.ts"
import type { SupplyListResponse } from "../../../../core/wire/data/supply.ts"
import type { SymbolRow, SymbolsResponse } from "../../../../core/wire/data/symbols.ts"
import { coverageFigures, networkCells } from "../../html/catalog.ts"
import { absent } from "../../html/format.ts"
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
    ...(["metric", "telemetry", "series"] as const).flatMap((name) => {
      const cell = rowElement.querySelector(`.${name}`)
      // Each set of columns has some of them.
      return cell === null ? [] : compareMarkup(`${row.name}, ${name}`, cell, cells[name])
    })
  ]
}

type Figures = Readonly<Record<string, unknown>>

/** The market and fee figures of a row, which anyone can read signed and whole. */
const compareFigures = (rowElement: HTMLElement, name: string, figures: Figures): ReadonlyArray<Difference> =>
  [...rowElement.querySelectorAll<HTMLElement>("[data-field]")].flatMap((cell) => {
    const field = cell.dataset["field"] ?? ""
    if (!signedFields.has(field)) return []
    const value = figures[field]
    const exact = cell.querySelector("data")?.value ?? ""
    return typeof value === "number"
      ? compareValue(
          `${name}, ${field}`,
          // Beside it stands whether the figure is confirmed.
          cell.querySelector("a"),
          { value, value_text: Number(exact) === value ? exact : undefined },
          "usd"
        )
      : compareText(`${name}, ${field}`, cell.textContent, absent)
  })

const signedFields: ReadonlySet<string> = new Set([
  "price_usd",
  "market_cap_usd",
  "fully_diluted_valuation_usd",
  "fees_24h_usd",
  "fees_7d_usd",
  "fees_30d_usd",
  "tvl_usd"
])

export const compareHome: Compare = async (page) => {
  const catalog = await signedAnswer("/v1/symbols")
  const sample = await signedAnswer("/v1/supply")
  const market = await signedAnswer("/v1/market")
  const revenue = await signedAnswer("/v1/revenue")
  const figures = new Map<string, Figures>()
  for (const one of [...(market.body as MarketResponse), ...(revenue.body as RevenueResponse)])
    figures.set(one.symbol, { ...figures.get(one.symbol), ...one })
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
    mismatches.push(...compareCells(one, row), ...compareFigures(one, row.name, figures.get(symbol) ?? {}))
    const value = values.get(`${symbol} ${row.headline} ${source}`)
    // One set of columns has the value.
    const cell = one.querySelector(".supplies")
    if (value === undefined || cell === null) continue
    compared++
    mismatches.push(
      ...compareValue(`${row.name}, value`, cell.querySelector(".value"), value, value.unit),
      ...compareText(`${row.name}, time`, cell.querySelector("time")?.getAttribute("datetime"), value.as_of)
    )
  }
  const tiles = [...page.querySelectorAll("#estate > *")].slice(0, 2)
  if (tiles.length > 0) {
    const counted = document.createElement("template")
    setMarkup(counted, String(coverageFigures(symbols)))
    const displayed = tiles.map(({ textContent }) => textContent).join(" ")
    mismatches.push(...compareText("Networks and series", displayed, counted.content.textContent ?? ""))
  }
  const all = page.querySelectorAll("tr[data-source] .supplies").length
  return {
    checks: [...catalog.checks, ...sample.checks, ...market.checks, ...revenue.checks],
    mismatches,
    what: `${rowElements.length} networks with their market and fee figures${all === 0 ? "" : `, and ${compared} of ${all} values (the page of each network compares all of its own)`}`,
    isNewer: isAfter(generated_utc, page) || isAfter(supplied.generated_utc, page)
  }
}
