/** Verifies a checkpoint: who signed it and when, and that it does not contradict a kept one. */
import { equalBytes, Malformed } from "./bytes.ts"
import { type Check, check, demand, notChecked, type Pins, reading } from "./check.ts"
import { type Checkpoint, parseCheckpointText, parseNote, verifyNote } from "./checkpoint.ts"
import { isDemoLog, type KeyDocument, type LogServiceKey } from "./keys.ts"

/**
 * Finds the log keys in the document that signed the checkpoint, and checks that the log is the demo's exactly if
 * `simulated`. Throws `Malformed`.
 */
export const signersOf = (
  note: string,
  document: KeyDocument,
  simulated?: boolean
): ReadonlyArray<LogServiceKey> => {
  const parsed = parseNote(note)
  const { origin } = parseCheckpointText(parsed.text)
  demand(
    origin === document.checkpointOrigin,
    `the checkpoint belongs to ${origin}, but the keys belong to ${document.checkpointOrigin}`,
    "origin"
  )
  demand(
    simulated === undefined || simulated === isDemoLog(origin),
    "the batch and its log disagree on whether they are simulated",
    "contradiction"
  )
  const signed = verifyNote(
    parsed,
    document.log.map((key) => key.verifier)
  )
  demand(signed !== undefined, "a service signature on the checkpoint does not verify", "signature")
  const keys = document.log.filter(({ verifier }) => signed.includes(verifier))
  demand(keys.length > 0, "no log key in the document signed the checkpoint", "signature")
  return keys
}

/**
 * The keys that the caller trusts: those given, else those that signed a checkpoint that he kept. Nothing if neither helps,
 * or if the document cannot be read.
 */
export const pinsOf = (pins: Pins | undefined, earlier: string | undefined, document: KeyDocument): Pins => {
  if (earlier === undefined || (pins ?? []).length > 0) return pins ?? []
  try {
    return signersOf(earlier, document).map(({ kid }) => kid)
  } catch (error) {
    if (error instanceof Malformed) return []
    throw error
  }
}

/** Checks that a checkpoint is at least as new as a time; `time` is one it cannot be older than, if any is known. */
export const checkFresh = (time: string | undefined, notBefore: string): Check =>
  time === undefined
    ? notChecked("checkpoint not stale", "nothing says how old the checkpoint is", "unavailable")
    : check("checkpoint not stale", () => {
        demand(
          Date.parse(time) >= Date.parse(notBefore),
          `stale: of ${time}, not at or after ${notBefore}`,
          "time"
        )
        return `not older than ${time}`
      })

/** Checks a checkpoint against a kept one of the same size. Comparing different sizes takes the log. */
export const checkEarlier = (checkpoint: Checkpoint, earlier: string): Check => {
  const read = reading(
    "kept checkpoint",
    () => {
      const earlierHead = parseCheckpointText(parseNote(earlier).text)
      demand(
        earlierHead.origin === checkpoint.origin,
        `the kept checkpoint belongs to another log, ${earlierHead.origin}`,
        "origin"
      )
      demand(
        earlierHead.size !== checkpoint.size || equalBytes(earlierHead.root, checkpoint.root),
        `two different roots for ${earlierHead.size} entries: the log shows different histories`,
        "contradiction"
      )
      return earlierHead
    },
    (earlierHead) => `the same root for ${earlierHead.size} entries`
  )
  return read.value === undefined || read.value.size === checkpoint.size
    ? read.check
    : notChecked(
        "kept checkpoint",
        `it covers ${read.value.size} entries, the bundle's ${checkpoint.size}; run \`verify log\` to check that one extends the other`
      )
}
