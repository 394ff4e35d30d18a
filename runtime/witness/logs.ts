/** The file that lists the logs a witness cosigns. */
import { Malformed } from "../../core/proof/bytes.ts"
import { parseVkey, type Verifier, vkey } from "../../core/proof/checkpoint.ts"
import { isLogList, type ListedLog, parseLogList } from "./logList.ts"

/** The keys of each log, by its origin. A log that rotates its key has two. */
export type Logs = ReadonlyMap<string, ReadonlyArray<Verifier>>

/** Lines of a policy (C2SP tlog-policy) that do not concern a witness, so that a policy can serve as the list. */
const otherLines = new Set(["witness", "group", "quorum"])

/**
 * Parses `log <vkey> [<url>]` or a bare `<vkey>` per line, or a list of logs (`logs/v0`); `#` starts a comment. Throws
 * `Malformed` with the line.
 */
export const parseLogs = (text: string): Logs => {
  const logs = new Map<string, ReadonlyArray<Verifier>>()
  const keys = new Set<string>()
  for (const { key: written, number, origin } of isLogList(text) ? parseLogList(text) : linesOf(text)) {
    const refuse = (why: string) => new Malformed(`line ${number}: ${why}`)
    const verifier = read(written, refuse)
    const key = vkey("", verifier.publicKey)
    if (keys.has(key)) throw refuse(`the key of ${verifier.name} is listed twice`)
    keys.add(key)
    const name = origin ?? verifier.name
    logs.set(name, [...(logs.get(name) ?? []), verifier])
  }
  return logs
}

const linesOf = (text: string): ReadonlyArray<ListedLog> =>
  text.split("\n").flatMap((line, index) => {
    const tokens = line.split(/[ \t\r]+/).filter((word) => word !== "")
    const [first = "", second = ""] = tokens
    if (first === "" || first.startsWith("#") || otherLines.has(first)) return []
    const number = index + 1
    if (tokens.length > (first === "log" ? 3 : 1))
      throw new Malformed(`line ${number}: a line must be \`log <vkey> [<url>]\`, or a verifier key alone`)
    return [{ key: first === "log" ? second : first, number }]
  })

const read = (text: string, refuse: (why: string) => Malformed): Verifier => {
  try {
    return parseVkey(text)
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
    throw refuse(`"${text.slice(0, 100)}" is not a verifier key of a log: ${error.message}`)
  }
}
