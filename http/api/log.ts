/** What was published and how it is proved: batches, the log, its files. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AttestResponse } from "../../core/wire/log/attest.ts"
import { AttestationsResponse } from "../../core/wire/log/attestations.ts"
import { BundleResponse } from "../../core/wire/log/bundle.ts"
import { NotFound, UnknownSymbol } from "../../core/wire/problems/request.ts"
import { text, wholeNumber } from "./parameters.ts"

const words = (summary: string, description: string) => OpenApi.annotations({ summary, description })

const required = (description: string, ...examples: ReadonlyArray<string>) =>
  Schema.String.annotate({ description, examples })

const Note = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/plain; charset=utf-8" }))
const Lines = Schema.String.pipe(HttpApiSchema.asText({ contentType: "application/x-ndjson" }))
const JsonText = Schema.String.pipe(HttpApiSchema.asText({ contentType: "application/json" }))
const Bytes = Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType: "application/octet-stream" }))
const Day = { day: required("the UTC day of a batch, YYYY-MM-DD", "2026-09-03") }

export const LogFamily = HttpApiGroup.make("log")
  .add(
    HttpApiEndpoint.get("attest", "/v1/attest", {
      query: {
        symbol: required("a symbol of /v1/networks", "FIL"),
        metric: required("a metric of /v1/data-dictionary", "active_storage_providers"),
        date: required("a day as YYYYMMDD or YYYY-MM-DD", "20260903"),
        format: Schema.optionalKey(
          Schema.Literals(["bundle", "absence"]).annotate({
            description:
              "`bundle`: one file to check without the service; `absence`: the same for a declared metric without a reading of the day"
          })
        )
      },
      success: Schema.Union([BundleResponse, AttestResponse]),
      error: [UnknownSymbol, NotFound]
    }).annotateMerge(
      words(
        "A day's value and its proof",
        "The leaf, its place in the batch and the log, the checkpoint, the anchor."
      )
    ),
    HttpApiEndpoint.get("attestations", "/v1/attestations", {
      query: {
        limit: wholeNumber(1, 400, "batches in an answer"),
        cursor: text("`next_cursor` of the page before")
      },
      success: AttestationsResponse
    }).annotateMerge(words("All batches", "Newest first: roots, places in the log, anchors.")),
    HttpApiEndpoint.get("checkpoint", "/v1/log/checkpoint", { success: Note, error: NotFound }).annotateMerge(
      words("The log's head", "A signed note (C2SP tlog-checkpoint).")
    ),
    HttpApiEndpoint.get("checkpointAt", "/v1/log/checkpoints/:size", {
      params: { size: required("a size of the log, or `<size>.ots` for its OpenTimestamps proof", "1") },
      success: [Note, Bytes],
      error: NotFound
    }).annotateMerge(
      words("An earlier head", "The note as it was signed, or with `.ots` the timestamp of its bytes.")
    ),
    HttpApiEndpoint.get("tile", "/v1/log/tile/:level/:index", {
      params: {
        level: required("a tile level, or `entries`", "0"),
        index: required("index of a full tile, such as 000", "000")
      },
      success: Bytes,
      error: NotFound
    }).annotateMerge(words("A full tile", "256 hashes, or 256 entries (C2SP tlog-tiles).")),
    HttpApiEndpoint.get("partialTile", "/v1/log/tile/:level/:index/:width", {
      params: {
        level: required("a tile level, or `entries`", "0"),
        index: required("index of a tile and `.p`, such as 000.p", "000.p"),
        width: required("hashes in it, 1 to 255", "1")
      },
      success: Bytes,
      error: NotFound
    }).annotateMerge(words("A partial tile", "The newest tile as far as it is filled (C2SP tlog-tiles).")),
    HttpApiEndpoint.get("leaves", "/v1/log/batches/:day/leaves", {
      params: Day,
      query: {
        from: wholeNumber(0, 2_000_000_000, "place of the first leaf"),
        limit: wholeNumber(1, 5000, "leaves in an answer")
      },
      success: Lines,
      error: NotFound
    }).annotateMerge(
      words("Leaves of a batch", "Canonical JSON (RFC 8785), one a line, in the order of the tree.")
    ),
    HttpApiEndpoint.get("absent", "/v1/log/batches/:day/absent", {
      params: Day,
      success: JsonText,
      error: NotFound
    }).annotateMerge(
      words("What had no reading", "The list of declared series that the batch's absence leaf commits to.")
    ),
    HttpApiEndpoint.get("document", "/v1/log/documents/:sha256", {
      params: { sha256: required("SHA-256 of the document, lower-case hex") },
      success: JsonText,
      error: NotFound
    }).annotateMerge(words("A published document", "Revisions, briefs: the bytes whose hash is in the log."))
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Log",
      description: "What was published and how it is proved: batches, the log over them, its files."
    })
  )
