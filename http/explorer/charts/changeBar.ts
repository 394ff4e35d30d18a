/** One bar from the middle to the left or to the right, in the height of a line of text; a bar to the left is hollow. */
import { at } from "./xml.ts"

const width = 120
const height = 14
const middle = width / 2

/** `share` is from -1 to 1. The text beside it says the value, so it is hidden from who hears the page. */
export const changeBar = (share: number): string => {
  const length = Math.max(1, Math.abs(share) * (middle - 2))
  const x = share < 0 ? middle - length : middle
  return `<svg class="chart change-bar" viewBox="0 0 ${width} ${height}" aria-hidden="true"><rect class="bar${share < 0 ? " less" : ""}" x="${at(x)}" y="3" width="${at(length)}" height="8"/><path class="axis" d="M${middle} 0V${height}"/></svg>`
}

/** One bar from the left. `share` is from 0 to 1. */
export const shareBar = (share: number): string =>
  `<svg class="chart change-bar" viewBox="0 0 ${width} ${height}" aria-hidden="true"><rect class="bar" x="0" y="3" width="${at(Math.max(1, share * width))}" height="8"/></svg>`
