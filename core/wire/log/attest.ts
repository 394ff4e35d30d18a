/** `/v1/attest`: one day's value with its proof. */
import { Schema } from "effect"
import { counts } from "../data/agreement.ts"
import { described, HeldReading, ValueRow } from "../data/valueRow.ts"
import { Anchor } from "./anchor.ts"
import { ObservedValue } from "./observed.ts"

const hex = (description: string) => Schema.String.annotate({ description: `${description}; lower-case hex` })

export const Inclusion = Schema.Struct({
  index: Schema.Natural.annotate({ description: "Zero-based index of the leaf" }),
  tree_size: Schema.Natural.annotate({ description: "Leaves in the tree" }),
  hash_algorithm: Schema.Literal("sha-256, RFC 9162").annotate({
    description: "Leaf: SHA-256(0x00 || bytes); node: SHA-256(0x01 || left || right)"
  }),
  proof: Schema.Array(Schema.String).annotate({
    description: "Audit path, lowest sibling first; lower-case hex"
  }),
  root: hex("Root of the tree")
}).annotate({ identifier: "Inclusion", description: "An RFC 9162 inclusion proof" })

export const LeafVersion = Schema.Struct({
  version: Schema.Int.annotate({ description: "1: the version published in the day's own batch" }),
  kind: Schema.Literals(["reading", "late", "revision"]).annotate({
    description: "Why this version was published"
  }),
  value: described.value,
  as_of: described.as_of,
  leaf: Schema.String.annotate({ description: "The leaf's bytes: canonical JSON (RFC 8785)" }),
  leaf_hash: hex("RFC 9162 hash of the leaf"),
  batch_day: Schema.String.annotate({ format: "date", description: "The day whose batch contains it" })
}).annotate({ identifier: "LeafVersion", description: "One published version of a day's value" })

export const Excluded = Schema.Struct({
  incident: Schema.Int.annotate({ description: "Number of the incident, as in /v1/incidents" }),
  reason: Schema.String.annotate({ description: "Why the readings are excluded" }),
  opened_at: Schema.String.annotate({ format: "date-time", description: "When it was opened" })
}).annotate({ identifier: "Excluded", description: "The quality incident that excludes a value" })
export interface Excluded extends Schema.Schema.Type<typeof Excluded> {}

const siblings = Schema.Array(Schema.String).annotate({
  description: "Siblings from the leaf upwards, lower-case hex"
})

export const AgreedValue = Schema.Struct({
  ...counts,
  leaf: Schema.String.annotate({ description: "The comparison's bytes: canonical JSON (RFC 8785)" }),
  index: Schema.Natural.annotate({ description: "Position of the comparison in its day" }),
  size: Schema.Natural.annotate({ description: "Comparisons of the day" }),
  path: siblings,
  document: Schema.String.annotate({ description: "The day's document, as its entry commits to it" }),
  log: Schema.Struct({
    index: Schema.Natural.annotate({ description: "Position of the document's entry in the log" }),
    size: Schema.Natural.annotate({ description: "Entries of the head that the path leads to" }),
    path: siblings,
    entry: Schema.String.annotate({ description: "The entry's bytes" })
  }).annotate({ description: "The entry of the day's document in the log" })
}).annotate({
  identifier: "AgreedValue",
  description: "Proof of what other operators have of a value (core/proof/formats/agreement.md)"
})
export interface AgreedValue extends Schema.Schema.Type<typeof AgreedValue> {}

export const LeafMark = Schema.Struct({
  mark: Schema.Literals(["unconfirmed", "young", "level in doubt"]).annotate({
    description:
      "`unconfirmed`: nothing but its author had compared the feed with its upstream; `young`: the series was younger than seven days, and little was known of how it moves; `level in doubt`: two levels of the series were served, and nobody had said which is right"
  }),
  since: Schema.String.annotate({ format: "date-time", description: "From when it held" }),
  until: Schema.optionalKey(
    Schema.String.annotate({ format: "date-time", description: "Until when; absent while it holds" })
  ),
  logged: Schema.optionalKey(
    Schema.Struct({
      n: Schema.Natural.annotate({ description: "Number of the change, as the document has it" }),
      log_index: Schema.Natural.annotate({ description: "Zero-based index of the log entry" }),
      sha256: hex("Hash of the entry's document, which /v1/log/documents/{sha256} serves")
    }).annotate({ description: "Where the log says so; absent until it does" })
  )
}).annotate({ identifier: "LeafMark", description: "What held of a value when its leaf was recorded" })
export interface LeafMark extends Schema.Schema.Type<typeof LeafMark> {}

export const AttestResponse = Schema.Struct({
  value: ValueRow,
  date: Schema.String.annotate({ format: "date", description: "The UTC day of `as_of`" }),
  excluded: Schema.optionalKey(
    Excluded.annotate({
      description:
        "Present if an open quality incident excludes the value now, or if it was published as excluded. It is proved all the same"
    })
  ),
  held: Schema.optionalKey(
    HeldReading.annotate({
      description: "The newest reading of the day that a guard holds back; absent where none is held"
    })
  ),
  marks: Schema.optionalKey(
    Schema.Array(LeafMark).annotate({
      description:
        "What held of the value when the leaf was recorded, as documents of kind `feeds` in the log have it; absent where nothing is to be said"
    })
  ),
  leaf: Schema.String.annotate({ description: "The leaf's bytes: canonical JSON (RFC 8785)" }),
  leaf_hash: hex("RFC 9162 hash of the leaf"),
  batch: Schema.Struct({
    day: Schema.String.annotate({ format: "date", description: "The day whose batch contains the leaf" }),
    ...Inclusion.fields,
    entry: Schema.String.annotate({ description: "The batch's log entry: canonical JSON" })
  }).annotate({ description: "Inclusion of the leaf in its batch" }),
  log: Schema.Struct(Inclusion.fields).annotate({ description: "Inclusion of the batch in the log" }),
  checkpoint: Schema.String.annotate({
    description: "The log's latest checkpoint: a signed note (C2SP tlog-checkpoint)"
  }),
  anchor: Anchor,
  observed: Schema.optionalKey(
    ObservedValue.annotate({
      description:
        "Which run gave the value, proved in the log. Absent where the run is of an earlier version or not in the log yet, and once its rows are no longer kept"
    })
  ),
  agreement: Schema.optionalKey(
    AgreedValue.annotate({
      description:
        "What other operators have of the value, proved in the log. Absent where nobody observes this service, until the day was compared, and where the newest version is of a later batch"
    })
  ),
  versions: Schema.Array(LeafVersion).annotate({
    description: "All published versions of the day's value, newest first"
  }),
  how_to_check: Schema.String.annotate({
    description: "A command that verifies all of this without trusting the service"
  })
}).annotate({ identifier: "AttestResponse", description: "A day's value and its proof" })
export interface AttestResponse extends Schema.Schema.Type<typeof AttestResponse> {}

/** Why a day has no proof. */
export const NotAttestedReason = Schema.Literals([
  "unknown_series",
  "not_measured",
  "not_closed",
  "not_cosigned",
  "held",
  "absent",
  "earlier_log",
  "measured",
  "altered",
  "unproved"
]).annotate({
  description:
    "`unknown_series`: no reading of this series was ever published; `not_measured`: the day is closed, and the series was neither read " +
    "nor expected; `not_closed`: `closes_at` says when the value is published; `not_cosigned`: the day is closed, and its head waits for the cosignatures that this service requires of witnesses; `held`: a reading came and waits for a review, with the incident in /v1/incidents; `absent`: the day was closed without the " +
    "series, and `absence` says how to prove it; `earlier_log`: an earlier log, in whose place this one is, closed the day; `measured` (only with format=absence): the day has a value; `altered`: the stored leaf is not the one that the batch published, and is not shown; `unproved` (only with format=chain-proof): no chain proves the value, and `message` says why"
})
export type NotAttestedReason = typeof NotAttestedReason.Type

/** Where the log records that the series had no reading. */
export const RecordedAbsence = Schema.Struct({
  source: Schema.String.annotate({ description: "Label of the feed that had no reading" }),
  log_index: Schema.Natural.annotate({ description: "Zero-based index of the day's batch in the log" }),
  entry: Schema.String.annotate({ description: "The batch's log entry: canonical JSON" }),
  proof_url: Schema.String.annotate({ description: "Path of a file that proves the absence offline" })
}).annotate({ identifier: "RecordedAbsence", description: "The absence that the day's batch records" })
