/** When a message may be sent. */
import { day, minute } from "../plugin/time.ts"
import type { QuietHours } from "../wire/alerts/alert.ts"

const minutesOf = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3))

/** The time itself, or the end of the quiet hours that it is in. Epoch milliseconds. */
export const afterQuiet = (at: number, quiet: QuietHours | undefined): number => {
  if (quiet === undefined) return at
  const local = at + quiet.utc_offset_minutes * minute
  const ofDay = ((local % day) + day) % day
  const from = minutesOf(quiet.from) * minute
  const to = minutesOf(quiet.to) * minute
  const length = (to - from + day) % day
  const since = (ofDay - from + day) % day
  return since < length ? at + (length - since) : at
}
