/** Whether a head is of the log that this reader remembers, by the log's own files where a command names them. */
import { setTimeout as sleep } from "node:timers/promises"
import { Malformed } from "../../../../../core/proof/bytes.ts"
import { type Check, notChecked, notProved } from "../../../../../core/proof/check.ts"
import { parseCheckpointText, parseNote } from "../../../../../core/proof/checkpoint.ts"
import { inFolder } from "../folder.ts"
import { extendsPrevious } from "../monitor/entries.ts"
import { patient, type Source, SourceUnreachable, served } from "../monitor/source.ts"
import { nextTo, type RememberedHead, type RememberedLog } from "../pins.ts"
import type { Surroundings } from "./inputs.ts"
import type { Values } from "./options.ts"

/** Whether the files prove that the smaller of two heads is the beginning of the larger; undefined where they cannot be read. */
const areOneLog = async (
  files: Source,
  one: RememberedHead,
  other: RememberedHead
): Promise<boolean | undefined> => {
  const [first, second] = one.size < other.size ? [one, other] : [other, one]
  const { root, size } = parseCheckpointText(parseNote(first.note).text)
  try {
    return await extendsPrevious(files, { root, size }, parseCheckpointText(parseNote(second.note).text))
  } catch (error) {
    if (error instanceof SourceUnreachable || error instanceof Malformed) return undefined
    throw error
  }
}

/** Where the files of the log are that the command names; undefined offline. */
const filesOf = ({ dir, url }: Values, { get }: Surroundings): Source | undefined =>
  dir !== undefined
    ? inFolder(dir)
    : url === undefined
      ? undefined
      : served(patient(get, { wait: (ms) => sleep(ms) }), url.replace(/\/+$/, ""))

const name = "remembered head"

/**
 * Holds a head of a size that was not seen yet to the nearest head that was. A proof that is missing or does not lead there is no fork:
 * whoever serves the files may have lost them. But then nothing says that the head is of this log.
 */
export const checkSameLog = async (
  values: Values,
  io: Surroundings,
  remembered: RememberedLog | undefined,
  head: RememberedHead | undefined
): Promise<ReadonlyArray<Check>> => {
  const next = nextTo(remembered, head)
  if (next === undefined || head === undefined) return []
  const both = `the head of ${head.size} entries and the one of ${next.size} that this reader saw`
  const files = filesOf(values, io)
  if (files === undefined)
    return [
      notChecked(
        name,
        `nothing here says that ${both} are of one log: --url of the service, or --dir of a mirror, has the proof`
      )
    ]
  const isOne = await areOneLog(files, next, head)
  return [
    isOne === true
      ? { name, ok: true, detail: `${both} are of one log` }
      : notProved(
          name,
          `the files of ${files.name} do not prove that ${both} are of one log: ask for them elsewhere (a mirror, a witness), and if no log has both, keep both notes and make them public`,
          "unavailable"
        )
  ]
}
