/** Feeds and figures of the sheet as lines of a terminal. */
import { aged } from "./doubts.ts"
import { isOdd, type SheetFeed, type SheetFigure } from "./sheet.ts"

/** Odd figures of a feed that its block shows whole. */
const mostOdd = 6

/** Whether there is anything to compare a figure with. */
export const isCompared = ({ before, recorded, seconds }: SheetFigure): boolean =>
  recorded !== undefined || before !== undefined || seconds.length > 0

/** The odd figures of a feed, or one where none is odd; and the others, one of each metric first. */
const listed = (figures: ReadonlyArray<SheetFigure>) => {
  const odd = figures.filter(({ doubts }) => doubts.length > 0)
  const whole = odd.length > 0 ? odd.slice(0, mostOdd) : figures.slice(0, 1)
  const rest = figures.filter((one) => !whole.includes(one))
  const firsts = new Set([...Map.groupBy(rest, ({ metric }) => metric).values()].map(([first]) => first))
  return { whole, others: rest.toSorted((a, b) => Number(firsts.has(b)) - Number(firsts.has(a))) }
}

/** As many figures as a line has room for, and how many it has none for. */
const inOneLine = (figures: ReadonlyArray<SheetFigure>, indent: string, width: number): string => {
  const room = width - indent.length - " and 12345 more".length
  let line = "also "
  let n = 0
  for (const { metric, symbol, value } of figures) {
    const one = `${n === 0 ? "" : ", "}${symbol} ${metric} ${Number(value.toPrecision(4))}`
    if (line.length + one.length > room) break
    line += one
    n++
  }
  return `${indent}${n === 0 ? "" : line}${n < figures.length ? ` and ${figures.length - n} more` : ""}`
}

/** A number that no value can exceed, short. */
export const limitText = (greatest: number): string =>
  greatest < 1e6 ? String(greatest) : greatest.toExponential(1).replace("e+", "e")

/** What a figure can be compared with, in words. */
export const beside = (figure: SheetFigure, now: number): ReadonlyArray<string> => {
  const { as_of, before, family, greatest, recorded, seconds } = figure
  return [
    `${aged(now - Date.parse(as_of))} old`,
    ...(recorded === undefined ? [] : [`author's case ${recorded}`]),
    ...(before === undefined ? [] : [`${before.as_of.slice(0, 10)} ${before.value}`]),
    ...seconds.map(({ source, value }) => `${source} ${value}`),
    ...(isCompared(figure) ? [] : ["nothing to compare with"]),
    `at most ${limitText(greatest)}`,
    ...(family === undefined ? [] : [`of ${family}`])
  ]
}

const cut = (line: string, width: number): string =>
  line.length <= width ? line : `${line.slice(0, width - 1)}…`

/** A figure in one line, and one for each doubt. */
export const figureLines = (
  figure: SheetFigure,
  { mark, now, width }: { mark: string; now: number; width: number }
): ReadonlyArray<string> => {
  const { doubts, meaning, metric, symbol, unit, value, value_text } = figure
  const text = `${symbol} ${metric}  ${value_text ?? value} ${unit} · ${beside(figure, now).join(" · ")} · ${meaning}`
  return [
    cut(`${mark}${text}`, width),
    ...doubts.map((doubt) => cut(`${" ".repeat(mark.length)}! ${doubt}`, width))
  ]
}

const plural = (n: number, one: string): string => `${n} ${one}${n === 1 ? "" : "s"}`

/** A feed that gave nothing yet, in one line. */
export const emptyLine = ({ doubts, plugin }: SheetFeed, width: number): string =>
  cut(`- ${plugin} has given no figure yet${doubts[0] === undefined ? "" : `: ${doubts[0]}`}`, width)

/** A feed in a head line, a line for each doubt, and its first figures. */
export const feedLines = (
  feed: SheetFeed,
  { mark, now, width }: { mark: string; now: number; width: number }
): ReadonlyArray<string> => {
  const { canaries, confirmed, doubts, figures, plugin, title } = feed
  const odd = figures.filter((figure) => figure.doubts.length > 0).length
  const indent = " ".repeat(mark.length)
  const { others, whole } = listed(figures)
  const head = [
    `${plugin}: ${title}`,
    `${plural(figures.length, "figure")}, ${figures.filter(isCompared).length} compared, ${odd === 0 ? (isOdd(feed) ? "none odd" : "nothing odd") : `${odd} odd`}`,
    ...(confirmed === 0 ? [] : [`${confirmed} confirmed before`]),
    canaries === 0 ? "no canary" : plural(canaries, "canary").replace("canarys", "canaries"),
    figures[0]?.verify_url ?? "no figures yet"
  ]
  return [
    cut(`${mark}${head.join(" · ")}`, width),
    ...doubts.map((doubt) => cut(`${indent}! ${doubt}`, width)),
    ...whole.flatMap((figure) => figureLines(figure, { mark: indent, now, width })),
    ...(others.length === 0 ? [] : [inOneLine(others, indent, width)])
  ]
}
