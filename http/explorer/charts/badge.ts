/** A badge for the README of a network: what is measured, its newest sealed value and day. */
import { cut } from "./fit.ts"
import { escapeXml } from "./xml.ts"

/** Letters are 11 px: as wide as this on average, and made to fit exactly. */
const letter = 6.6
const height = 22
const inset = 8
/** The plumb line before the label. */
const mark = 14

const text = (x: number, width: number, fill: string, words: string): string =>
  `<text x="${x}" y="15" fill="${fill}" textLength="${width}" lengthAdjust="spacingAndGlyphs">${escapeXml(words)}</text>`

export const badgeSvg = (label: string, value: string): string => {
  const [left, right] = [cut(label, 40), cut(value, 48)]
  const [leftWidth, rightWidth] = [left, right].map(({ length }) => Math.round(length * letter)) as [
    number,
    number
  ]
  const split = inset + mark + leftWidth + inset
  const width = split + inset + rightWidth + inset
  const title = escapeXml(`${label}: ${value}`)
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}"><title>${title}</title><rect width="${width}" height="${height}" rx="3" fill="#fbfaf7"/><path d="M${split} 0h${width - split - 3}a3 3 0 0 1 3 3v${height - 6}a3 3 0 0 1 -3 3h${split + 3 - width}z" fill="#17191c"/><rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="2.5" fill="none" stroke="#17191c"/><g transform="translate(${inset} 3) scale(.62)"><path d="M7 0v16" stroke="#a3341a" stroke-width="1.8"/><path d="M2.5 15h9L7 25z" fill="#a3341a"/></g><g font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">${text(inset + mark, leftWidth, "#17191c", left)}${text(split + inset, rightWidth, "#fbfaf7", right)}</g></svg>\n`
}
