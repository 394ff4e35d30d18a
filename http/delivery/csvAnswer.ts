/** Rows of an answer as a CSV file, with what the JSON says beside them in headers. */
import { Effect, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { csv, type Row } from "../../core/readings/csv.ts"
import type { AccessNote } from "../../core/wire/data/access.ts"

interface Table {
  /** Name of the file, without its ending. */
  readonly name: string
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<Row>
  /** What the caller's tier leaves out. */
  readonly access?: AccessNote
}

/** The name as a file on any system has it. */
const safe = (name: string): string => name.replace(/[^\w.-]+/g, "_").slice(0, 80)

const table = ({ access, columns, name, rows }: Table) =>
  Stream.fromIterable(rows).pipe(
    csv(columns),
    Stream.mkString,
    Effect.map((text) =>
      HttpServerResponse.text(text, {
        contentType: "text/csv; charset=utf-8",
        headers: {
          "content-disposition": `attachment; filename="${safe(name)}.csv"`,
          "x-service-rows": String(rows.length),
          ...(access === undefined ? {} : { "x-service-access": access.note })
        }
      })
    )
  )

type Format = "json" | "csv" | undefined

/** The answer as it is, or with `format=csv` as a table. */
export const inFormat =
  <A>(format: Format, asTable: (answer: A) => Table) =>
  <E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.flatMap(
      effect,
      (answer): Effect.Effect<A | HttpServerResponse.HttpServerResponse> =>
        format === "csv" ? table(asTable(answer)) : Effect.succeed(answer)
    )
