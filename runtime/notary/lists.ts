/** The files in which a notary's operator lists collectors and hosts; `#` starts a comment. */
import { Malformed } from "../../core/proof/bytes.ts"
import { isHostName } from "../../core/proof/sessionSense.ts"

/** Names of collectors by the SHA-256 of their tokens, hex. */
export type Collectors = ReadonlyMap<string, string>

interface Line {
  readonly number: number
  readonly words: ReadonlyArray<string>
}

const linesOf = (text: string): ReadonlyArray<Line> =>
  text.split("\n").flatMap((line, index) => {
    const words = line.split(/[ \t\r]+/).filter((word) => word !== "")
    return words[0] === undefined || words[0].startsWith("#") ? [] : [{ number: index + 1, words }]
  })

const nameForm = /^[^\s\p{Cc}#]\P{Cc}*$/u

export const collectorLine = (name: string, tokenSha256: string): string => `${name} ${tokenSha256}\n`

/** Parses `<name> <SHA-256 of its token>` a line. Throws `Malformed` with the line. */
export const parseCollectors = (text: string): Collectors => {
  const collectors = new Map<string, string>()
  for (const { number, words } of linesOf(text)) {
    const [name = "", token = "", ...more] = words
    if (more.length > 0 || !nameForm.test(name) || !/^[0-9a-f]{64}$/.test(token))
      throw new Malformed(`line ${number}: must be <name> <SHA-256 of its token, 64 lower-case hex digits>`)
    if (collectors.has(token) || [...collectors.values()].includes(name))
      throw new Malformed(`line ${number}: the collector ${name} or its token is on a line before`)
    collectors.set(token, name)
  }
  return collectors
}

/** Parses a host a line. Throws `Malformed` with the line. */
export const parseHosts = (text: string): ReadonlySet<string> => {
  const hosts = new Set<string>()
  for (const { number, words } of linesOf(text)) {
    const [host = "", ...more] = words
    if (more.length > 0 || !isHostName(host))
      throw new Malformed(`line ${number}: must be the name of a host in lower case, without a port`)
    hosts.add(host)
  }
  return hosts
}
