/** Events: what changed, in the order in which the service learned of it. The same in lists, streams and webhooks. */
import { Schema } from "effect"
import { Category } from "../../plugin/kinds.ts"
import { AccessNote } from "../data/access.ts"
import { ObserverDisagreement } from "../data/agreement.ts"
import { Disagreement } from "../data/disagreement.ts"
import { Revision } from "../data/revisions.ts"
import { described, ValueRow } from "../data/valueRow.ts"
import { Incident } from "../log/incidents.ts"

export const EventKind = Schema.Literals([
  "values",
  "revisions",
  "incident_opened",
  "incident_closed",
  "day_closed",
  "anchor_confirmed",
  "disagreement",
  "observer_disagreement",
  "method_changed"
])
export type EventKind = typeof EventKind.Type

const time = (description: string) => Schema.String.annotate({ format: "date-time", description })

const hash = (description: string) =>
  Schema.String.annotate({ description: `${description}; lower-case hex` })

export const ClosedDay = Schema.Struct({
  day: Schema.String.annotate({ format: "date", description: "The UTC day that was closed" }),
  closed_at: time("When its batch was closed"),
  late: Schema.Boolean.annotate({ description: "True if that was after its scheduled time" }),
  log_index: Schema.Natural.annotate({ description: "Zero-based index of the batch in the log" }),
  root: hash("Merkle root over the leaves"),
  tree_size: Schema.Natural.annotate({ description: "Leaves in the batch" }),
  n_readings: Schema.Natural.annotate({ description: "Leaves for rows on time for their day's close" }),
  n_late: Schema.Natural.annotate({ description: "Leaves for rows that arrived after their day's close" }),
  n_revisions: Schema.Natural.annotate({ description: "Leaves for rows that an upstream restated" }),
  n_absent: Schema.Natural.annotate({ description: "Declared series with no reading that day" })
}).annotate({ identifier: "ClosedDay", description: "A day whose values are published for good" })
export interface ClosedDay extends Schema.Schema.Type<typeof ClosedDay> {}

export const ConfirmedAnchor = Schema.Struct({
  checkpoint_size: Schema.Natural.annotate({ description: "Log size in the stamped checkpoint" }),
  network: Schema.String.annotate({ description: "The chain; `bitcoin` except in tests" }),
  block_height: Schema.Natural.annotate({ description: "Height of the Bitcoin block" }),
  block_hash: Schema.String.annotate({ description: "Hash of the block, as explorers show it" }),
  block_time: time("Time in the block header"),
  ots_url: Schema.String.annotate({ description: "Path of the OpenTimestamps proof" })
}).annotate({ identifier: "ConfirmedAnchor", description: "A checkpoint that is in a Bitcoin block" })
export interface ConfirmedAnchor extends Schema.Schema.Type<typeof ConfirmedAnchor> {}

export const MethodChange = Schema.Struct({
  source: described.source,
  before: Schema.String.annotate({ description: "The method until then" }),
  after: Schema.String.annotate({ description: "The method since" }),
  since: time("Since when")
}).annotate({
  identifier: "MethodChange",
  description: "Another method that figures follow: an aggregator's, or the code of a contract or chain"
})
export interface MethodChange extends Schema.Schema.Type<typeof MethodChange> {}

/** What an event of each kind says in `data`. */
export interface EventData {
  readonly values: { readonly values: ReadonlyArray<ValueRow> }
  readonly revisions: { readonly revisions: ReadonlyArray<Revision> }
  readonly incident_opened: { readonly incident: Incident }
  readonly incident_closed: { readonly incident: Incident }
  readonly day_closed: { readonly batch: ClosedDay }
  readonly anchor_confirmed: { readonly anchor: ConfirmedAnchor }
  readonly disagreement: { readonly disagreement: Disagreement }
  readonly observer_disagreement: { readonly disagreements: ReadonlyArray<ObserverDisagreement> }
  readonly method_changed: { readonly method: MethodChange }
}

const own = {
  v: Schema.Literals(["service-event-v1", "service-event-v1-demo"]).annotate({
    description: "Version of the form that is signed"
  }),
  id: Schema.Int.annotate({
    description: "Increases by 1 with each event; the same on every process of the service"
  }),
  at: time("When it entered the feed"),
  signed_at: time("When it was signed, by the clock of the signing keys; only the demo has another `at`"),
  simulated: described.simulated
}

const signature = {
  kid: Schema.String.annotate({
    description: "Key that signed it (`/.well-known/service-signing-key.json`)"
  }),
  signature: Schema.String.annotate({
    description:
      "`ed25519:` and 128 hex digits: the signature of the event as canonical JSON (RFC 8785) without `kid` and `signature`"
  })
}

const ofNetwork = {
  symbol: described.symbol,
  category: Schema.optionalKey(Category.annotate({ description: "Category of the network in the catalog" }))
}

const kinds = <const Kinds extends ReadonlyArray<EventKind>>(...of: Kinds) =>
  Schema.Literals(of).annotate({ description: "What kind of thing happened" })

const previous = Schema.optionalKey(
  hash(
    "SHA-256 of the event before, as canonical JSON without `kid` and `signature`; absent in the first, and in those of before this was added"
  )
)

const eventData = <const Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.Struct({ ...fields, previous }).annotate({ description: "What happened" })

export const Event = Schema.Union([
  Schema.Struct({
    ...own,
    kind: kinds("values"),
    ...ofNetwork,
    data: eventData({
      values: Schema.Array(ValueRow).annotate({
        description: "The latest values of the network that changed, at most 100"
      })
    }),
    ...signature
  }),
  Schema.Struct({
    ...own,
    kind: kinds("revisions"),
    ...ofNetwork,
    data: eventData({
      revisions: Schema.Array(Revision).annotate({
        description: "Published values that changed, at most 100"
      })
    }),
    ...signature
  }),
  Schema.Struct({
    ...own,
    kind: kinds("incident_opened", "incident_closed"),
    ...ofNetwork,
    data: eventData({ incident: Incident }),
    ...signature
  }),
  Schema.Struct({
    ...own,
    kind: kinds("day_closed"),
    data: eventData({ batch: ClosedDay }),
    ...signature
  }),
  Schema.Struct({
    ...own,
    kind: kinds("anchor_confirmed"),
    data: eventData({ anchor: ConfirmedAnchor }),
    ...signature
  }),
  Schema.Struct({
    ...own,
    kind: kinds("disagreement"),
    ...ofNetwork,
    data: eventData({ disagreement: Disagreement }),
    ...signature
  }),
  Schema.Struct({
    ...own,
    kind: kinds("observer_disagreement"),
    ...ofNetwork,
    data: eventData({
      disagreements: Schema.Array(ObserverDisagreement).annotate({
        description: "Values of a compared day that another operator contradicts, at most 100"
      })
    }),
    ...signature
  }),
  Schema.Struct({
    ...own,
    kind: kinds("method_changed"),
    data: eventData({ method: MethodChange }),
    ...signature
  })
]).annotate({ identifier: "Event", description: "Something that changed, signed by itself" })
export type Event = typeof Event.Type

/** A range of ids. */
const Range = Schema.Struct({
  from: Schema.Int.annotate({ description: "First id" }),
  to: Schema.Int.annotate({ description: "Last id" })
})

export const Gap = Range.annotate({
  identifier: "Gap",
  description: "Events that were requested but are no longer retained, or do not exist yet"
})

export const EventsResponse = Schema.Struct({
  generated_utc: described.generated_utc,
  events: Schema.Array(Event).annotate({ description: "Events after `after`, oldest first" }),
  next_after: Schema.Int.annotate({
    description: "Pass as `after` to get what comes next; up to here everything was looked at"
  }),
  more: Schema.Boolean.annotate({ description: "True if there is more already" }),
  oldest_id: Schema.Int.annotate({
    description: "The oldest event that is retained; 0 if there is none yet"
  }),
  newest_id: Schema.Int.annotate({ description: "The newest event; 0 if there is none yet" }),
  gap: Schema.optionalKey(Gap),
  access: AccessNote
}).annotate({ identifier: "EventsResponse", description: "A page of the feed of events" })
export interface EventsResponse extends Schema.Schema.Type<typeof EventsResponse> {}
