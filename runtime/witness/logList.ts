/**
 * A list of logs as operators of public witnesses share it: `logs/v0`, then for each log a `vkey` line and lines about it,
 * each a word and its value. `none` stands for what a log does not have.
 */
import { Malformed } from "../../core/proof/bytes.ts"
import { parseVkey } from "../../core/proof/checkpoint.ts"

const header = "logs/v0"

/** A log of such a list. */
export interface ListedLog {
  /** Its verifier key. */
  readonly key: string
  /** If it is not the name of the key. */
  readonly origin?: string
  /** Checkpoints that it offers a witness in a day, at most. */
  readonly perDay?: number
  readonly contact?: string
}

/** True if the text is such a list: its first line that says something names the format. */
export const isLogList = (text: string): boolean => linesOf(text)[0]?.text === header

const linesOf = (text: string) =>
  text
    .split("\n")
    .map((line, index) => ({ text: line.trim(), number: index + 1 }))
    .filter((line) => line.text !== "" && !line.text.startsWith("#"))

/** Throws `Malformed` with the line. A word that is not known is passed over. */
export const parseLogList = (text: string): ReadonlyArray<ListedLog> => {
  const logs: Array<ListedLog> = []
  for (const { number, text: line } of linesOf(text).slice(1)) {
    const [, word = line, value = ""] = /^(\S+)\s+(.*)$/.exec(line) ?? []
    const refuse = (why: string) => new Malformed(`line ${number}: ${why}`)
    if (word === "vkey") {
      logs.push({ key: value })
      continue
    }
    const log = logs.pop()
    if (log === undefined) throw refuse(`a list of logs begins each log with a vkey line, not with ${word}`)
    logs.push(value === "none" ? log : withLine(log, word, value, refuse))
  }
  return logs
}

const withLine = (
  log: ListedLog,
  word: string,
  value: string,
  refuse: (why: string) => Malformed
): ListedLog => {
  if (word === "origin") return { ...log, origin: value }
  if (word === "contact") return { ...log, contact: value }
  if (word !== "qpd") return log
  if (!/^[1-9]\d{0,8}$/.test(value))
    throw refuse(`qpd must be a number of checkpoints, not "${value.slice(0, 40)}"`)
  return { ...log, perDay: Number(value) }
}

/** The list of one log that has no bastion. Throws `Malformed` if the key is none. */
export const logListText = ({ contact, key, origin, perDay }: ListedLog): string => {
  parseVkey(key)
  return [
    header,
    `vkey ${key}`,
    `origin ${origin ?? "none"}`,
    "bastion none",
    `qpd ${perDay ?? "none"}`,
    `contact ${contact ?? "none"}`,
    ""
  ].join("\n")
}
