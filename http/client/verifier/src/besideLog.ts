/** What the whole log of a service says of one thing that a reader holds: an old value, or events. */
import { sha256 } from "@noble/hashes/sha2.js"
import { checkLeavesOf } from "../../../../core/proof/batch.ts"
import { CouldNotLook, fromUtf8, Malformed, toHex, utf8 } from "../../../../core/proof/bytes.ts"
import { type Check, demand, notChecked, notProved, ofPart, refused } from "../../../../core/proof/check.ts"
import { type BatchEntry, isBatch, type LogEntry } from "../../../../core/proof/entry.ts"
import { type EventsDocument, eventsKind, parseEvents } from "../../../../core/proof/eventsDocument.ts"
import { fetchOk, type Get, leavesPath, logPath } from "../../../../core/proof/fetched.ts"
import { type Leaf, leafBytes, leafHashHex, parseLeaf, type RowLeaf } from "../../../../core/proof/leaf.ts"
import { fetchLog } from "../../../../core/proof/remote.ts"
import type { Trust } from "../../../../core/proof/trust.ts"
import { verifyEntries } from "../../../../core/proof/verifyLog.ts"
import { parseLeaves } from "./monitor/past.ts"

/** A log that was read whole. */
export interface WholeLog {
  readonly get: Get
  readonly base: string
  readonly entries: ReadonlyArray<LogEntry>
}

/** Reads and checks the whole log; if a check fails, there is none to compare with. Throws `CouldNotLook`. */
export const readLog = async (
  get: Get,
  base: string,
  keys: unknown,
  trust: Trust
): Promise<{ readonly checks: ReadonlyArray<Check>; readonly log: WholeLog | undefined }> => {
  const served = await fetchLog(get, base)
  if (served === undefined) throw new CouldNotLook(`${base} has no log yet`)
  const { checks, entries } = verifyEntries({ ...served, keys, trust })
  return {
    checks: ofPart("log", checks),
    log: entries === undefined ? undefined : { get, base, entries }
  }
}

/** The documents of events that the log has. Throws `CouldNotLook`, and `Malformed` if one is not what the log says. */
export const eventsOf = async ({ base, entries, get }: WholeLog): Promise<ReadonlyArray<EventsDocument>> => {
  const documents: Array<EventsDocument> = []
  for (const entry of entries) {
    if (isBatch(entry) || entry.kind !== eventsKind) continue
    const { body } = await fetchOk(get, `${base}${logPath}/documents/${entry.sha256}`)
    demand(
      toHex(sha256(body)) === entry.sha256,
      `the document of ${entry.subject} is not the one in the log`,
      "hash"
    )
    documents.push(parseEvents(fromUtf8(body)))
  }
  return documents
}

/** The leaves of a batch. Throws `CouldNotLook`, and `Malformed` if they are not those of the log. */
const leavesOf = async ({ base, get }: WholeLog, batch: BatchEntry): Promise<ReadonlyArray<Leaf>> => {
  const { body } = await fetchOk(get, `${base}${leavesPath(batch.days[0])}`)
  const leaves = parseLeaves(body)
  checkLeavesOf(batch, leaves)
  return leaves
}

const name = "newest version"

/** Whether a later batch of the log has a version that takes the leaf's place. `batch` is the entry of the leaf's batch. */
export const checkNewest = async (
  log: WholeLog,
  { batch, leaf: text }: { readonly batch: LogEntry; readonly leaf: string }
): Promise<Check> => {
  const leaf: Leaf = parseLeaf(text)
  if (leaf.kind === "absent" || !isBatch(batch)) return notChecked(name, "an absence has no versions")
  const batches = log.entries.filter(isBatch)
  const place = batches.findIndex(({ root: one }) => one === batch.root)
  if (place < 0)
    return notProved(
      name,
      `the log at ${log.base} does not have the batch of ${batch.days[0]}: it is another log`,
      "origin"
    )
  try {
    let [newest, follows] = [leaf.version, leafHashHex(utf8(text))]
    let day: string | undefined
    for (const later of batches.slice(place + 1)) {
      // A version of an earlier day is late or a revision.
      if (later.n_late + later.n_revisions === 0) continue
      const next = (await leavesOf(log, later)).find(
        (one): one is RowLeaf => one.kind !== "absent" && one.follows === follows
      )
      if (next === undefined) continue
      follows = leafHashHex(leafBytes(next))
      newest = next.version
      day = later.days[0]
    }
    return day === undefined
      ? { name, ok: true, detail: `no batch up to ${batches.at(-1)?.days[0]} has a newer version` }
      : notProved(
          name,
          `superseded by version ${newest}, which the batch of ${day} published`,
          "contradiction"
        )
  } catch (error) {
    if (error instanceof Malformed) return refused(name, error)
    throw error
  }
}
