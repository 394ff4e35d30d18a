/** Checks the document of keys beside a bundle: that the log has it, and that the served key document does not contradict it. */
import { type Check, demand, notChecked, reading } from "./check.ts"
import type { Checkpoint } from "./checkpoint.ts"
import { demandAbout, parseEntry } from "./entry.ts"
import type { LoggedKeys } from "./evidence.ts"
import { isIncluded } from "./inclusion.ts"
import { isDemoLog, type KeyDocument, type LogServiceKey, thumbprint } from "./keys.ts"
import { demandServed, type KeysDocument, keysKind, keysSubject, parseKeysDocument } from "./keysDocument.ts"

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

/** `logged` is undefined if nobody gathered it; `served` is of the bundle's key document, undefined if it cannot be read. */
export const checkLoggedKeys = (
  logged: LoggedKeys | undefined,
  checkpoint: Checkpoint,
  served: { readonly document: KeyDocument; readonly signers: ReadonlyArray<LogServiceKey> } | undefined
): Check<typeof name> => {
  if (logged === undefined)
    return notChecked(
      name,
      "the keys that the log has are not beside the bundle (`format=evidence`): of the keys' periods only its key document speaks",
      "unavailable"
    )
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
