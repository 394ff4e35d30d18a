/** All that waits for a person, with what is odd about it, the oddest first: the screens and the page show it. */
import { Effect, Schema } from "effect"
import * as DataClock from "../../core/clock/DataClock.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { Figure, UnconfirmedFeed, unconfirmedFigures } from "../../core/readings/read/unconfirmedFigures.ts"
import { doubtsOfFeed, doubtsOfFigure, gravity } from "./doubts.ts"
import { figureKey, recordedOf } from "./recorded.ts"

/** What is odd, in words. */
const Doubts = Schema.Array(Schema.String)

const SheetFigure = Schema.Struct({
  ...Figure.fields,
  /** Value of the feed's recorded case, if it has the figure. */
  recorded: Schema.optionalKey(Schema.Finite),
  doubts: Doubts
})
export interface SheetFigure extends Schema.Schema.Type<typeof SheetFigure> {}

const SheetFeed = Schema.Struct({
  ...UnconfirmedFeed.fields,
  figures: Schema.Array(SheetFigure),
  /** About the feed as a whole. */
  doubts: Doubts
})
export interface SheetFeed extends Schema.Schema.Type<typeof SheetFeed> {}

export const Sheet = Schema.Struct({ at: Schema.String, feeds: Schema.Array(SheetFeed) })
export interface Sheet extends Schema.Schema.Type<typeof Sheet> {}

/** Whether anything is odd about a feed or one of its figures. */
export const isOdd = ({ doubts, figures }: SheetFeed): boolean =>
  doubts.length > 0 || figures.some((figure) => figure.doubts.length > 0)

/** Whether a feed has given nothing yet that somebody could compare. */
export const hasNothing = ({ confirmed, figures }: Pick<SheetFeed, "confirmed" | "figures">): boolean =>
  confirmed === 0 && figures.length === 0

/** The gravest doubt of a feed; of one that has none, more than all. */
const least = (doubts: ReadonlyArray<Parameters<typeof gravity>[0]>): number =>
  doubts.reduce((worst, doubt) => Math.min(worst, gravity(doubt)), Number.MAX_SAFE_INTEGER)

const sheetFeed = Effect.fnUntraced(function* (feed: UnconfirmedFeed, now: number) {
  const recorded = yield* recordedOf(feed.plugin)
  const ofFeed = doubtsOfFeed(feed, recorded)
  const figures = feed.figures.map((figure) => {
    const before = recorded.get(figureKey(figure))
    const doubts = doubtsOfFigure(figure, { every: feed.every, now, recorded: before })
    return { doubts, figure, recorded: before?.value }
  })
  const ordered = figures.toSorted((a, b) => least(a.doubts) - least(b.doubts))
  return {
    rank: least([...ofFeed, ...(ordered[0]?.doubts ?? [])]),
    feed: {
      ...feed,
      doubts: ofFeed.map(({ text }) => text),
      figures: ordered.map(
        ({ doubts, figure, recorded }): SheetFigure => ({
          ...figure,
          ...(recorded === undefined ? {} : { recorded }),
          doubts: doubts.map(({ text }) => text)
        })
      )
    } satisfies SheetFeed
  }
})

/** The sheet of the unconfirmed feeds, or of those of them that are named. A feed that has no figures yet comes last. */
export const sheetNow = Effect.fnUntraced(function* (plugins: ReadonlyArray<string> = []) {
  const now = yield* DataClock.now
  const waiting = yield* unconfirmedFigures()
  const feeds = yield* Effect.forEach(
    waiting.filter(({ plugin }) => plugins.length === 0 || plugins.includes(plugin)),
    (feed) => sheetFeed(feed, now)
  )
  return {
    at: isoTime(now),
    feeds: feeds
      .toSorted((a, b) => Number(hasNothing(a.feed)) - Number(hasNothing(b.feed)) || a.rank - b.rank)
      .map(({ feed }) => feed)
  } satisfies Sheet
})
