/** The port by which pages and answers send a table that may be too long for the memory. */
import { Context, type Effect, Schema, type Scope, type Stream } from "effect"
import type { HttpServerResponse } from "effect/http"

/** No table can be written right now; says why. */
export class TableUnwritten extends Schema.TaggedError<TableUnwritten>()("TableUnwritten", {
  message: Schema.String
}) {}

export class TableFiles extends Context.Service<
  TableFiles,
  {
    /** CSV texts as a signed response with these headers. */
    readonly send: (
      texts: Stream.Stream<string>,
      headers: Readonly<Record<string, string>>
    ) => Effect.Effect<HttpServerResponse.HttpServerResponse, TableUnwritten, Scope.Scope>
  }
>()("http/explorer/TableFiles") {}
