/**
 * A list of logs as operators of public witnesses share it: `logs/v0`, then for each log a `vkey` line and lines about it,
 * each a word and its value. `none` stands for what a log does not have.
 */
import { Malformed } from "../../core/proof/bytes.ts"
import { parseVkey } from "../../core/proof/checkpoint.ts"

const header = "logs/v0"

/** A log of such a list, as a witness needs it. */
export interface ListedLog {
  /** Its verifier key. */
  readonly key: string
  /** The line of that key, for messages. */
  readonly number: number
  /** If it is not the name of the key. */
  readonly origin?: string
}

/** True if the text is such a list: its first line that says something names the format. */
export const isLogList = (text: string): boolean => linesOf(text)[0]?.text === header

const linesOf = (text: string) =>
  text
    .split("\n")
    .map((line, index) => ({ text: line.trim(), number: index + 1 }))
    .filter((line) => line.text !== "" && !line.text.startsWith("#"))

/** Throws `Malformed` with the line. What does not concern a witness is passed over. */
export const parseLogList = (text: string): ReadonlyArray<ListedLog> => {
  const logs: Array<ListedLog> = []
  for (const { number, text: line } of linesOf(text).slice(1)) {
    const [, word = line, value = ""] = /^(\S+)\s+(.*)$/.exec(line) ?? []
    if (word === "vkey") {
      logs.push({ key: value, number })
      continue
    }
    const log = logs.pop()
    if (log === undefined)
      throw new Malformed(`line ${number}: a list of logs begins each log with a vkey line, not with ${word}`)
    logs.push(word === "origin" && value !== "none" ? { ...log, origin: value } : log)
  }
  return logs
}

/**
 * The list of one log that has no bastion and whose origin is the name of its key. `perDay`: how many checkpoints it offers a
 * witness in a day, at most. Throws `Malformed` if the key is none.
 */
export const logListText = (log: {
  readonly key: string
  readonly perDay: number
  readonly contact: string
}): string => {
  const { contact, key, perDay } = log
  parseVkey(key)
  return [
    header,
    `vkey ${key}`,
    "origin none",
    "bastion none",
    `qpd ${perDay}`,
    `contact ${contact}`,
    ""
  ].join("\n")
}
