/** Times of the wall clock on a page of the demo, whose clock is another. */
import { formatTime } from "../../html/format.ts"

/** By how many milliseconds the clock of the page is ahead of the wall clock; 0 but in the demo. */
const ahead = (): number => Number(document.body.dataset["ahead"] ?? 0)

/** A time of keys, sales or this browser, as the clock of the page showed it. */
export const formatWallTime = (text: string): string =>
  formatTime(new Date(Date.parse(text) + ahead()).toISOString())
