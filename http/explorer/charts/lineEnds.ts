/** Letters and names beside a plot, at the ends of what is drawn. Works in a browser too. */
import type { Letter } from "./letters.ts"
import { defaultWidth, type Frame, type Framed, frameOf, valuesRoom } from "./lineChart.ts"
import type { ValueAxis } from "./valueAxis.ts"
import { at, escapeXml } from "./xml.ts"

export interface LineEnd {
  readonly letter: Letter
  /** What tells it from the others, short enough for the side of the plot. */
  readonly label: string
  readonly y: number
}

/** Pixels beside the plot that letters take. */
const lettersRoom = 24

/** Most letters of the face of the charts at 13 px are narrower. */
const labelWidth = 7.8

/** A letter, a space and the longest label; a phone has room for the letters alone. */
const endsRoom = (labels: ReadonlyArray<string>, width: number): number => {
  const room = Math.max(0, ...labels.map(({ length }) => length + 2)) * labelWidth + 12
  return room <= width * 0.3 ? room : lettersRoom
}

/** Where things are in a chart with its values to the left and the names of its series to the right. */
export const namedFrame = (chart: Framed, axis: ValueAxis, labels: ReadonlyArray<string>): Frame =>
  frameOf(chart, axis, {
    left: valuesRoom(axis),
    right: endsRoom(labels, chart.width ?? defaultWidth),
    top: 22,
    bottom: 30
  })

const letterHeight = 14

/** Moved apart where lines end together. */
export const lineEnds = (
  of: ReadonlyArray<LineEnd>,
  { bottom, right, top, width }: Frame
): ReadonlyArray<string> => {
  const areNamed = width - right > lettersRoom
  const down: Array<{ readonly letter: Letter; readonly name: string; readonly y: number }> = []
  for (const { label, letter, y } of of.toSorted((a, b) => a.y - b.y)) {
    const name = areNamed ? `${letter.toUpperCase()} ${label}` : letter.toUpperCase()
    const lowest = (down.at(-1)?.y ?? top - letterHeight) + letterHeight
    down.push({ letter, name, y: Math.max(y, lowest) })
  }
  const over = Math.max(0, (down.at(-1)?.y ?? 0) - bottom)
  return down.map(
    ({ letter, name, y }) =>
      `<text class="letter of-${letter}" x="${at(right + 8)}" y="${at(y - over + 4)}">${escapeXml(name)}</text>`
  )
}
