/** Checks the document of keys beside a bundle: that the log has it, and that the served key document does not contradict it. */
import { Malformed } from "./bytes.ts"
import { type Check, demand, notChecked, notProved, reading, refused } from "./check.ts"
import type { Checkpoint } from "./checkpoint.ts"
import { verifier } from "./command.ts"
import { type BatchEntry, demandAbout, parseEntry } from "./entry.ts"
import type { FirstKeys, LoggedKeys } from "./evidence.ts"
import { firstEntry, isBeforeFirst } from "./firstEntry.ts"
import { isIncluded } from "./inclusion.ts"
import { isDemoLog, type LogServiceKey, thumbprint } from "./keys.ts"
import { demandServed, type KeysDocument, keysKind, keysSubject, parseKeysDocument } from "./keysDocument.ts"
import { laterHeadOf, type Signed } from "./verifyAgreed.ts"

/** The document, if the log has it under the checkpoint. Throws `Malformed`. */
const readLoggedKeys = (logged: LoggedKeys, checkpoint: Checkpoint): KeysDocument => {
  const entry = parseEntry(logged.entry)
  const document = parseKeysDocument(logged.document)
  demandAbout(
    entry,
    {
      kind: keysKind,
      subject: keysSubject(document),
      simulated: isDemoLog(document.origin),
      text: logged.document
    },
    "the document of keys"
  )
  demand(
    document.origin === checkpoint.origin,
    `the document of keys is of the log ${document.origin}, the checkpoint of ${checkpoint.origin}`,
    "origin"
  )
  demand(
    logged.size === checkpoint.size && isIncluded(logged.entry, logged, checkpoint.root),
    `the inclusion proof does not lead from the entry of the keys to the checkpoint's root`,
    "hash"
  )
  return document
}

/** Throws `Malformed` unless the logged document knows each key that signed the checkpoint. */
export const demandKnown = ({ keys }: KeysDocument, signers: ReadonlyArray<LogServiceKey>): void => {
  const kids = keys.flatMap(({ publicKey, purpose }) => (purpose === "log" ? [thumbprint(publicKey)] : []))
  for (const { kid } of signers)
    demand(
      kids.includes(kid),
      `key ${kid} signed the checkpoint, and the document of keys in the log lacks it`,
      "key"
    )
}

const name = "keys in log"

/** What is said of a head without its document of keys: it covers the batch, so it is not older. */
const withoutKeys = (batch: BatchEntry | undefined): Check<typeof name> => {
  const alone = "of the keys' periods only the key document beside it speaks"
  if (batch === undefined) return notChecked(name, "the batch entry does not hold", "unavailable")
  return isBeforeFirst({ at: batch.closed_at, simulated: batch.simulated }, undefined)
    ? notChecked(name, `made before keys were logged: ${alone}`, "unavailable")
    : notProved(
        name,
        `the keys that the log has are not beside the bundle, and ${alone}; \`${verifier} bundle <file> --url <service>\` fetches them where the service has them`
      )
}

/** Whether the first document of keys came after the bundle's checkpoint. */
export const checkFirstKeys = (
  { head, ...first }: FirstKeys,
  checkpoint: Checkpoint,
  signed: Signed | undefined
): Check<typeof name> => {
  if (signed === undefined)
    return notProved(name, "the signature of the bundle's checkpoint does not hold", "signature")
  try {
    const { index } = firstEntry("keys", first, laterHeadOf(head, checkpoint, signed, "the keys"))
    return index >= checkpoint.size
      ? notChecked(
          name,
          `this head of ${checkpoint.size} entries is older than the first document of keys in the log, entry ${index}`,
          "unavailable"
        )
      : notProved(
          name,
          `the log had keys in entry ${index} already, and their document is not beside the bundle`
        )
  } catch (error) {
    if (error instanceof Malformed) return refused(name, error)
    throw error
  }
}

/** `logged` is undefined if nobody gathered it; `served` is of the bundle's key document, undefined if it cannot be read. */
export const checkLoggedKeys = (
  logged: LoggedKeys | undefined,
  checkpoint: Checkpoint,
  served: Signed | undefined,
  batch: BatchEntry | undefined
): Check<typeof name> => {
  if (logged === undefined) return withoutKeys(batch)
  return reading(
    name,
    () => {
      const document = readLoggedKeys(logged, checkpoint)
      if (served !== undefined) {
        demandServed(document, served.document)
        demandKnown(document, served.signers)
      }
      return document
    },
    ({ keys, n, rotations }) =>
      `document ${n}, entry ${logged.index} of ${logged.size}: ${keys.length} keys and ${rotations.length} rotations${served === undefined ? "" : ", which the key document does not contradict"}`
  ).check
}
