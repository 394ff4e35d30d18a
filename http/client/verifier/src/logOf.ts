/** Reads the whole log of a service or of a mirror, for commands that check something against it. */
import { type Check, failed, ofPart } from "../../../../core/proof/check.ts"
import { noEdge } from "../../../../core/proof/edge.ts"
import { type LogEntry, parseEntryBytes } from "../../../../core/proof/entry.ts"
import type { Trust } from "../../../../core/proof/trust.ts"
import { readEntries } from "./monitor/entries.ts"
import { readHead } from "./monitor/head.ts"
import type { Source } from "./monitor/source.ts"

/** The entries of the log under its signed head; undefined if that does not hold. Adds what was checked. */
export const logOf = async (
  source: Source,
  trust: Trust & { readonly now: number },
  checks: Array<Check>
): Promise<ReadonlyArray<LogEntry> | undefined> => {
  const { checks: ofHead, findings, head } = await readHead(source, undefined, trust, trust.now)
  const read = head === undefined ? undefined : await readEntries(source, head.checkpoint, undefined, noEdge)
  const allFindings = [...findings, ...(read?.findings ?? [])]
  for (const { expected, found: actual, reason, what, where } of allFindings)
    checks.push(failed(what, `${where}: expected ${expected}, found ${actual}`, reason))
  // What fails is among the findings.
  checks.push(
    ...ofPart(
      "head",
      ofHead.filter(({ ok }) => ok !== false)
    )
  )
  if (read === undefined || allFindings.length > 0) return undefined
  checks.push({
    name: "head",
    ok: true,
    detail: `${read.entries.length} entries under the signed checkpoint`
  })
  return read.entries.map(parseEntryBytes)
}
