/** The browser's memory of heads: what a log showed before, it must still contain. */
import { fromUtf8, Malformed } from "../../../../core/proof/bytes.ts"
import { allHold, type Check, failed, notChecked } from "../../../../core/proof/check.ts"
import { parseCheckpointText, parseNote } from "../../../../core/proof/checkpoint.ts"
import { fetchKeys, type Get, logPath } from "../../../../core/proof/fetched.ts"
import { parseKeyDocument } from "../../../../core/proof/keys.ts"
import type { Trust } from "../../../../core/proof/trust.ts"
import { signersOf } from "../../../../core/proof/verifyCheckpoint.ts"
import { verifyGrowth } from "../../../../core/proof/verifyGrowth.ts"
import { formatTime } from "../../html/format.ts"
import type { Contradiction, SeenKeys, StoredHead, Trusted } from "../parts/store.ts"
import { here, oneLook } from "./transport.ts"
import { trustNow } from "./trust.ts"

/** What this browser keeps: a worker cannot read it. */
export interface Memory {
  /** The greatest head that was seen of each log, by its origin. */
  readonly heads: Readonly<Record<string, StoredHead>>
  readonly trusted: Trusted
  readonly keys: SeenKeys
}

/** Whether the log only grew, and what this browser is to keep of it. */
export interface Growth {
  readonly check: Check
  readonly keep?: { readonly origin: string; readonly head: StoredHead }
  readonly contradiction?: Contradiction
}

const name = "this browser's memory"

const headOf = (note: string) => parseCheckpointText(parseNote(note).text)

/** A process of the service, or a cache, may be a little behind. */
const retryDelay = 6000

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

/** Compares the newest head with the one that was kept. */
export const compareHeads = async (
  { heads, trusted }: Pick<Memory, "heads" | "trusted">,
  look: Get = oneLook()
): Promise<Growth> => {
  try {
    let get = look
    let note = await newestNote(get)
    if (note === undefined) return { check: notChecked(name, "the log is still empty") }
    const { origin, size } = headOf(note)
    const storedHead = heads[origin]
    const observedAt = new Date().toISOString()
    if (storedHead === undefined) {
      signersOf(note, parseKeyDocument(await fetchKeys(get, here())))
      return {
        check: { name, ok: true, detail: `the first head of ${origin} that it sees, ${size} entries; kept` },
        keep: { origin, head: { note, seen: observedAt } }
      }
    }
    const before = headOf(storedHead.note)
    if (size < before.size) {
      await pause(retryDelay)
      get = oneLook()
      note = (await newestNote(get)) ?? note
    }
    const { checks, current } = await verifyGrowth(get, here(), storedHead.note, trustNow(trusted))
    const why = failureOf(checks)
    if (why !== undefined) {
      const keys = await fetchKeys(get, here())
      return {
        check: failed(name, why, "contradiction"),
        contradiction: {
          origin,
          address: here(),
          noticed: observedAt,
          why,
          kept: storedHead,
          shown: current,
          keys
        }
      }
    }
    const now = headOf(current)
    const detail =
      now.size === before.size
        ? `the same ${now.size} entries as on ${formatTime(storedHead.seen)}`
        : `the ${before.size} entries that it saw on ${formatTime(storedHead.seen)} are the first of the ${now.size} there are now`
    return { check: { name, ok: true, detail }, keep: { origin, head: { note: current, seen: observedAt } } }
  } catch (error) {
    if (error instanceof Malformed) return { check: notChecked(name, error.message) }
    throw error
  }
}

/** Checks that the newest head contains the one of a proof, so that the proof is of the log that everybody sees. */
export const checkSameLog = async (note: string, trust: Trust, get: Get): Promise<Check> => {
  const title = "newest head"
  try {
    const { checks, current } = await verifyGrowth(get, here(), note, trust)
    const why = failureOf(checks)
    return why === undefined && allHold(checks)
      ? {
          name: title,
          ok: true,
          detail: `the ${headOf(note).size} entries of this proof are the first of the ${headOf(current).size} that the service shows now`
        }
      : failed(title, why ?? "", "contradiction")
  } catch (error) {
    if (error instanceof Malformed) return notChecked(title, error.message)
    throw error
  }
}
