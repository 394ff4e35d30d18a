/** `/v1/derivation`: what each value was derived from. */
import { Schema } from "effect"
import { described } from "../data/valueRow.ts"
import { Observed } from "./observed.ts"

const hex = (description: string) => Schema.String.annotate({ description: `${description}; lower-case hex` })

const time = (description: string) => Schema.String.annotate({ format: "date-time", description })

export const DerivationExchange = Schema.Struct({
  n: Schema.Natural.annotate({ description: "Zero-based index in the run" }),
  method: Schema.String.annotate({
    description: "`GET`, `POST`, or `LISTEN` for a period of listening on a WebSocket"
  }),
  url: Schema.String.annotate({ description: "URL that was read, with any key removed" }),
  request_body: Schema.optionalKey(Schema.String.annotate({ description: "Request body, as text" })),
  at: time("When the response was complete"),
  status: Schema.Int.annotate({ description: "HTTP status of the response" }),
  headers: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.String).annotate({
      description: "Response headers that a derivation may depend on; only when a single run is requested"
    })
  ),
  sha256: hex("SHA-256 of the body after content decoding"),
  size: Schema.Natural.annotate({ description: "Size of that body in bytes" }),
  confirmed: Schema.Boolean.annotate({
    description: "True if the upstream confirmed that an earlier body is still current (304)"
  }),
  notes: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({
      description:
        "SHA-256 of each signed statement of a notary about this exchange: /v1/derivation/notes/{sha256} has each. Absent where there is none"
    })
  ),
  body_kept: Schema.Boolean.annotate({
    description: "True if the body is still stored; its hash is kept permanently"
  })
}).annotate({
  identifier: "DerivationExchange",
  description: "One HTTP or WebSocket exchange with an upstream"
})
export interface DerivationExchange extends Schema.Schema.Type<typeof DerivationExchange> {}

export const DerivationRun = Schema.Struct({
  id: Schema.String.annotate({ description: "Id of the run: a UUIDv7, which sorts by time" }),
  plugin: Schema.String.annotate({ description: "Collector that ran" }),
  due: Schema.optionalKey(time("When the run was to begin; absent where no schedule asked for it")),
  started: time("When the run started"),
  finished: time("When the run ended"),
  now: time("The fixed current time that the collector saw during the run"),
  status: Schema.Literals(["ok", "failed"]).annotate({ description: "How the run ended" }),
  outcome: Schema.optionalKey(
    Schema.Literals(["stored", "unchanged", "refused", "failed", "recheck"]).annotate({
      description:
        "What became of the run: `stored`, it gave readings that were new; `unchanged`, none was; `refused`, all its readings were refused; `failed`; `recheck`, its rows were only compared with what is served. Absent of runs of earlier versions"
    })
  ),
  error: Schema.optionalKey(
    Schema.Struct({
      tag: Schema.String.annotate({ description: "Kind of the error" }),
      message: Schema.String.annotate({ description: "Error message" })
    }).annotate({ description: "Why the run failed" })
  ),
  code_hash: hex("Hash of the collector's sources and settings (core/proof/formats/derivation.md)"),
  code_kept: Schema.Boolean.annotate({ description: "True if the sources behind `code_hash` are stored" }),
  targets_sha256: hex("SHA-256 of the list of networks given to the run"),
  settings: Schema.Record(Schema.String, Schema.String).annotate({
    description: "Values of the settings the collector declares"
  }),
  settings_sha256: Schema.optionalKey(
    hex(
      "SHA-256 of the settings as canonical JSON; /v1/derivation/inputs/{sha256} has the text of these and of the targets"
    )
  ),
  rederives: Schema.optionalKey(
    Schema.String.annotate({
      description:
        "The run whose exchanges these are: it was derived again with newer code, and nothing was read anew"
    })
  ),
  n_rows: Schema.Natural.annotate({ description: "Rows the run returned" }),
  rows_sha256: hex("SHA-256 over those rows (core/proof/formats/derivation.md)"),
  rows_root: Schema.optionalKey(hex("RFC 9162 root over those rows (core/proof/formats/runs.md)")),
  hour: Schema.optionalKey(
    Schema.String.annotate({
      description: "Hour of the document that has the leaf of this run: /v1/log/runs/{hour}/leaves"
    })
  ),
  observed: Schema.optionalKey(Observed),
  lot: Schema.optionalKey(
    Schema.Struct({
      head: hex("SHA-256 of the cosigned checkpoint that the notary was drawn by"),
      notary: Schema.String.annotate({ description: "Verifier key of the notary" })
    }).annotate({
      description:
        "The notary that was drawn to carry the run's sessions; exchanges without `notes` went direct, or it did not state them"
    })
  ),
  resell: Schema.Boolean.annotate({
    description:
      "True if the upstream's terms were read and allow its bodies to be redistributed (product derivation_replay)"
  }),
  n_exchanges: Schema.Natural.annotate({ description: "Number of exchanges in the run" }),
  exchanges: Schema.Array(DerivationExchange).annotate({
    description: "The first 20 in a list of runs; all of them when a single run is requested"
  }),
  simulated: described.simulated
}).annotate({ identifier: "DerivationRun", description: "One run of one collector" })
export interface DerivationRun extends Schema.Schema.Type<typeof DerivationRun> {}

export const DerivationResponse = Schema.Struct({
  runs: Schema.Array(DerivationRun).annotate({ description: "Runs, newest first" }),
  next_cursor: described.next_cursor
}).annotate({ identifier: "DerivationResponse", description: "The ledger of derivations" })
export interface DerivationResponse extends Schema.Schema.Type<typeof DerivationResponse> {}

export const CodeResponse = Schema.Struct({
  code_hash: hex("SHA-256 of the sorted lines `<sha256>  <path>`"),
  plugin: Schema.String.annotate({ description: "Collector this code belongs to" }),
  files: Schema.Array(
    Schema.Struct({
      path: Schema.String.annotate({ description: "Path from the repository root" }),
      sha256: hex("SHA-256 of the file"),
      size: Schema.Natural.annotate({ description: "Size of the file in bytes" })
    })
  ).annotate({ description: "The collector's files and those shared by all collectors" }),
  settings: Schema.Record(Schema.String, Schema.String).annotate({
    description: "Each setting is hashed as a line `<sha256 of the value>  settings/<name>`"
  })
}).annotate({ identifier: "CodeResponse", description: "The files and settings behind a code hash" })
export interface CodeResponse extends Schema.Schema.Type<typeof CodeResponse> {}
