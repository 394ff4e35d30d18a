/** A document of the log as evidence beside a bundle has it that is older: under the served head, which extends the bundle's. */
import { Effect, type Schema } from "effect"
import { toHex } from "../../proof/bytes.ts"
import { consistencyProof } from "../../proof/merkle.ts"
import type { LaterDocument } from "../../proof/verifyLater.ts"
import type { ServedHead } from "../heads.ts"
import { loggedUnder, type storedDocument } from "./loggedDocument.ts"

/** The document beside a bundle of `size` entries; undefined where the served head does not have it yet. */
export const laterDocument = Effect.fnUntraced(function* (
  stored: Schema.Struct<typeof storedDocument>["Type"],
  head: ServedHead,
  size: number
) {
  const { note } = head
  const logged = note === null ? undefined : yield* loggedUnder(stored, head, head.size)
  if (note === null || logged === undefined) return undefined
  const { document, log } = logged
  return {
    document,
    log: { ...log, checkpoint: note, consistency: consistencyProof(head.tree, size).map(toHex) }
  } satisfies LaterDocument
})
