/** Rows of `/v1/export` (spec 4.3): those of the GET that stands behind each dataset, as a table or as lines. */
import { Effect, Stream } from "effect"
import * as Csv from "effect/encoding/Csv"
import type { Access } from "../data/access.ts"
import { BadParameter } from "../data/errors.ts"
import { history } from "../data/views/history.ts"
import { networks } from "../data/views/networks.ts"
import { supplyList } from "../data/views/supply.ts"
import { dailyChanges, dailyCorrelations } from "./crossNetwork.ts"
import { digest } from "./digest.ts"
import { cryptoIndicators } from "./indicators.ts"
import { leadLag } from "./leadLag.ts"

export type Row = Readonly<Record<string, unknown>>

export interface Exported {
  /** The GET that the rows came from. */
  readonly source: string
  readonly rows: ReadonlyArray<Row>
}

interface Options {
  readonly access: Access
  readonly symbol?: string | undefined
  readonly days?: number | undefined
}

const historyRows = Effect.fnUntraced(function* ({ access, days, symbol }: Options) {
  if (symbol === undefined) {
    const message = "symbol is required with dataset=history: a symbol of /v1/networks, such as FIL."
    return yield* new BadParameter({ field: "symbol", message })
  }
  const rows: Array<Row> = []
  let cursor: string | undefined
  do {
    const page = yield* history({ access, network: symbol, days, cursor })
    for (const [metric, { points, source, tier, unit, verify_url }] of Object.entries(
      page.data[symbol] ?? {}
    )) {
      for (const point of points) rows.push({ symbol, metric, tier, source, unit, ...point, verify_url })
    }
    cursor = page.next_cursor
  } while (cursor !== undefined)
  return rows
})

const supplyRows = Effect.fnUntraced(function* ({ access }: Options) {
  const rows: Array<Row> = []
  let cursor: string | undefined
  do {
    const page = yield* supplyList({ access, cursor })
    rows.push(...page.supply.map((row) => ({ ...row })))
    cursor = page.next_cursor
  } while (cursor !== undefined)
  return rows
})

export type Dataset =
  | "networks"
  | "supply"
  | "history"
  | "changes"
  | "correlations"
  | "lead-lag"
  | "indicators"
  | "digest"

/** The rows of a dataset. Fails with `BadParameter`, `UnknownSymbol` and `SqlError`. */
export const exported = Effect.fn("exported")(function* (dataset: Dataset, options: Options) {
  const of = (source: string, rows: ReadonlyArray<Row>): Exported => ({ source, rows })
  switch (dataset) {
    case "networks":
      return of("/v1/networks", (yield* networks({ access: options.access })).networks)
    case "supply":
      return of("/v1/supply", yield* supplyRows(options))
    case "history":
      return of("/v1/history", yield* historyRows(options))
    case "changes":
      return of("/v1/changes", (yield* dailyChanges).changes)
    case "correlations":
      return of("/v1/correlations", (yield* dailyCorrelations).correlations)
    case "lead-lag":
      return of("/v1/lead-lag", (yield* leadLag).correlations)
    case "indicators": {
      const { assets } = yield* cryptoIndicators
      const rows = assets.flatMap(({ bars, n_bars: _, n_gaps: __, ...asset }) =>
        bars.map((bar) => ({ ...asset, ...bar }))
      )
      return of("/v1/indicators", rows)
    }
    case "digest":
      return of("/v1/digest", [yield* digest])
  }
})

/** A cell: null and what is absent is empty, 0 is 0, a part with parts of its own is its JSON. */
const cell = (value: unknown): string => {
  if (value === null || value === undefined) return ""
  if (typeof value === "number" || typeof value === "boolean") return String(value)
  const text = typeof value === "string" ? value : JSON.stringify(value)
  // A spreadsheet would run a text that begins so as a formula.
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
}

/** RFC 4180 with a header line; the columns are those of all rows, in the order in which they first appear. */
export const csv = (rows: ReadonlyArray<Row>): Effect.Effect<string> => {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  if (columns.length === 0) return Effect.succeed("")
  const records = [columns, ...rows.map((row) => columns.map((column) => cell(row[column])))]
  return Stream.fromIterable(records).pipe(
    Stream.pipeThroughChannel(Csv.encodeString({ newline: "\r\n" })),
    Stream.runCollect,
    Effect.map((parts) => parts.join(""))
  )
}

/** One JSON object a line. */
export const ndjson = (rows: ReadonlyArray<Row>): string =>
  rows.map((row) => `${JSON.stringify(row)}\n`).join("")
