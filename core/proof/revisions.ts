/** The document of what upstreams restated since the last batch: log entries of kind `revisions` commit to it. */
import { Malformed } from "./bytes.ts"
import { canonical, parseCanonical } from "./canonical.ts"
import { checkTag, isExactTextOf, type Tag } from "./leaf.ts"
import * as s from "./shape.ts"

/** One reading that an upstream restated. */
export interface Revision {
  /** Counts upwards over all documents; gaps are possible. */
  readonly id: number
  readonly symbol: string
  readonly metric: string
  readonly source: string
  /** The reading's time. */
  readonly as_of: string
  /** Version of the reading after the revision, from 2. */
  readonly version: number
  readonly before_value: number
  readonly before_text?: string
  readonly after_value: number
  readonly after_text?: string
  readonly recorded_at: string
  /** The run of the collector that saw it. */
  readonly run: string
  readonly why: string
}

export interface Revisions {
  readonly v: Tag<"service-revisions-v2">
  readonly revisions: ReadonlyArray<Revision>
  readonly simulated?: true
}

export const revisionsTag = "service-revisions-v2"

const revisionShape: s.Shape<Revision> = {
  id: s.ordinal,
  symbol: s.name,
  metric: s.name,
  source: s.name,
  as_of: s.time,
  version: s.ordinal,
  before_value: s.number,
  before_text: s.optional(s.name),
  after_value: s.number,
  after_text: s.optional(s.name),
  recorded_at: s.time,
  run: s.name,
  why: s.nonEmpty
}

const shape: s.Shape<Revisions> = {
  v: s.oneOf<Tag<"service-revisions-v2">>(revisionsTag, `${revisionsTag}-demo`),
  revisions: s.listOf(s.nested("a revision", revisionShape)),
  simulated: s.optional(s.trueOrAbsent)
}

const check = (value: unknown): Revisions => {
  const document = s.readShape("a document of revisions", value, shape)
  checkTag(document, revisionsTag)
  if (document.revisions.length === 0) throw new Malformed("a document of revisions must not be empty")
  for (const [place, one] of document.revisions.entries()) {
    const before = document.revisions[place - 1]
    if (before !== undefined && before.id >= one.id)
      throw new Malformed(`revision ${one.id} follows ${before.id}: they must be in the order of their ids`)
    if (one.version < 2) throw new Malformed(`revision ${one.id}: its version must be 2 or more`)
    for (const [text, number] of [
      [one.before_text, one.before_value],
      [one.after_text, one.after_value]
    ] as const) {
      if (text !== undefined && !isExactTextOf(text, number))
        throw new Malformed(`revision ${one.id}: the exact text ${text} is not the number ${number}`)
    }
  }
  return document
}

/** The document's text. Throws `Malformed` if it is not valid. */
export const revisionsText = (document: Revisions): string => canonical(check(document))

/** Parses the document, which must be canonical JSON. Throws `Malformed`. */
export const parseRevisions = (text: string): Revisions => check(parseCanonical(text))

/** Subject of the document's log entry: `<first id>-<last id>`. */
export const revisionsSubject = ({ revisions }: Revisions): string =>
  `${revisions[0]?.id}-${revisions.at(-1)?.id}`
