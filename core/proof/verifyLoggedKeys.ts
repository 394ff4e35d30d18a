/** Checks a bundle's document of keys: that the log has it, and that the served key document does not contradict it. */
import type { Bundle, LoggedKeys } from "./bundle.ts"
import { type Check, demand, notChecked, reading } from "./check.ts"
import type { Checkpoint } from "./checkpoint.ts"
import { demandAbout, parseEntry } from "./entry.ts"
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
    `the document of keys is of the log ${document.origin}, the checkpoint of ${checkpoint.origin}`
  )
  demand(
    logged.size === checkpoint.size && isIncluded(logged.entry, logged, checkpoint.root),
    `the inclusion proof does not lead from the entry of the keys to the checkpoint's root`
  )
  return document
}

/** Throws `Malformed` unless the logged document knows each key that signed the checkpoint. */
export const demandKnown = ({ keys }: KeysDocument, signers: ReadonlyArray<LogServiceKey>): void => {
  const kids = keys.flatMap(({ publicKey, purpose }) => (purpose === "log" ? [thumbprint(publicKey)] : []))
  for (const { kid } of signers)
    demand(
      kids.includes(kid),
      `key ${kid} signed the checkpoint, and the document of keys in the log lacks it`
    )
}

const name = "keys in log"

/** `served` and `signers` are of the bundle's key document, undefined if it cannot be read. */
export const checkLoggedKeys = (
  bundle: Bundle,
  checkpoint: Checkpoint,
  served: { readonly document: KeyDocument; readonly signers: ReadonlyArray<LogServiceKey> } | undefined
): Check => {
  if (bundle.v === "service-bundle-v2")
    return notChecked(
      name,
      "a bundle of version 2 does not have the keys that the log has: of the keys' periods only its key document speaks"
    )
  return reading(
    name,
    () => {
      const document = readLoggedKeys(bundle.logged_keys, checkpoint)
      if (served !== undefined) {
        demandServed(document, served.document)
        demandKnown(document, served.signers)
      }
      return document
    },
    ({ keys, n, rotations }) =>
      `document ${n}, entry ${bundle.logged_keys.index} of ${bundle.logged_keys.size}: ${keys.length} keys and ${rotations.length} rotations${served === undefined ? "" : ", which the key document does not contradict"}`
  ).check
}
