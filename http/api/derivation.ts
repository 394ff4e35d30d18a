/** What each value was derived from: the runs of the collectors. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { CodeResponse, DerivationResponse, DerivationRun } from "../../core/wire/log/derivation.ts"
import { NotFound } from "../../core/wire/problems/request.ts"
import { describe } from "./about.ts"
import { always, DependsOn, NotFoundDependsOn } from "./Contract.ts"
import { text, wholeNumber } from "./parameters.ts"

const JsonText = Schema.String.pipe(HttpApiSchema.asText({ contentType: "application/json" }))

/** The exact bytes, which the notary signed. */
const NoteText = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/plain; charset=utf-8" }))

export const Derivation = HttpApiGroup.make("derivation")
  .add(
    HttpApiEndpoint.get("derivation", "/v1/derivation", {
      query: {
        plugin: text("id of a collector (`feed` in /v1/data-dictionary)"),
        limit: wholeNumber(1, 100, "maximum runs per page"),
        cursor: text("`next_cursor` of the previous page")
      },
      success: DerivationResponse
    })
      .annotate(DependsOn, always("runs", "retention"))
      .annotateMerge(
        describe(
          "Derivation ledger",
          "Every run of every collector, newest first: what it read (by hash) and what it produced."
        )
      ),
    HttpApiEndpoint.get("derivationOf", "/v1/derivation/:run", {
      params: { run: Schema.String.annotate({ description: "id of a run" }) },
      success: DerivationRun,
      error: NotFound
    })
      .annotate(DependsOn, always("runs", "retention", "log"))
      .annotateMerge(
        describe(
          "One run",
          "All its HTTP exchanges, everything except the bodies that is needed to repeat the derivation, and the proof that the log has the run."
        )
      ),
    HttpApiEndpoint.get("inputOf", "/v1/derivation/inputs/:sha256", {
      params: {
        sha256: Schema.String.annotate({ description: "`targets_sha256` or `settings_sha256` of a run" })
      },
      success: JsonText,
      error: NotFound
    })
      .annotate(DependsOn, always())
      .annotate(NotFoundDependsOn, always("runs"))
      .annotateMerge(
        describe(
          "Targets or settings",
          "The networks that a run was given, or the values of its settings: the exact bytes behind the hash."
        )
      ),
    HttpApiEndpoint.get("noteOf", "/v1/derivation/notes/:sha256", {
      params: { sha256: Schema.String.annotate({ description: "one of `notes` of an exchange" }) },
      success: NoteText,
      error: NotFound
    })
      .annotate(DependsOn, always())
      .annotate(NotFoundDependsOn, always("runs"))
      .annotateMerge(
        describe(
          "A notary's statement",
          "Which answers a host gave in a session that a notary of another operator carried: a note that the notary signed (core/proof/formats/notary.md)."
        )
      ),
    HttpApiEndpoint.get("codeOf", "/v1/derivation/code/:code_hash", {
      params: { code_hash: Schema.String.annotate({ description: "`code_hash` of a run" }) },
      success: CodeResponse,
      error: NotFound
    })
      .annotate(DependsOn, always())
      .annotateMerge(describe("Contents of a code hash", "The files and settings that the hash covers."))
  )
  .annotateMerge(
    OpenApi.annotations({ title: "Derivation", description: "What each value was derived from." })
  )
