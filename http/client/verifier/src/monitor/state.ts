/** What a monitor remembers between two looks, so that it checks only what is new. */
import type { ReadObserver } from "../../../../../core/proof/agreement.ts"
import { fromHex, Malformed, toHex } from "../../../../../core/proof/bytes.ts"
import { type Edge, edgeLength, noEdge } from "../../../../../core/proof/edge.ts"
import { parseJson } from "../../../../../core/proof/json.ts"
import type { SeriesName } from "../../../../../core/proof/leaf.ts"
import * as s from "../../../../../core/proof/shape.ts"
import { type IncidentRecord, incidentShape } from "./incidents.ts"
import { lookShape, type PastLook } from "./looks.ts"
import { type OriginsRecord, originsShape } from "./originsRecord.ts"
import { noRuns, type RunsRecord, runsShape } from "./runs.ts"

/** Two heads of one log that cannot both be true: evidence against its operator. */
export interface Fork {
  /** When the second one was seen, by the monitor's clock. */
  readonly at: string
  readonly kept: string
  readonly served: string
}

/** A head that a signed answer named. */
export interface NamedHead {
  readonly size: number
  /** Lower-case hex. */
  readonly root: string
  /** When the answer was made, by the operator's word. */
  readonly at: string
  /** Where the answer was saved. */
  readonly answer: string
}

/** A served value that differs from its leaf, and may be a change that the next batch publishes. */
export interface Doubt {
  readonly symbol: string
  readonly metric: string
  readonly source: string
  readonly day: string
  readonly value: number
  readonly value_text?: string
  readonly n_observations: number
  /** Days of batches up to here were closed when it was seen. */
  readonly closed: string
}

/** A checked batch. */
export interface BatchRecord {
  readonly day: string
  readonly root: string
  /** The earlier days that its leaves are about: where to look for what a new leaf follows. */
  readonly about: ReadonlyArray<string>
}

/** A head of another operator's log, as the documents of agreement name it. */
export interface ObserverRecord extends Pick<ReadObserver, "origin" | "size" | "root"> {
  /** Day of the document. */
  readonly day: string
}

/** What the checked entries say, as far as later ones can contradict it. */
export interface LogRecord {
  /** Day of the log's first batch; unknown to a monitor whose state was begun by an earlier release. */
  readonly first?: string
  /** Time of the newest entry. */
  readonly at?: string
  readonly batches: ReadonlyArray<BatchRecord>
  /** Cut-off and close of the newest batch. */
  readonly close?: { readonly cut_off: string; readonly closed_at: string }
  /** Expected series without an unexcluded leaf of the newest batch's day, each with the last day that it has one of. */
  readonly silent?: ReadonlyArray<SeriesName & { readonly day: string }>
  readonly incidents: ReadonlyArray<IncidentRecord>
  /** Hash of the newest document of revisions: some may have come after the leaves of its batch were made. */
  readonly revisions?: string
  /** Number of the last change of a feed; unknown like `first`. */
  readonly feeds?: number
  /** Number of the newest document of permissions; unknown like `first`. */
  readonly permissions?: number
  /** What the documents of runs and the schedules say. */
  readonly runs?: RunsRecord
  /** Which batches have an origin; unknown like `first`. */
  readonly origins?: OriginsRecord
  /** Number of the newest row of the signal ledger that an entry names. */
  readonly signals: number
  /** Day of the newest document of sales. */
  readonly sales?: string
  /** Day of the newest document of agreement with other operators. */
  readonly agreement?: string
  /** The newest head that the log says it read of each observer. */
  readonly observers?: ReadonlyArray<ObserverRecord>
  /** Dates of the briefs, and names of the archive's files. */
  readonly briefs: ReadonlyArray<string>
  readonly archived: ReadonlyArray<string>
  /** Day and last event of the newest document of events. */
  readonly feed?: { readonly day: string; readonly last: number }
  /** Verifier key that the last rotation names. */
  readonly key?: string
  /** Notes of the rotations; unknown like `first`. */
  readonly rotations?: ReadonlyArray<string>
  /** The text of the newest document of keys. */
  readonly keys?: string
}

export interface State {
  readonly v: "plumbline-monitor-v1"
  readonly origin: string
  /** The newest head that held, as a signed note. */
  readonly checkpoint: string
  /** When it was seen first, by the monitor's clock. */
  readonly seen_at: string
  /** The last looks, by what the log had then; absent in state files of earlier releases. */
  readonly looks?: ReadonlyArray<PastLook>
  /** The keys (kid) that signed the first head: what they sign, or their successors, holds without a given key. */
  readonly keys: ReadonlyArray<string>
  /** The first entries, which were all checked: how many, and the edge of their tree. */
  readonly checked: { readonly size: number; readonly edge: ReadonlyArray<string> }
  /** Day of the newest checked batch. */
  readonly day?: string
  /** The last day that an earlier log closed, in whose place this one is: up to here this log proves nothing. */
  readonly earlier?: string
  /** The networks of that batch. */
  readonly symbols: ReadonlyArray<string>
  /** Number of the last event of an incident, and the incidents that were opened. */
  readonly events: number
  readonly incidents: ReadonlyArray<number>
  /** Id of the last published revision. */
  readonly revision: number
  /** Absent in state files of earlier releases. */
  readonly record?: LogRecord
  readonly doubts: ReadonlyArray<Doubt>
  readonly forks: ReadonlyArray<Fork>
  /** Heads of saved answers that the log has not reached yet. */
  readonly heads?: ReadonlyArray<NamedHead>
}

const forkShape: s.Shape<Fork> = { at: s.time, kept: s.text, served: s.text }
const doubtShape: s.Shape<Doubt> = {
  symbol: s.name,
  metric: s.name,
  source: s.name,
  day: s.day,
  value: s.number,
  value_text: s.optional(s.name),
  n_observations: s.count,
  closed: s.day
}
const recordShape: s.Shape<LogRecord> = {
  first: s.optional(s.day),
  at: s.optional(s.time),
  batches: s.listOf(s.nested("a batch", { day: s.day, root: s.hash, about: s.listOf(s.day) })),
  close: s.optional(s.nested("the newest close", { cut_off: s.time, closed_at: s.time })),
  silent: s.optional(
    s.listOf(s.nested("a silent series", { symbol: s.name, metric: s.name, source: s.name, day: s.day }))
  ),
  incidents: s.listOf(s.nested("an incident", incidentShape)),
  revisions: s.optional(s.hash),
  feeds: s.optional(s.count),
  permissions: s.optional(s.count),
  runs: s.optional(s.nested("the runs", runsShape)),
  origins: s.optional(s.nested("the origins", originsShape)),
  signals: s.count,
  sales: s.optional(s.day),
  agreement: s.optional(s.day),
  observers: s.optional(
    s.listOf(s.nested("an observer", { origin: s.name, size: s.ordinal, root: s.hash, day: s.day }))
  ),
  briefs: s.listOf(s.day),
  archived: s.listOf(s.name),
  feed: s.optional(s.nested("the newest events", { day: s.day, last: s.ordinal })),
  key: s.optional(s.name),
  rotations: s.optional(s.listOf(s.text)),
  keys: s.optional(s.text)
}
const shape: s.Shape<State> = {
  v: s.oneOf("plumbline-monitor-v1"),
  origin: s.name,
  checkpoint: s.text,
  seen_at: s.time,
  looks: s.optional(s.listOf(s.nested("a look", lookShape))),
  keys: s.listOf(s.name),
  checked: s.nested("checked", { size: s.count, edge: s.listOf(s.hash) }),
  day: s.optional(s.day),
  earlier: s.optional(s.day),
  symbols: s.listOf(s.name),
  events: s.count,
  incidents: s.listOf(s.ordinal),
  revision: s.count,
  record: s.optional(s.nested("the record", recordShape)),
  doubts: s.listOf(s.nested("a doubt", doubtShape)),
  forks: s.listOf(s.nested("a fork", forkShape)),
  heads: s.optional(
    s.listOf(s.nested("a head of an answer", { size: s.count, root: s.hash, at: s.time, answer: s.text }))
  )
}

/** Parses a state file. Throws `Malformed`. */
export const parseState = (text: string): State => {
  const state = s.readShape("the state file", parseJson(text), shape)
  if (state.checked.edge.length !== edgeLength(state.checked.size))
    throw new Malformed("the state file's edge does not belong to its size")
  return state
}

export const edgeOf = ({ checked }: State): Edge => ({
  size: checked.size,
  nodes: checked.edge.map((node) => fromHex(node, 32))
})

export const edgeMember = ({ nodes, size }: Edge): State["checked"] => ({ size, edge: nodes.map(toHex) })

/** What is known before the first entry, or where nobody wrote it down. */
export const noRecord: LogRecord = { batches: [], incidents: [], signals: 0, briefs: [], archived: [] }

/** The state before the first look at a log. */
export const firstState = (origin: string, checkpoint: string, seenAt: string): State => ({
  v: "plumbline-monitor-v1",
  origin,
  checkpoint,
  seen_at: seenAt,
  keys: [],
  checked: edgeMember(noEdge),
  symbols: [],
  events: 0,
  incidents: [],
  revision: 0,
  record: {
    ...noRecord,
    feeds: 0,
    permissions: 0,
    rotations: [],
    origins: { owing: [] },
    runs: { ...noRuns, whole: true, draws: 0 }
  },
  doubts: [],
  forks: []
})
