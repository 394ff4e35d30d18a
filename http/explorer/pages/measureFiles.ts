/** The files of a measure: its days as CSV, and its picture. */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { measurePath } from "../../../core/catalog/Measures.ts"
import { csvText } from "../../../core/readings/csv.ts"
import { keyless } from "../../../core/readings/read/Access.ts"
import { bulk, withheldReason } from "../../../core/readings/read/bulk.ts"
import { measured, sampleWords, visibleMembers } from "../../../core/readings/read/measure.ts"
import { HttpSettings } from "../../HttpSettings.ts"
import { orProblem } from "../../problems/fromCore.ts"
import { Painter } from "../charts/Painter.ts"
import { barsPicture, pictureSvg } from "../charts/picture.ts"
import { valueText } from "../html/format.ts"
import { nameOfSymbol } from "../html/nameOfSymbol.ts"
import { handed, measureOf, measureSentence } from "./measured.ts"

/** The first column says of how many members the file is. */
const columns = ["of", "symbol", "name", "counts", "metric", "source", "unit", "date", "value", "simulated"]

export const measureCsv = Effect.fn("explorer.measureCsv")(function* (name: string) {
  const one = yield* orProblem(measured(yield* measureOf(name)))
  const members = yield* visibleMembers(one, keyless)
  const handedOn = yield* bulk
  const of = sampleWords(members.length, one)
  const rows = members.flatMap(({ counts, points, row: { row, simulated }, symbol }) => {
    const may = handedOn.may(row.source)
    return points.map(({ date, value, value_text }) => [
      of,
      symbol,
      nameOfSymbol(symbol),
      counts ?? "",
      row.metric,
      row.source,
      row.unit,
      date,
      may ? (value_text ?? String(value)) : "",
      String(simulated),
      ...(may ? [] : [withheldReason])
    ])
  })
  return HttpServerResponse.text(yield* csvText(handedOn.columns(columns), rows), {
    contentType: "text/csv; charset=utf-8; header=present",
    headers: { "content-disposition": `attachment; filename="plumbline-${one.measure.name}.csv"` }
  })
})

export const measurePicture = Effect.fn("explorer.measurePicture")(function* (name: string) {
  const one = yield* orProblem(measured(yield* measureOf(name)))
  const { title } = one.measure
  const { baseUrl } = yield* HttpSettings
  const { members } = yield* handed(one.members)
  const bars = members.map(({ row: { row }, symbol }) => ({
    name: nameOfSymbol(symbol),
    value: row.value,
    text: valueText(row.value, row.unit)
  }))
  const svg = pictureSvg({
    heading: title,
    below: measureSentence(one),
    value: "",
    chart: barsPicture(title, bars),
    foot: `${one.measure.ranks ? "" : "Different things, not added. "}With every value's proof at ${baseUrl.replace(/^https?:\/\//, "")}${measurePath(one.measure)}`
  })
  const bytes = yield* (yield* Painter).png({ svg, width: 1200 })
  return HttpServerResponse.uint8Array(bytes, { contentType: "image/png" })
})
