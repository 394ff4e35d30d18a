/** Sends tables from files of the spool (`Spool.ts`). */
import { Effect, Layer } from "effect"
import { TableFiles, TableUnwritten } from "../explorer/TableFiles.ts"
import { withOwnBody } from "./Body.ts"
import { mostFiles, Spool } from "./Spool.ts"

export const layer = Layer.effect(
  TableFiles,
  Effect.map(Spool, (spool) =>
    TableFiles.of({
      send: (texts, headers) =>
        spool.write(texts).pipe(
          Effect.map((body) => withOwnBody(body, { contentType: "text/csv; charset=utf-8", headers })),
          Effect.catchTags({
            SpoolBusy: () =>
              new TableUnwritten({
                message: `${mostFiles} files are already being written, the limit. Try again soon.`
              }),
            SpoolUnusable: (error) =>
              Effect.andThen(
                Effect.logError("cannot write a table", error),
                new TableUnwritten({
                  message: "The file cannot be written right now, and the error was logged."
                })
              )
          })
        )
    })
  )
)
