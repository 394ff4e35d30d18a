/** What the log says of a run, compared with what its export holds: code, inputs, bodies and rows, all by their hashes. */
import { createHash } from "node:crypto"
import { sha256 } from "../../core/process/sha256.ts"
import { canonical } from "../../core/proof/canonical.ts"
import { type Check, check, demand, notChecked } from "../../core/proof/check.ts"
import { readRunProof } from "../../core/proof/observed.ts"
import type { Reason } from "../../core/proof/reason.ts"
import { longestUrl, type RanLeaf, type Row, rowsRoot } from "../../core/proof/runLeaf.ts"
import type { Exported } from "./export.ts"

const name = "in the log"

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex")

/** What of an export is not what the leaf commits to. Throws `Malformed`. */
const compare = (leaf: RanLeaf, run: Exported): void => {
  const same = (what: string, here: unknown, there: unknown, reason: Reason = "contradiction") =>
    demand(here === there, `${what} is ${String(here)}, and the leaf has ${String(there)}`, reason)
  const sameHash = (what: string, here: unknown, there: unknown) =>
    same(`the hash of ${what}`, here, there, "hash")
  same("the id", run.id, leaf.run)
  same("the collector", run.plugin, leaf.plugin)
  same("the time that it saw", run.now, leaf.now)
  same("whether it failed", run.status === "failed", leaf.outcome === "failed")
  sameHash("the code", run.code_hash, leaf.code_hash)
  sameHash("the targets", run.targets_sha256, leaf.targets_sha256)
  sameHash("the settings", hashOf(canonical(run.settings)), leaf.settings_sha256)
  same("the number of rows", run.n_rows, leaf.n_rows)
  same("the number of exchanges", run.exchanges.length, leaf.exchanges.length)
  for (const [n, exchange] of run.exchanges.entries()) {
    const there = leaf.exchanges[n]
    const of = (what: string) => `${what} of exchange ${n}`
    const { headers, request_body, url } = exchange
    if (there?.url_sha256 !== undefined) sameHash(of("the address"), hashOf(url), there.url_sha256)
    else same(of("the address"), url.length > longestUrl ? hashOf(url) : url, there?.url)
    same(of("the method"), exchange.method, there?.method)
    sameHash(
      of("the request"),
      request_body === undefined ? undefined : hashOf(request_body),
      there?.request_sha256
    )
    same(of("the time"), exchange.at, there?.at)
    same(of("the status"), exchange.status, there?.status)
    sameHash(
      of("the headers"),
      Object.keys(headers).length === 0 ? undefined : hashOf(canonical(headers)),
      there?.headers_sha256
    )
    sameHash(of("the body"), exchange.sha256, there?.sha256)
    same(of("whether it was confirmed"), exchange.confirmed, there?.confirmed === true)
  }
}

/** Whether a leaf that was checked before, in a copy of the log, is of the run as the export says. */
export const asPublished = (run: Exported, leaf: RanLeaf): Check =>
  check(name, () => {
    compare(leaf, run)
    return `code, targets, settings and ${run.exchanges.length} bodies by their hashes`
  })

/** Whether the log has the run as the export says; the leaf, if it does. */
export const inLog = (run: Exported): { readonly check: Check; readonly leaf: RanLeaf | undefined } => {
  const { observed } = run
  if (observed === undefined)
    return {
      check: notChecked("chain of runs", "the export has no proof that the log has the run"),
      leaf: undefined
    }
  let leaf: RanLeaf | undefined
  const inTheLog = check(name, () => {
    const { run: proven } = readRunProof(observed)
    compare(proven, run)
    leaf = proven
    const { index, size } = observed
    return `run ${index} of ${size} of its hour, entry ${observed.log.index}: code, targets, settings and ${run.exchanges.length} bodies by their hashes`
  })
  return { check: inTheLog, leaf }
}

/** Whether rows that were derived again are those that the leaf commits to. */
export const underRoot = (leaf: RanLeaf | undefined, rows: ReadonlyArray<Row>): ReadonlyArray<Check> =>
  leaf === undefined
    ? []
    : [
        check("rows in the log", () => {
          const root = rowsRoot(rows, sha256)
          demand(
            root === leaf.rows_root,
            `the rows have the root ${root}, the leaf has ${leaf.rows_root}`,
            "hash"
          )
          return `${rows.length} rows under ${root}, so each of them has a path`
        })
      ]
