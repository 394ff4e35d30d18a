/** The head of a log of no entries, for what reads single entries of a log. */
import { parseKeyDocument } from "../../core/proof/keys.ts"
import type { Memory } from "../../http/client/verifier/src/monitor/memory.ts"
import { keys, origin } from "./publication.ts"

export const noHead: Memory["head"] = {
  checkpoint: { origin, size: 0, root: new Uint8Array(32) },
  keys: parseKeyDocument(keys)
}
