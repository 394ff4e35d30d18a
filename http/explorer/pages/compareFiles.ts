/** The files of a comparison: its days as CSV, its charts as SVG and PNG. */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { csvText } from "../../../core/readings/csv.ts"
import { bulk, withheldReason } from "../../../core/readings/read/bulk.ts"
import { dateOf } from "../../../core/readings/read/days.ts"
import { NotFound } from "../../../core/wire/problems/request.ts"
import { HttpSettings } from "../../HttpSettings.ts"
import { drawingsFile } from "../charts/chartFile.ts"
import { compareChart, indexed } from "../charts/compareChart.ts"
import { Painter } from "../charts/Painter.ts"
import { pictureSvg, withheldPicture } from "../charts/picture.ts"
import { formatTime } from "../html/format.ts"
import { pictureHeaders } from "../html/policy.ts"
import { knownLine } from "../html/timeMachine.ts"
import { type CompareQuery, caption, compared, noteOf, sharedOf, sourceText } from "./compared.ts"

const columns = ["symbol", "metric", "source", "unit", "date", "value", "index", "closed", "simulated"]

/** Of days as they were known, the day. */
const knownColumn = "as_known_at"

export const compareCsv = Effect.fn("explorer.compareCsv")(function* (query: CompareQuery) {
  const { lines, matches, params } = yield* compared(query)
  const then = params.at === undefined ? [] : [dateOf(params.at)]
  const indexes = indexed(lines)
  const handedOn = yield* bulk
  const rows = matches.flatMap(({ of, read, series }, n) => {
    const may = handedOn.may(read.row.source)
    return (series?.points ?? []).map(({ date, open, simulated, value, value_text }, place) => [
      of.symbol,
      read.metric,
      read.row.source,
      read.row.unit,
      date,
      may ? (value_text ?? String(value)) : "",
      may ? String(indexes[n]?.points[place]?.value ?? "") : "",
      String(open !== true),
      String(simulated === true),
      ...then,
      ...(may ? [] : [withheldReason])
    ])
  })
  return HttpServerResponse.text(
    yield* csvText(handedOn.columns([...columns, ...then.map(() => knownColumn)]), rows),
    {
      contentType: "text/csv; charset=utf-8; header=present",
      headers: { "content-disposition": 'attachment; filename="plumbline-compare.csv"' }
    }
  )
})

const width = 1280
const height = 400

const drawn = Effect.fnUntraced(function* (query: CompareQuery) {
  const { all, charts, matches, now, params } = yield* compared(query)
  if (matches.length === 0) {
    return yield* new NotFound({
      message: "Nothing to draw: name a series, such as a=FIL. /compare begins one."
    })
  }
  const note = noteOf(matches, params)
  const { baseUrl } = yield* HttpSettings
  const handedOn = yield* bulk
  const barred = matches.find(({ read }) => !handedOn.may(read.row.source))
  if (barred !== undefined)
    return pictureSvg({
      ...withheldPicture(caption(matches, params, charts.length)),
      foot: `${baseUrl}${sharedOf(params, all)}`
    })
  return drawingsFile(
    charts.map((chart) => ({ svg: compareChart({ ...chart, width, height }), width, height })),
    {
      heading: caption(matches, params, charts.length),
      lines: [
        ...matches.map((one) => `${one.letter.toUpperCase()}: ${sourceText(one)}`),
        ...(note === undefined ? [] : [knownLine(note)]),
        `${formatTime(new Date(now).toISOString())}. ${baseUrl.replace(/^https?:\/\//, "")}${sharedOf(params, all)}`
      ]
    }
  )
})

export const compareSvg = Effect.fn("explorer.compareSvg")(function* (query: CompareQuery) {
  return HttpServerResponse.text(yield* drawn(query), {
    contentType: "image/svg+xml; charset=utf-8",
    headers: pictureHeaders
  })
})

export const comparePng = Effect.fn("explorer.comparePng")(function* (query: CompareQuery) {
  const bytes = yield* (yield* Painter).png({ svg: yield* drawn(query), width })
  return HttpServerResponse.uint8Array(bytes, { contentType: "image/png" })
})
