/** The weekly brief. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { BriefDocument } from "../../core/wire/log/brief.ts"
import { NotFound } from "../../core/wire/problems/request.ts"
import { always, DependsOn, NotFoundDependsOn } from "./Contract.ts"

const Markdown = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/markdown; charset=utf-8" }))

export const BriefFamily = HttpApiGroup.make("brief")
  .add(
    HttpApiEndpoint.get("brief", "/v1/brief", {
      query: {
        date: Schema.optionalKey(
          Schema.String.annotate({
            description: "a Monday as YYYY-MM-DD or YYYYMMDD; defaults to the newest edition"
          })
        )
      },
      success: [BriefDocument, Markdown],
      error: NotFound
    })
      .annotate(DependsOn, always("log"))
      .annotate(NotFoundDependsOn, always())
      .annotateMerge(
        OpenApi.annotations({
          summary: "The weekly brief",
          description:
            "Generated each Monday at 08:00 UTC from published values only. The JSON is the document whose SHA-256 is in the " +
            "log; send `Accept: text/markdown` for a readable version."
        })
      )
  )
  .annotateMerge(
    OpenApi.annotations({ title: "Brief", description: "A summary of the past week, free on every tier." })
  )
