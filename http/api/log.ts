/** What was published and the proofs: batches, the log and its files. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { dependenciesOf } from "../../core/wire/data/dependency.ts"
import { AttestResponse } from "../../core/wire/log/attest.ts"
import { AttestationsResponse } from "../../core/wire/log/attestations.ts"
import {
  Bundle4Response,
  BundleResponse,
  ChainFinalityResponse,
  ChainProofResponse,
  EvidenceResponse,
  SaleProofResponse
} from "../../core/wire/log/bundle.ts"
import { NotAttested, NotFound, UnknownSymbol } from "../../core/wire/problems/request.ts"
import { describe } from "./about.ts"
import { always, DependsOn, NotFoundDependsOn } from "./Contract.ts"
import { text, wholeNumber } from "./parameters.ts"

const required = (description: string, ...examples: ReadonlyArray<string>) =>
  Schema.String.annotate({ description, examples })

const Note = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/plain; charset=utf-8" }))
const Lines = Schema.String.pipe(HttpApiSchema.asText({ contentType: "application/x-ndjson" }))
const JsonText = Schema.String.pipe(HttpApiSchema.asText({ contentType: "application/json" }))
const Bytes = Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType: "application/octet-stream" }))

/** What a proof depends on: sealed values never change, but where the log stands and what is excluded does. */
const proof = always(...dependenciesOf.record)

/** A file of the log that is not there may be once the log has grown. */
const notYet = always("log")

const Day = { day: required("UTC day of a batch, YYYY-MM-DD", "2026-09-03") }

export const LogFamily = HttpApiGroup.make("log")
  .add(
    HttpApiEndpoint.get("attest", "/v1/attest", {
      query: {
        symbol: required("a symbol of /v1/networks", "FIL"),
        metric: required("a metric of /v1/data-dictionary", "active_storage_providers"),
        date: required("a day as YYYYMMDD or YYYY-MM-DD", "20260903"),
        source: text(
          "source label, if several feeds measure the metric; without it the service picks one, which `value.source` names"
        ),
        format: Schema.optionalKey(
          Schema.Literals([
            "bundle",
            "absence",
            "evidence",
            "bundle4",
            "absence4",
            "chain-proof",
            "chain-finality"
          ]).annotate({
            description:
              "`bundle4`: a single file with all that is known of the value, which can be verified offline; `absence4`: the same, for a " +
              "declared metric without a reading that day; `bundle`, `absence`: without evidence, as verifiers up to 2.0.0 read them; " +
              "`evidence`: what the log has beside a saved `bundle`: the service's keys, the run that gave the value, and what other operators have of it; `chain-proof`: the proof of the chain itself, of a value " +
              "that was read from one; `chain-finality`: who signed that block on the chain"
          })
        ),
        size: wholeNumber(
          1,
          Number.MAX_SAFE_INTEGER,
          "with `format=evidence`: entries of the head that all of it is proved under, as `log.size` of a saved bundle; without it, those of the bundle that is served now"
        )
      },
      success: Schema.Union([
        Bundle4Response,
        BundleResponse,
        ChainProofResponse,
        ChainFinalityResponse,
        EvidenceResponse,
        AttestResponse
      ]),
      error: [UnknownSymbol, NotAttested]
    })
      // A bundle holds the keys, and which of them is in use depends on the time.
      .annotate(DependsOn, (request) =>
        request.query["format"] === undefined ? proof(request) : [...(proof(request) ?? []), "keys", "clock"]
      )
      // A 404 says whether the day has readings, and whether its close is late.
      .annotate(NotFoundDependsOn, ({ query: { symbol } }) =>
        symbol === undefined ? undefined : [{ symbol }, "clock"]
      )
      .annotateMerge(
        describe(
          "A day's value and its proof",
          "The leaf, its position in the batch and the log, the signed checkpoint and the Bitcoin anchor. A 404 says in `reason` " +
            "why there is no proof."
        )
      ),
    HttpApiEndpoint.get("attestations", "/v1/attestations", {
      query: {
        limit: wholeNumber(1, 400, "maximum batches per page"),
        cursor: text("`next_cursor` of the previous page")
      },
      success: AttestationsResponse
    })
      .annotate(DependsOn, always("log", "anchors"))
      .annotateMerge(describe("All batches", "Newest first: roots, positions in the log, anchors.")),
    HttpApiEndpoint.get("checkpoint", "/v1/log/checkpoint", { success: Note, error: NotFound })
      .annotate(DependsOn, always("log", "cosignatures"))
      .annotateMerge(
        describe("Latest checkpoint", "A signed note (C2SP tlog-checkpoint), cosigned by witnesses.")
      ),
    HttpApiEndpoint.get("checkpointAt", "/v1/log/checkpoints/:size", {
      params: { size: required("a size of the log, or `<size>.ots` for its OpenTimestamps proof", "1") },
      success: [Note, Bytes],
      error: NotFound
    })
      .annotate(DependsOn, ({ params: { size } }) => (size?.endsWith(".ots") === true ? ["anchors"] : []))
      .annotate(NotFoundDependsOn, notYet)
      .annotateMerge(
        describe(
          "Earlier checkpoint",
          "The note as signed; with `.ots`, the OpenTimestamps proof of its bytes."
        )
      ),
    HttpApiEndpoint.get("tile", "/v1/log/tile/:level/:index", {
      params: {
        level: required("a tile level, or `entries`", "0"),
        index: required("index of a full tile, e.g. 000", "000")
      },
      success: Bytes,
      error: NotFound
    })
      .annotate(DependsOn, always())
      .annotate(NotFoundDependsOn, notYet)
      .annotateMerge(describe("Full tile", "256 hashes, or 256 entries (C2SP tlog-tiles).")),
    HttpApiEndpoint.get("partialTile", "/v1/log/tile/:level/:index/:width", {
      params: {
        level: required("a tile level, or `entries`", "0"),
        index: required("index of a tile with `.p`, e.g. 000.p", "000.p"),
        width: required("number of hashes in it, 1 to 255", "1")
      },
      success: Bytes,
      error: NotFound
    })
      .annotate(DependsOn, always())
      .annotate(NotFoundDependsOn, notYet)
      .annotateMerge(describe("Partial tile", "The newest tile, as far as it is filled (C2SP tlog-tiles).")),
    HttpApiEndpoint.get("leaves", "/v1/log/batches/:day/leaves", {
      params: Day,
      success: Lines,
      error: NotFound
    })
      .annotate(DependsOn, always())
      .annotate(NotFoundDependsOn, notYet)
      .annotateMerge(
        describe(
          "Leaves of a batch",
          "All of them: canonical JSON (RFC 8785), one leaf per line, in tree order."
        )
      ),
    HttpApiEndpoint.get("absent", "/v1/log/batches/:day/absent", {
      params: Day,
      success: JsonText,
      error: NotFound
    })
      .annotate(DependsOn, always())
      .annotate(NotFoundDependsOn, notYet)
      .annotateMerge(
        describe(
          "Series without a reading",
          "The declared series without a reading that day; the absence leaf of the batch commits to this list."
        )
      ),
    HttpApiEndpoint.get("origin", "/v1/log/batches/:day/origin", {
      params: Day,
      success: Lines,
      error: NotFound
    })
      .annotate(DependsOn, always())
      .annotate(NotFoundDependsOn, notYet)
      .annotateMerge(
        describe(
          "Origin of a batch",
          "The runs that gave its leaves, by hour: canonical JSON (RFC 8785), one run per line, with its rows in order, each the place of the leaf that it became or its hash. An entry of the log of kind `origin` has the file's hash."
        )
      ),
    HttpApiEndpoint.get("runLeaves", "/v1/log/runs/:hour/leaves", {
      params: {
        hour: required("UTC hour of a document of runs, YYYY-MM-DDTHH", "2026-09-05T07")
      },
      success: Lines,
      error: NotFound
    })
      .annotate(DependsOn, always())
      .annotate(NotFoundDependsOn, always("log", "retention"))
      .annotateMerge(
        describe(
          "Runs of an hour",
          "What every collector did in the hour: canonical JSON (RFC 8785), one run per line, in tree order. The hour's document, an entry of the log, has their root."
        )
      ),
    HttpApiEndpoint.get("agreementLeaves", "/v1/log/agreements/:day/leaves", {
      params: Day,
      success: Lines,
      error: NotFound
    })
      .annotate(DependsOn, always())
      .annotate(NotFoundDependsOn, notYet)
      .annotateMerge(
        describe(
          "Comparisons of a day with other operators",
          "What each observer has of each value of the day: canonical JSON (RFC 8785), one series per line, in tree order. The day's document of kind `agreement`, an entry of the log, has their root."
        )
      ),
    HttpApiEndpoint.get("document", "/v1/log/documents/:sha256", {
      params: { sha256: required("SHA-256 of the document, lower-case hex") },
      success: JsonText,
      error: NotFound
    })
      .annotate(DependsOn, always())
      .annotateMerge(
        describe(
          "Published document",
          "Revisions, a brief, the runs of an hour and so on: the exact bytes whose hash is in the log."
        )
      ),
    HttpApiEndpoint.get("sale", "/v1/log/sales/:commitment", {
      params: { commitment: required("the `commitment.sha256` of a sale, 64 lower-case hex digits") },
      success: SaleProofResponse,
      error: NotFound
    })
      .annotate(DependsOn, always(...dependenciesOf.record, "keys", "clock"))
      .annotate(NotFoundDependsOn, notYet)
      .annotateMerge(
        describe(
          "Proof of a sale",
          "That the log commits to what was sold, from the day after the sale. Only who has the sale's salt can tell what the commitment is to."
        )
      )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Log",
      description: "What was published and the proofs: daily batches, the log over them, and its files."
    })
  )
