/**
 * A sitting over the sheet, screen by screen: which key does what. Pure: whoever runs it shows the screens, and carries out what is
 * decided. What nothing is odd about is chosen when its screen comes; a key with a reason confirms what is chosen on the screen.
 */
import { feedLines, figureLines, isCompared } from "./blocks.ts"
import { figureKey } from "./recorded.ts"
import { hasNothing, isOdd, type Sheet, type SheetFeed } from "./sheet.ts"

/** What a person can go by, each with its key, in the words that the log keeps. */
export const reasons: Readonly<Record<string, string>> = {
  "1": "compared with what stands at its address",
  "2": "meaning and size are as the operator knows them",
  "3": "compared with another source"
}

/** What a key decided: feeds, or some series of one. */
export type Decision =
  | { readonly feeds: ReadonlyArray<string>; readonly reason: string }
  | { readonly feed: string; readonly series: ReadonlyArray<string>; readonly reason: string }

/** A line that is decided as one: a feed, or a figure of the feed that is open. */
interface Item {
  readonly name: string
  readonly lines: (mark: string) => ReadonlyArray<string>
  readonly feed?: SheetFeed
}

/** Items in screens, and those of them that are chosen. */
interface Level {
  readonly screens: ReadonlyArray<ReadonlyArray<Item>>
  readonly at: number
  readonly chosen: ReadonlySet<string>
  /** The feed whose figures these are. */
  readonly of?: string
}

export interface Sitting {
  readonly now: number
  readonly width: number
  readonly height: number
  readonly feeds: Level
  readonly opened?: Level
  readonly confirmed: number
  readonly over: boolean
}

/** Lines of a screen that are no items: its head, an empty one, and the keys. */
const frame = 3 + Object.keys(reasons).length

/** Items have letters. */
const mostItems = 26

const markOf = (letter: string, isChosen: boolean): string => `[${letter}] ${isChosen ? "●" : "○"} `

/** Items in as few screens as they fit in, in their order. */
const inScreens = (items: ReadonlyArray<Item>, height: number): ReadonlyArray<ReadonlyArray<Item>> => {
  const screens: Array<Array<Item>> = []
  let free = 0
  for (const item of items) {
    const lines = item.lines(markOf("a", true)).length
    const last = screens.at(-1)
    if (last === undefined || lines > free || last.length === mostItems) {
      screens.push([item])
      free = height - frame - lines
    } else {
      last.push(item)
      free -= lines
    }
  }
  return screens
}

/** Whether a feed is chosen when its screen comes: nothing is odd, and there was something to compare each metric with. */
const isPlain = (feed: SheetFeed): boolean =>
  feed.figures.length > 0 &&
  !isOdd(feed) &&
  [...Map.groupBy(feed.figures, ({ metric }) => metric).values()].every((of) => of.some(isCompared))

export const sitting = (
  { at, feeds }: Sheet,
  { height, width }: { readonly height: number; readonly width: number }
): Sitting => {
  const now = Date.parse(at)
  const items = feeds
    .filter((feed) => !hasNothing(feed))
    .map(
      (feed): Item => ({ name: feed.plugin, feed, lines: (mark) => feedLines(feed, { mark, now, width }) })
    )
  return {
    now,
    width,
    height,
    feeds: {
      screens: inScreens(items, height),
      at: 0,
      chosen: new Set(feeds.filter(isPlain).map(({ plugin }) => plugin))
    },
    confirmed: 0,
    over: items.length === 0
  }
}

const levelOf = ({ feeds, opened }: Sitting): Level => opened ?? feeds

const withLevel = (state: Sitting, level: Level): Sitting =>
  state.opened === undefined ? { ...state, feeds: level } : { ...state, opened: level }

/** The figures of a feed as items. The feed itself is no longer chosen: what is decided of it is decided here. */
const open = (state: Sitting, feed: SheetFeed): Sitting => {
  const { height, now, width } = state
  const items = feed.figures.map(
    (figure): Item => ({
      name: figureKey(figure),
      lines: (mark) => figureLines(figure, { mark, now, width })
    })
  )
  const chosen = new Set(state.feeds.chosen)
  chosen.delete(feed.plugin)
  return {
    ...state,
    feeds: { ...state.feeds, chosen },
    opened: {
      of: feed.plugin,
      screens: inScreens(items, height),
      at: 0,
      chosen: new Set(feed.figures.filter((one) => one.doubts.length === 0 && isCompared(one)).map(figureKey))
    }
  }
}

/** The screen after this one: after the last of a feed's figures that of the feed, after the last feed the end. */
const onward = (state: Sitting): Sitting => {
  const level = levelOf(state)
  if (level.at + 1 < level.screens.length) return withLevel(state, { ...level, at: level.at + 1 })
  if (state.opened === undefined) return { ...state, over: true }
  const { opened: _, ...rest } = state
  return rest
}

const decisionOf = (level: Level, names: ReadonlyArray<string>, reason: string): Decision =>
  level.of === undefined ? { feeds: names, reason } : { feed: level.of, series: names, reason }

/** What a key does, and what it decides. Keys that mean nothing do nothing. */
export const pressed = (
  state: Sitting,
  key: string
): { readonly state: Sitting; readonly decision?: Decision } => {
  const level = levelOf(state)
  const items = level.screens[level.at] ?? []
  if (key === "0") return { state: { ...state, over: true } }
  if (key === "enter" || key === "return") return { state: onward(state) }
  const reason = reasons[key]
  if (reason !== undefined) {
    const names = items.map(({ name }) => name).filter((name) => level.chosen.has(name))
    if (names.length === 0) return { state }
    const chosen = new Set(level.chosen)
    for (const name of names) chosen.delete(name)
    const done = withLevel({ ...state, confirmed: state.confirmed + names.length }, { ...level, chosen })
    return { state: onward(done), decision: decisionOf(level, names, reason) }
  }
  const item = key.length === 1 ? items[key.toLowerCase().charCodeAt(0) - 97] : undefined
  if (item === undefined) return { state }
  if (key !== key.toLowerCase()) return { state: item.feed === undefined ? state : open(state, item.feed) }
  const chosen = new Set(level.chosen)
  if (!chosen.delete(item.name)) chosen.add(item.name)
  return { state: withLevel(state, { ...level, chosen }) }
}

/** The lines of the screen. */
export const screenOf = (state: Sitting): ReadonlyArray<string> => {
  const level = levelOf(state)
  const items = level.screens[level.at] ?? []
  return [
    `${level.of === undefined ? "Unconfirmed feeds, the oddest first" : `Figures of ${level.of}`}: screen ${level.at + 1} of ${level.screens.length}`,
    ...items.flatMap(({ lines, name }, n) =>
      lines(markOf(String.fromCharCode(97 + n), level.chosen.has(name)))
    ),
    "",
    ...Object.entries(reasons).map(([key, reason]) => `${key}  confirm what is chosen (●): ${reason}`),
    `a, b, … choose or leave one${level.of === undefined ? " · A, B, … show its figures one by one" : ""} · Enter go on without confirming · 0 stop`
  ]
}
