/** The comparable measures, and one of them over networks. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { dependenciesOf } from "../../core/wire/data/dependency.ts"
import { EarnedResponse } from "../../core/wire/data/earned.ts"
import { MeasureResponse, MeasuresResponse } from "../../core/wire/data/measures.ts"
import { NotFound, UnknownSymbol } from "../../core/wire/problems/request.ts"
import { about } from "./about.ts"
import { always } from "./Contract.ts"
import { alsoCsv, cursor, filters, format, text, wholeNumber } from "./parameters.ts"

export const Measures = HttpApiGroup.make("measures")
  .add(
    HttpApiEndpoint.get("measures", "/v1/measures", { success: MeasuresResponse }).annotateMerge(
      about({
        depends: always("setup"),
        summary: "Measures that compare networks",
        description: "Which metrics of which networks are one kind of thing, and in what they differ."
      })
    ),
    HttpApiEndpoint.get("measure", "/v1/measures/:name", {
      params: {
        name: Schema.String.annotate({ description: "a name of /v1/measures", examples: ["gpu-supply"] })
      },
      success: MeasureResponse,
      error: NotFound
    }).annotateMerge(
      about({
        depends: always(...dependenciesOf.list, "clock"),
        summary: "One measure over networks",
        description:
          "The value of each network that states it. Without a tier that has cross-network views, the day's sample of them, which `sample` says.",
        wider: true,
        byTier: true
      })
    ),
    HttpApiEndpoint.get("earned", "/v1/earned", {
      query: {
        symbols: filters.symbols,
        rung: text("only figures on these rungs of evidence, with commas between them"),
        limit: wholeNumber(1, 1000, "maximum figures per page"),
        cursor,
        format
      },
      success: EarnedResponse,
      error: UnknownSymbol
    }).annotateMerge(
      about({
        forms: alsoCsv,
        depends: always(...dependenciesOf.list, "clock"),
        summary: "What networks earn and pay out",
        description:
          "What users paid and suppliers received, the best evidence of each figure, and how far the one covers the other.",
        wider: true,
        byTier: true
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Measures", description: "What compares networks." }))
