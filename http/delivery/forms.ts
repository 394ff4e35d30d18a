/** The forms of a list: JSON, JSON whose rows have some members alone (`fields`), and a CSV file. */
import { Effect, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { csv, type Row } from "../../core/readings/csv.ts"
import { bulk } from "../../core/readings/read/bulk.ts"
import { cutRow, fieldsOf, type Names } from "../../core/readings/read/selection.ts"
import type { AccessNote } from "../../core/wire/data/access.ts"
import { cutJson } from "../api/parameters.ts"
import { formIn } from "../request/accept.ts"
import { RequestState } from "./RequestState.ts"

interface Table {
  /** Name of the file, without its ending. */
  readonly name: string
  readonly rows: ReadonlyArray<Row>
  /** What the caller's tier leaves out. */
  readonly access?: AccessNote
  /** Of a list whose cursor is in the body of the request, so that no `Link` can name the next page. */
  readonly next_cursor?: string | undefined
}

export interface Forms<A> {
  /** The columns of the table. */
  readonly columns: ReadonlyArray<string>
  readonly table: (answer: A) => Table
  /** The members of its rows in JSON, if these are others than the columns. */
  readonly members?: ReadonlyArray<string>
  /** The answer with each of its rows cut; absent if it takes no `fields`. */
  readonly cut?: (answer: A, row: (row: object) => object) => object
}

type Format = "json" | "csv"

interface FormRequest {
  readonly fields?: Names
  /** Absent, even as a name, from requests for lists that are JSON alone. */
  readonly format?: Format | undefined
}

/** The form that is asked for: what `format` says, else what `Accept` prefers. */
export const formatOf = Effect.fnUntraced(function* (format: Format | undefined) {
  if (format !== undefined) return format
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  const exchange = yield* RequestState
  exchange.headers = { ...exchange.headers, vary: "Accept, Accept-Encoding, X-API-Key" }
  return formIn(headers["accept"]) === "csv" ? ("csv" as const) : ("json" as const)
})

/** The name as a file on any system has it. */
const safe = (name: string): string => name.replace(/[^\w.-]+/g, "_").slice(0, 80)

/** Rows as a file, with what the JSON says beside them in headers. */
const fileOf = Effect.fnUntraced(function* (
  { access, name, next_cursor, rows }: Table,
  columns: ReadonlyArray<string>
) {
  const handedOn = yield* bulk
  return yield* Stream.fromIterable(rows).pipe(
    Stream.map(handedOn.row),
    csv(handedOn.columns(columns)),
    Stream.mkString,
    Effect.map((text) =>
      HttpServerResponse.text(text, {
        contentType: "text/csv; charset=utf-8",
        headers: {
          "content-disposition": `attachment; filename="${safe(name)}.csv"`,
          "x-service-rows": String(rows.length),
          ...(access === undefined ? {} : { "x-service-access": access.note }),
          ...(next_cursor === undefined ? {} : { "x-service-next-cursor": next_cursor })
        }
      })
    )
  )
})

/** The answer in the form that is asked for. Fails with `BadParameter` before it is made. */
export const inForm =
  <A>(request: FormRequest, { columns, cut, members = columns, table }: Forms<A>) =>
  <E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const { fields } = request
      const format = "format" in request ? yield* formatOf(request.format) : "json"
      const chosen = yield* fieldsOf(fields, format === "csv" ? columns : members)
      const answer = yield* effect
      if (format === "csv") return yield* fileOf(table(answer), chosen ?? columns)
      if (chosen === undefined || cut === undefined) return answer
      const body = cut(answer, (row) => cutRow(row, chosen))
      return HttpServerResponse.text(JSON.stringify(body), { contentType: cutJson })
    })
