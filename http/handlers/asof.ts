/** `/v1/asof`, and the same where it is bought: rows as JSON or CSV in, and as JSON or CSV out. */
import { Array as Arr, Effect, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { columnsOf, csv } from "../../core/readings/csv.ts"
import { type AsofAnswer, asof as read } from "../../core/readings/read/asof.ts"
import { bulk } from "../../core/readings/read/bulk.ts"
import { AsofAbsent, AsofValue } from "../../core/wire/data/asof.ts"
import { BadParameter, UnknownSymbol, UnsupportedMediaType } from "../../core/wire/problems/request.ts"
import { access } from "../middleware/caller.ts"
import { orProblem } from "../problems/fromCore.ts"
import { formIn } from "../request/accept.ts"
import { JoinReader } from "../request/JoinReader.ts"
import type { JoinBody } from "../request/joinRows.ts"
import { messageIn } from "../request/joinTable.ts"

const columns = columnsOf(AsofValue, AsofAbsent)

/** The media types of a body. */
const forms: ReadonlyMap<string, JoinBody["form"]> = new Map([
  ["application/json", "json"],
  ["text/csv", "csv"]
])

const mediaType = (header = "application/json"): string => header.split(";", 1)[0]?.trim().toLowerCase() ?? ""

/** Rows that are written before the event loop turns. */
const rowsAtOnce = 500

const chunksOf = (rows: ReadonlyArray<AsofAnswer>) =>
  Effect.forEach(Arr.chunksOf(rows, rowsAtOnce), (some) =>
    Effect.as(Effect.yieldNow, JSON.stringify(some).slice(1, -1))
  )

/** The answer as the bytes of its JSON: to encode it by its schema takes longer than to make it. */
const jsonOf = Effect.fnUntraced(function* ({ answers, head }: Effect.Success<ReturnType<typeof read>>) {
  const rows = yield* chunksOf(answers)
  const text = `${JSON.stringify(head).slice(0, -1)},"rows":[${rows.join(",")}]}`
  return HttpServerResponse.text(text, { contentType: "application/json" })
})

const csvOf = Effect.fnUntraced(function* ({ answers, head }: Effect.Success<ReturnType<typeof read>>) {
  const handedOn = yield* bulk
  return yield* Stream.fromIterable(answers, { chunkSize: rowsAtOnce }).pipe(
    Stream.map((row) => handedOn.row({ ...row })),
    csv(handedOn.columns(columns)),
    Stream.mkString,
    Effect.map((text) =>
      HttpServerResponse.text(text, {
        contentType: "text/csv; charset=utf-8",
        headers: {
          "content-disposition": 'attachment; filename="asof.csv"',
          "x-service-rows": String(head.n_rows),
          "x-service-access": head.access.note
        }
      })
    )
  )
})

export const asof = Effect.fnUntraced(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const form = forms.get(mediaType(request.headers["content-type"]))
  if (form === undefined) {
    return yield* new UnsupportedMediaType({
      message: "Send the rows as application/json or text/csv.",
      valid_values: [...forms.keys()]
    })
  }
  const reader = yield* JoinReader
  const { columns: rows, lines } = yield* reader.read({ form, text: yield* Effect.orDie(request.text) })
  const answer = yield* read(rows, yield* access).pipe(
    Effect.catchTags({
      BadParameter: (error) => Effect.fail(new BadParameter({ ...error, message: messageIn(lines, error) })),
      UnknownSymbol: (error) => Effect.fail(new UnknownSymbol({ ...error, message: messageIn(lines, error) }))
    }),
    orProblem
  )
  return yield* formIn(request.headers["accept"]) === "csv" ? csvOf(answer) : jsonOf(answer)
})
