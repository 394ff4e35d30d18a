/** The list of networks as a file: market, fee and developer figures of all rows, and the supply of the day's open sample. */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { kindOf } from "../../../core/catalog/kindOf.ts"
import { csvText } from "../../../core/readings/csv.ts"
import { keyless } from "../../../core/readings/read/Access.ts"
import { bulk, withheldReason } from "../../../core/readings/read/bulk.ts"
import { type Overview, overviewFields } from "../../../core/readings/read/overview.ts"
import { supplyList } from "../../../core/readings/read/supply.ts"
import { type ListQuery, listOf, paramsOf } from "./networkList.ts"

const columns = [
  "symbol",
  "name",
  "kind",
  "category",
  "telemetry_tier",
  "live_series",
  ...overviewFields,
  "supply_metric",
  "supply_value",
  "supply_unit",
  "supply_as_of",
  "supply_source",
  "supply_note"
]

/** The value of what is supplied, or the line that says where it is. */
const supplyOf = (
  { headline, row }: Overview,
  sample: ReadonlySet<string>,
  handed: (source: string, value: string) => string
): ReadonlyArray<string> => {
  if (headline === undefined) return ["", "", "", "", "", "not measured"]
  const { as_of, metric, source, unit, value, value_text } = headline
  return sample.has(row.symbol)
    ? [metric, handed(source, value_text ?? String(value)), unit, as_of, source, "in today's open sample"]
    : [
        metric,
        "",
        unit,
        "",
        "",
        `not in today's open sample of ${sample.size} networks: see /v1/network/${row.symbol}`
      ]
}

export const networksCsv = Effect.fn("explorer.networksCsv")(function* (query: ListQuery) {
  const { ordered } = yield* listOf(paramsOf(query))
  // Nothing that could be refused is asked for.
  const { supply } = yield* Effect.orDie(supplyList({ access: keyless }))
  const sample = new Set(supply.map(({ symbol }) => symbol))
  const handedOn = yield* bulk
  const rows = ordered.map((entry) => {
    let isWithheld = false
    const handed = (source: string, value: string): string => {
      if (handedOn.may(source)) return value
      isWithheld = true
      return ""
    }
    const { figures, row } = entry
    const fields = overviewFields.map((field) => {
      const figure = figures?.row(field)
      return figure === undefined ? "" : handed(figure.source, figure.value_text ?? String(figure.value))
    })
    const { category, live_series, name, symbol, telemetry_tier } = row
    const supplied = supplyOf(entry, sample, handed)
    return [
      symbol,
      name,
      kindOf(row),
      category,
      telemetry_tier,
      String(live_series),
      ...fields,
      ...supplied,
      ...(isWithheld ? [withheldReason] : [])
    ]
  })
  return HttpServerResponse.text(yield* csvText(handedOn.columns(columns), rows), {
    contentType: "text/csv; charset=utf-8; header=present",
    headers: { "content-disposition": 'attachment; filename="plumbline-networks.csv"' }
  })
})
