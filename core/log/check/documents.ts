/** Whether stored documents are those that the log commits to. */
import { createHash } from "node:crypto"
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { archiveKind } from "../../proof/archive.ts"
import { isBatch } from "../../proof/entry.ts"
import type { Difference } from "../../proof/finding.ts"
import { rowsOf } from "../../sql/rows.ts"
import type { Placed } from "./entries.ts"

const documentRows = rowsOf({ body: Schema.String })

export const checkDocuments = Effect.fn("log.checkDocuments")(function* (placed: ReadonlyArray<Placed>) {
  const sql = yield* SqlClient.SqlClient
  const findings: Array<Difference> = []
  for (const { entry, place } of placed) {
    // The entry of a signal ledger holds the hash of a row, and the archive's that of a file (`archive.ts`).
    if (isBatch(entry) || entry.kind === "signals" || entry.kind === archiveKind) continue
    const [row] = yield* sql`select body from document where sha256 = ${entry.sha256}`.pipe(documentRows)
    const actual = row === undefined ? undefined : createHash("sha256").update(row.body).digest("hex")
    if (actual === entry.sha256) continue
    findings.push({
      what: "document",
      where: `${entry.kind} ${entry.subject} (entry ${place})`,
      expected: `a document with hash ${entry.sha256}`,
      found: actual === undefined ? "no document" : `one with hash ${actual}`
    })
  }
  return findings
})
