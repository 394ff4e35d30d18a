/** What every chart with its values to the left begins with. Works in a browser too. */
import { dayAxis, type Frame, valueTitle } from "./lineChart.ts"
import { at, escapeXml } from "./xml.ts"

/** The open element with its names, the grid and both axes. */
export const framed = (
  { id, title }: { readonly id: string; readonly title: string },
  summary: string,
  frame: Frame
): string => {
  const { axis, height, left, right, width, y } = frame
  const ticks = axis.ticks.map(
    ({ text, value }) =>
      `<path class="grid" d="M${left} ${at(y(value))}H${at(right)}"/><text class="tick" text-anchor="end" x="${left - 8}" y="${at(y(value) + 4)}">${escapeXml(text)}</text>`
  )
  return [
    `<svg class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="${id}-t" aria-describedby="${id}-d" xmlns="http://www.w3.org/2000/svg">`,
    `<title id="${id}-t">${escapeXml(title)}</title><desc id="${id}-d">${escapeXml(summary)}</desc>`,
    ...ticks,
    valueTitle(frame),
    dayAxis(frame)
  ].join("")
}
