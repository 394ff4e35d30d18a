/**
 * The document of the feeds, and of single series, whose standing changed since the last one: log entries of kind `feeds` commit to
 * it. A leaf has no member for it: what held of a leaf is what the document says of its feed and its series when it was recorded.
 */
import { Malformed } from "./bytes.ts"
import { canonical, parseCanonical } from "./canonical.ts"
import { checkTag, type Tag } from "./leaf.ts"
import * as s from "./shape.ts"

/** A series by its names. */
export interface SeriesName {
  readonly metric: string
  readonly source: string
  readonly symbol: string
}

/** A value of a series that was compared with one of another plugin's series, of the same symbol. */
export interface Compared extends SeriesName {
  readonly value: number
  readonly as_of: string
  readonly second: {
    readonly plugin: string
    readonly metric: string
    readonly source: string
    readonly value: number
    readonly as_of: string
  }
  /** By what share of the larger value the two may differ. */
  readonly tolerance: number
}

/** Two values of a series that are no moves of one another. */
export interface Levels {
  readonly before: { readonly value: number; readonly as_of: string }
  readonly after: { readonly value: number; readonly as_of: string }
}

/**
 * From a time on something holds of a feed, or of some of its series.
 *
 * - `unconfirmed`, `confirmed`: whether anything but its author has compared the feed with its upstream. With `compared`, a second
 *   source agreed with these series, and only they are confirmed.
 * - `young`: the run made these series. What is recorded of them until `until` was compared with less than a week of their past.
 * - `level in doubt`: a held level of the series was released because three runs gave it. Nobody has said whether it or the level
 *   before is right: what is recorded of the series from that level's last day on is in doubt, until it is decided.
 * - `level decided`: from then on what is served of the series is not in doubt.
 */
export interface FeedChange {
  /** Counts the changes from 1, without gaps, over all documents. */
  readonly n: number
  readonly plugin: string
  /** The code it holds for, as the runs name it. */
  readonly code_hash: string
  readonly state: "unconfirmed" | "confirmed" | "young" | "level in doubt" | "level decided"
  readonly since: string
  /** Present exactly of what is young. */
  readonly until?: string
  /**
   * What it rests on, in words of the service; present exactly of what is confirmed or decided. Of an operator who gave a reason:
   * `operator: <reason>`.
   */
  readonly how?: string
  /** The run that brought it; absent where a person or another code did. */
  readonly run?: string
  /** The series that it is about; absent where it is about the whole feed. */
  readonly series?: ReadonlyArray<SeriesName>
  /** What a second source agreed with. */
  readonly compared?: ReadonlyArray<Compared>
  /** Present exactly of levels in doubt. */
  readonly levels?: Levels
}

export interface FeedChanges {
  readonly v: Tag<"service-feeds-v1">
  readonly feeds: ReadonlyArray<FeedChange>
  readonly simulated?: true
}

export const feedsTag = "service-feeds-v1"

const seriesShape: s.Shape<SeriesName> = { metric: s.name, source: s.name, symbol: s.name }

const comparedShape: s.Shape<Compared> = {
  ...seriesShape,
  value: s.number,
  as_of: s.time,
  second: s.nested("a second source", {
    plugin: s.name,
    metric: s.name,
    source: s.name,
    value: s.number,
    as_of: s.time
  }),
  tolerance: s.number
}

const levelShape: s.Shape<Levels["before"]> = { value: s.number, as_of: s.time }

const changeShape: s.Shape<FeedChange> = {
  n: s.ordinal,
  plugin: s.name,
  code_hash: s.hash,
  state: s.oneOf("unconfirmed", "confirmed", "young", "level in doubt", "level decided"),
  since: s.time,
  until: s.optional(s.time),
  how: s.optional(s.name),
  run: s.optional(s.name),
  series: s.optional(s.listOf(s.nested("a series", seriesShape))),
  compared: s.optional(s.listOf(s.nested("a comparison", comparedShape))),
  levels: s.optional(
    s.nested("two levels", {
      before: s.nested("a level", levelShape),
      after: s.nested("a level", levelShape)
    })
  )
}

const shape: s.Shape<FeedChanges> = {
  v: s.oneOf<Tag<"service-feeds-v1">>(feedsTag, `${feedsTag}-demo`),
  feeds: s.listOf(s.nested("a change of a feed", changeShape)),
  simulated: s.optional(s.trueOrAbsent)
}

/** Throws `Malformed` if a change lacks what its state says, or has what another state does. */
const checkChange = ({ compared, how, levels, n, series, state, until }: FeedChange): void => {
  const demand = (name: string, is: boolean, must: boolean): void => {
    if (is !== must)
      throw new Malformed(`change ${n}: \`${name}\` must ${must ? "" : "not "}be there of what is ${state}`)
  }
  demand("how", how !== undefined, state === "confirmed" || state === "level decided")
  demand("until", until !== undefined, state === "young")
  demand("levels", levels !== undefined, state === "level in doubt")
  if (state === "unconfirmed") demand("series", series !== undefined, false)
  if (state !== "unconfirmed" && state !== "confirmed") demand("series", series !== undefined, true)
  if (series !== undefined && series.length === 0)
    throw new Malformed(`change ${n}: \`series\` must not be empty`)
  if (compared !== undefined && how !== "second source")
    throw new Malformed(`change ${n}: \`compared\` is of a second source alone`)
  if (
    how === "second source" &&
    series !== undefined &&
    (compared === undefined || compared.length !== series.length)
  )
    throw new Malformed(`change ${n}: each series that a second source confirmed must say what was compared`)
  compared?.forEach(({ metric, source, symbol }, place) => {
    const one = series?.[place]
    if (one?.metric !== metric || one.source !== source || one.symbol !== symbol)
      throw new Malformed(
        `change ${n}: comparison ${place + 1} is of another series than \`series\` names there`
      )
  })
}

const check = (value: unknown): FeedChanges => {
  const document = s.readShape("a document of feeds", value, shape)
  checkTag(document, feedsTag)
  if (document.feeds.length === 0) throw new Malformed("a document of feeds must not be empty")
  for (const [place, one] of document.feeds.entries()) {
    const before = document.feeds[place - 1]
    if (before !== undefined && one.n !== before.n + 1)
      throw new Malformed(`change ${one.n} follows change ${before.n}: changes are missing or out of order`)
    checkChange(one)
  }
  return document
}

/** The document's text. Throws `Malformed` if it is not valid. */
export const feedsText = (document: FeedChanges): string => canonical(check(document))

/** Parses the document, which must be canonical JSON. Throws `Malformed`. */
export const parseFeeds = (text: string): FeedChanges => check(parseCanonical(text))

/** Subject of the document's log entry: `<first n>-<last n>`. */
export const feedsSubject = ({ feeds }: FeedChanges): string => `${feeds[0]?.n}-${feeds.at(-1)?.n}`
