/**
 * A bundle's entry of the log as a transparency log proof (C2SP `tlog-proof@v1`): the text that clients of other logs read. It
 * proves the entry, whose bytes the client needs beside it; the leaf under the entry's root is proved by the bundle alone.
 */
import type { Parts } from "./bundle.ts"
import { fromHex, toBase64 } from "./bytes.ts"
import { withLines } from "./cosignature.ts"

/** The proof's text; files of it are named `.tlog-proof`. */
export const tlogProof = ({
  cosignatures,
  head,
  log
}: Pick<Parts, "cosignatures" | "head" | "log">): string =>
  [
    "c2sp.org/tlog-proof@v1",
    `index ${log.index}`,
    ...log.path.map((hash) => toBase64(fromHex(hash, 32))),
    "",
    withLines(head, cosignatures)
  ].join("\n")
