/** The browser's memory of heads: what a log showed before, it must still contain. */
import { fromUtf8, Malformed } from "../../../../core/proof/bytes.ts"
import { allHold, type Check, notChecked } from "../../../../core/proof/check.ts"
import { parseCheckpointText, parseNote } from "../../../../core/proof/checkpoint.ts"
import { parseKeyDocument } from "../../../../core/proof/keys.ts"
import { fetchKeys, type Get, logPath, verifyGrowth } from "../../../../core/proof/remote.ts"
import { signersOf } from "../../../../core/proof/verifyCheckpoint.ts"
import { formatTime } from "../../html/format.ts"
import { raiseContradiction } from "../parts/alarm.ts"
import { keepContradiction, keepHead, keptHeads } from "../parts/store.ts"
import { turn } from "../parts/turn.ts"
import { here, oneLook } from "./transport.ts"
import { trustNow } from "./trust.ts"

const name = "this browser's memory"

const headOf = (note: string) => parseCheckpointText(parseNote(note).text)

/** A process of the service, or a cache, may be a little behind. */
const patience = 6000

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
  })

const failureOf = (checks: ReadonlyArray<Check>): string | undefined => {
  const wrong = checks.find(({ ok }) => ok === false)
  return wrong === undefined ? undefined : `${wrong.name}: ${wrong.detail}`
}

const newestNote = async (get: Get): Promise<string | undefined> => {
  const answer = await get(`${here()}${logPath}/checkpoint`)
  return answer.status === 200 ? fromUtf8(answer.body) : undefined
}

/** Compares the newest head with the one that was kept, keeps the newer, or raises the alarm. */
export const compareHeads = async (look: Get = oneLook()): Promise<Check> => {
  try {
    let get = look
    let shown = await newestNote(get)
    if (shown === undefined) return notChecked(name, "the log is still empty")
    const { origin, size } = headOf(shown)
    const kept = keptHeads()[origin]
    const seen = new Date().toISOString()
    if (kept === undefined) {
      const keys = await fetchKeys(get, here())
      await turn()
      signersOf(shown, parseKeyDocument(keys))
      keepHead(origin, { note: shown, seen })
      return { name, ok: true, detail: `the first head of ${origin} that it sees, ${size} entries; kept` }
    }
    const before = headOf(kept.note)
    if (size < before.size) {
      await pause(patience)
      get = oneLook()
      shown = (await newestNote(get)) ?? shown
    }
    const { checks, current } = await verifyGrowth(get, here(), kept.note, trustNow())
    const why = failureOf(checks)
    if (why !== undefined) {
      const found = {
        origin,
        address: here(),
        noticed: seen,
        why,
        kept,
        shown: current,
        keys: await fetchKeys(get, here())
      }
      keepContradiction(found)
      raiseContradiction(found)
      return { name, ok: false, detail: why }
    }
    const now = headOf(current)
    keepHead(origin, { note: current, seen })
    return {
      name,
      ok: true,
      detail:
        now.size === before.size
          ? `the same ${now.size} entries as on ${formatTime(kept.seen)}`
          : `the ${before.size} entries that it saw on ${formatTime(kept.seen)} are the first of the ${now.size} there are now`
    }
  } catch (error) {
    if (error instanceof Malformed) return notChecked(name, error.message)
    throw error
  }
}

/** Checks that the newest head contains the one of a proof, so that the proof is of the log that everybody sees. */
export const checkSameLog = async (note: string, get: Get): Promise<Check> => {
  const title = "newest head"
  try {
    const { checks, current } = await verifyGrowth(get, here(), note, trustNow())
    const why = failureOf(checks)
    return why === undefined && allHold(checks)
      ? {
          name: title,
          ok: true,
          detail: `the ${headOf(note).size} entries of this proof are the first of the ${headOf(current).size} that the service shows now`
        }
      : { name: title, ok: false, detail: why ?? "" }
  } catch (error) {
    if (error instanceof Malformed) return notChecked(title, error.message)
    throw error
  }
}
