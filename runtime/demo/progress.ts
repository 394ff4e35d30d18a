/** The closing of the demo's days on the terminal: one line that changes, or, where nobody watches, a line per day. */
import { Effect } from "effect"
import type { OnClosed } from "./pastEvents.ts"

/** What is written of a closed day. */
export const lineOf = (day: string, n: number, of: number, isTerminal: boolean): string => {
  const line = `  closed ${day} … ${n} of ${of}`
  return isTerminal ? `\r${line}${n === of ? "\n" : ""}` : `${line}\n`
}

export const closed: OnClosed = (day, n, of) =>
  Effect.sync(() => void process.stdout.write(lineOf(day, n, of, process.stdout.isTTY)))
