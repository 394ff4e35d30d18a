/** `/v1/attest`: one day's value with everything that proves it. */
import { Schema } from "effect"
import { described, ValueRow } from "../data/valueRow.ts"
import { Anchor } from "./anchor.ts"

const hex = (description: string) => Schema.String.annotate({ description: `${description}; lower-case hex` })

export const Inclusion = Schema.Struct({
  index: Schema.Natural.annotate({ description: "Place of the leaf, from 0" }),
  tree_size: Schema.Natural.annotate({ description: "Leaves in the tree" }),
  hash_algorithm: Schema.Literal("sha-256, RFC 9162").annotate({
    description: "Leaf: SHA-256 of 0x00 and the bytes; node: SHA-256 of 0x01, left and right"
  }),
  proof: Schema.Array(Schema.String).annotate({
    description: "Audit path, lowest sibling first; lower-case hex"
  }),
  root: hex("Root of the tree")
}).annotate({ identifier: "Inclusion", description: "An RFC 9162 inclusion proof" })

export const LeafVersion = Schema.Struct({
  version: Schema.Int.annotate({ description: "1 is what the day's own batch published" }),
  kind: Schema.Literals(["reading", "late", "revision"]).annotate({
    description: "Why this version was published"
  }),
  value: described.value,
  as_of: described.as_of,
  leaf: Schema.String.annotate({ description: "The leaf's bytes: canonical JSON (RFC 8785)" }),
  leaf_hash: hex("RFC 9162 hash of the leaf"),
  batch_day: Schema.String.annotate({ format: "date", description: "The day whose batch holds it" })
}).annotate({ identifier: "LeafVersion", description: "One published version of a day's value" })

export const AttestResponse = Schema.Struct({
  value: ValueRow,
  date: Schema.String.annotate({ format: "date", description: "The UTC day of `as_of`" }),
  leaf: Schema.String.annotate({ description: "The leaf's bytes: canonical JSON (RFC 8785)" }),
  leaf_hash: hex("RFC 9162 hash of the leaf"),
  batch: Schema.Struct({
    day: Schema.String.annotate({ format: "date", description: "The day whose batch holds the leaf" }),
    ...Inclusion.fields,
    entry: Schema.String.annotate({ description: "The batch as it stands in the log: canonical JSON" })
  }).annotate({ description: "Where the leaf stands in its batch" }),
  log: Schema.Struct(Inclusion.fields).annotate({ description: "Where the batch stands in the log" }),
  checkpoint: Schema.String.annotate({
    description: "The log's newest head: a signed note (C2SP tlog-checkpoint)"
  }),
  anchor: Anchor,
  versions: Schema.Array(LeafVersion).annotate({
    description: "All published versions of the day's value, newest first"
  }),
  how_to_check: Schema.String.annotate({
    description: "The command that checks all of it without trusting the service"
  })
}).annotate({ identifier: "AttestResponse", description: "A day's value and its proof" })
export interface AttestResponse extends Schema.Schema.Type<typeof AttestResponse> {}
