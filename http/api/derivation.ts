/** From what each value was derived: the runs of the collectors. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { CodeResponse, DerivationResponse, DerivationRun } from "../../core/wire/log/derivation.ts"
import { NotFound } from "../../core/wire/problems/request.ts"
import { text, wholeNumber } from "./parameters.ts"

const words = (summary: string, description: string) => OpenApi.annotations({ summary, description })

export const Derivation = HttpApiGroup.make("derivation")
  .add(
    HttpApiEndpoint.get("derivation", "/v1/derivation", {
      query: {
        plugin: text("the id of a collector, as /v1/data-dictionary names it"),
        limit: wholeNumber(1, 100, "runs in an answer"),
        cursor: text("`next_cursor` of the page before")
      },
      success: DerivationResponse
    }).annotateMerge(
      words(
        "The ledger of derivations",
        "Every run of every collector, newest first: what it read, by hash, and what it gave."
      )
    ),
    HttpApiEndpoint.get("derivationOf", "/v1/derivation/:run", {
      params: { run: Schema.String.annotate({ description: "the id of a run" }) },
      success: DerivationRun,
      error: NotFound
    }).annotateMerge(words("One run", "All its exchanges, with what a derivation needs beside the bodies.")),
    HttpApiEndpoint.get("codeOf", "/v1/derivation/code/:code_hash", {
      params: { code_hash: Schema.String.annotate({ description: "`code_hash` of a run" }) },
      success: CodeResponse,
      error: NotFound
    }).annotateMerge(words("What a code hash stands for", "The files and settings that are hashed into it."))
  )
  .annotateMerge(
    OpenApi.annotations({ title: "Derivation", description: "What each value was derived from." })
  )
