/** `/v1/derivation`: from what each value was derived. */
import { Schema } from "effect"
import { described } from "../data/valueRow.ts"

const hex = (description: string) => Schema.String.annotate({ description: `${description}; lower-case hex` })

const time = (description: string) => Schema.String.annotate({ format: "date-time", description })

export const DerivationExchange = Schema.Struct({
  n: Schema.Natural.annotate({ description: "Place in the run, from 0" }),
  method: Schema.String.annotate({ description: "`GET`, `POST`, or `LISTEN` for a window on a WebSocket" }),
  url: Schema.String.annotate({ description: "Address that was read, without any key" }),
  request_body: Schema.optionalKey(Schema.String.annotate({ description: "Body of the request, as text" })),
  at: time("When the answer was complete"),
  status: Schema.Int.annotate({ description: "HTTP status of the answer" }),
  headers: Schema.optionalKey(
    Schema.Record(Schema.String, Schema.String).annotate({
      description: "Headers of the answer that a derivation may depend on; only in the answer about one run"
    })
  ),
  sha256: hex("SHA-256 of the body after content decoding"),
  size: Schema.Natural.annotate({ description: "Bytes of that body" }),
  confirmed: Schema.Boolean.annotate({
    description: "The upstream confirmed an earlier body as still current (304)"
  }),
  body_kept: Schema.Boolean.annotate({ description: "The body is still kept; its hash is for ever" })
}).annotate({ identifier: "DerivationExchange", description: "One exchange with an upstream" })
export interface DerivationExchange extends Schema.Schema.Type<typeof DerivationExchange> {}

export const DerivationRun = Schema.Struct({
  id: Schema.String.annotate({ description: "Id of the run: a UUID of version 7, which sorts by time" }),
  plugin: Schema.String.annotate({ description: "Collector that ran" }),
  started: time("When the run began"),
  finished: time("When it was over"),
  now: time("The run's one time, as the collector saw it"),
  status: Schema.Literals(["ok", "failed"]).annotate({ description: "How the run ended" }),
  error: Schema.optionalKey(
    Schema.Struct({
      tag: Schema.String.annotate({ description: "Kind of the error" }),
      message: Schema.String.annotate({ description: "The error in words" })
    }).annotate({ description: "Why it failed" })
  ),
  code_hash: hex("Hash of the collector's sources and settings (core/README.md, The derivation)"),
  code_kept: Schema.Boolean.annotate({ description: "The sources behind `code_hash` are kept" }),
  targets_sha256: hex("SHA-256 of the list of networks that the run was given"),
  settings: Schema.Record(Schema.String, Schema.String).annotate({
    description: "Values of the settings that the collector declares"
  }),
  n_rows: Schema.Natural.annotate({ description: "Rows that the run gave" }),
  rows_sha256: hex("SHA-256 over those rows (core/README.md, The derivation)"),
  resell: Schema.Boolean.annotate({
    description: "The upstream's terms allow that bodies are handed out (product derivation_replay)"
  }),
  n_exchanges: Schema.Natural.annotate({ description: "Exchanges of the run" }),
  exchanges: Schema.Array(DerivationExchange).annotate({
    description: "In a list of runs the first 20; all of them in the answer about one run"
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
  plugin: Schema.String.annotate({ description: "Collector whose code it is" }),
  files: Schema.Array(
    Schema.Struct({
      path: Schema.String.annotate({ description: "From the top of the repository" }),
      sha256: hex("SHA-256 of the file"),
      size: Schema.Natural.annotate({ description: "Bytes of the file" })
    })
  ).annotate({ description: "The collector's files and those that all collectors share" }),
  settings: Schema.Record(Schema.String, Schema.String).annotate({
    description: "Each is a line `<sha256 of the value>  settings/<name>`"
  })
}).annotate({ identifier: "CodeResponse", description: "What a code hash stands for" })
export interface CodeResponse extends Schema.Schema.Type<typeof CodeResponse> {}
