/** Verifies a checkpoint: who signed it, when, and that it does not contradict one that was kept. */
import { equalBytes } from "./bytes.ts"
import { type Check, check, demand, notChecked, reading } from "./check.ts"
import { type Checkpoint, parseCheckpointText, parseNote, verifyNote } from "./checkpoint.ts"
import { parseKeyDocument, type ServiceKey } from "./keys.ts"

/** The key of the document that signed a checkpoint of its log, which is the demo's exactly when `simulated`. Throws `Malformed`. */
export const signerOf = (note: string, keys: unknown, simulated?: boolean): ServiceKey => {
  const document = parseKeyDocument(keys)
  const parsed = parseNote(note)
  const { origin } = parseCheckpointText(parsed.text)
  demand(
    origin === document.checkpointOrigin,
    `the checkpoint is of ${origin}, the keys are of ${document.checkpointOrigin}`
  )
  demand(
    simulated === undefined || simulated === origin.endsWith("/demo"),
    "a simulated batch stands in a live log or the other way round"
  )
  const held = verifyNote(
    parsed,
    document.keys.map((key) => key.verifier)
  )
  demand(held !== undefined, "a signature of the service on the checkpoint does not verify")
  const key = document.keys.find((one) => held.includes(one.verifier))
  demand(key !== undefined, "no key of the document signed the checkpoint")
  return key
}

/** That a checkpoint was signed at or after a time. */
export const checkFresh = (time: string | undefined, notBefore: string): Check =>
  check("checkpoint not stale", () => {
    demand(
      time !== undefined && Date.parse(time) >= Date.parse(notBefore),
      `signed ${time ?? "at no stated time"}: stale, older than ${notBefore}`
    )
    return `signed ${time}`
  })

/** That a checkpoint does not contradict a kept one of the same size; of another size it takes the log to say. */
export const checkKept = (checkpoint: Checkpoint, kept: string): Check => {
  const read = reading(
    "kept checkpoint",
    () => {
      const known = parseCheckpointText(parseNote(kept).text)
      demand(known.origin === checkpoint.origin, `the kept checkpoint is of another log, ${known.origin}`)
      demand(
        known.size !== checkpoint.size || equalBytes(known.root, checkpoint.root),
        `two roots for ${known.size} entries: the log shows different histories`
      )
      return known
    },
    (known) => `the same root for ${known.size} entries`
  )
  return read.value === undefined || read.value.size === checkpoint.size
    ? read.check
    : notChecked(
        "kept checkpoint",
        `it is of ${read.value.size} entries, the bundle's of ${checkpoint.size}: \`verify log\` proves that one grew from the other`
      )
}
