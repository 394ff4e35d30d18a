/** The document of the feeds whose confirmation changed since the last one: log entries of kind `feeds` commit to it. */
import { Malformed } from "./bytes.ts"
import { canonical, parseCanonical } from "./canonical.ts"
import { checkTag, type Tag } from "./leaf.ts"
import * as s from "./shape.ts"

/** From a time on a feed is confirmed or not: whether anything but its author has compared it with its upstream. */
export interface FeedChange {
  /** Counts the changes from 1, without gaps, over all documents. */
  readonly n: number
  readonly plugin: string
  /** The code it holds for, as the runs name it. */
  readonly code_hash: string
  readonly state: "unconfirmed" | "confirmed"
  readonly since: string
  /** What the confirmation rests on, in words of the service; present exactly of a confirmed feed. */
  readonly how?: string
}

export interface FeedChanges {
  readonly v: Tag<"service-feeds-v1">
  readonly feeds: ReadonlyArray<FeedChange>
  readonly simulated?: true
}

export const feedsTag = "service-feeds-v1"

const changeShape: s.Shape<FeedChange> = {
  n: s.ordinal,
  plugin: s.name,
  code_hash: s.hash,
  state: s.oneOf("unconfirmed", "confirmed"),
  since: s.time,
  how: s.optional(s.name)
}

const shape: s.Shape<FeedChanges> = {
  v: s.oneOf<Tag<"service-feeds-v1">>(feedsTag, `${feedsTag}-demo`),
  feeds: s.listOf(s.nested("a change of a feed", changeShape)),
  simulated: s.optional(s.trueOrAbsent)
}

const check = (value: unknown): FeedChanges => {
  const document = s.readShape("a document of feeds", value, shape)
  checkTag(document, feedsTag)
  if (document.feeds.length === 0) throw new Malformed("a document of feeds must not be empty")
  for (const [place, one] of document.feeds.entries()) {
    const before = document.feeds[place - 1]
    if (before !== undefined && one.n !== before.n + 1)
      throw new Malformed(`change ${one.n} follows change ${before.n}: changes are missing or out of order`)
    if ((one.how === undefined) !== (one.state === "unconfirmed"))
      throw new Malformed(`change ${one.n}: \`how\` must be there exactly if the feed is confirmed`)
  }
  return document
}

/** The document's text. Throws `Malformed` if it is not valid. */
export const feedsText = (document: FeedChanges): string => canonical(check(document))

/** Parses the document, which must be canonical JSON. Throws `Malformed`. */
export const parseFeeds = (text: string): FeedChanges => check(parseCanonical(text))

/** Subject of the document's log entry: `<first n>-<last n>`. */
export const feedsSubject = ({ feeds }: FeedChanges): string => `${feeds[0]?.n}-${feeds.at(-1)?.n}`
