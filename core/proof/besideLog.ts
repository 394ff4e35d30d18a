/** What the whole log of a service says of one thing that a reader holds: an old value, or events. */
import { sha256 } from "@noble/hashes/sha2.js"
import { CouldNotLook, equalBytes, fromHex, fromUtf8, Malformed, toHex, utf8 } from "./bytes.ts"
import { type Check, demand, notProved } from "./check.ts"
import { type BatchEntry, isBatch, type LogEntry } from "./entry.ts"
import { type EventsDocument, eventsKind, parseEvents } from "./eventsDocument.ts"
import { type Leaf, leafHashHex, parseLeaf } from "./leaf.ts"
import { root, treeOf } from "./merkle.ts"
import { fetchLog, fetchOk, type Get, logPath } from "./remote.ts"
import type { Trust } from "./trust.ts"
import { verifyEntries } from "./verifyLog.ts"

/** A log that was read whole, with the checks of its head; without entries if these failed. */
export interface WholeLog {
  readonly get: Get
  readonly base: string
  readonly checks: ReadonlyArray<Check>
  readonly entries: ReadonlyArray<LogEntry>
}

/** Reads and checks the whole log. Throws `CouldNotLook`. */
export const readLog = async (get: Get, base: string, keys: unknown, trust: Trust): Promise<WholeLog> => {
  const log = await fetchLog(get, base)
  if (log === undefined) throw new CouldNotLook(`${base} has no log yet`)
  const { checks, entries = [] } = verifyEntries({ ...log, keys, trust })
  return { get, base, entries, checks: checks.map((one) => ({ ...one, name: `log: ${one.name}` })) }
}

/** The documents of events that the log has. Throws `CouldNotLook`, and `Malformed` if one is not what the log says. */
export const eventsOf = async ({ base, entries, get }: WholeLog): Promise<ReadonlyArray<EventsDocument>> => {
  const documents: Array<EventsDocument> = []
  for (const entry of entries) {
    if (isBatch(entry) || entry.kind !== eventsKind) continue
    const { body } = await fetchOk(get, `${base}${logPath}/documents/${entry.sha256}`)
    demand(toHex(sha256(body)) === entry.sha256, `the document of ${entry.subject} is not the one in the log`)
    documents.push(parseEvents(fromUtf8(body)))
  }
  return documents
}

/** The leaves of a batch. Throws `CouldNotLook`, and `Malformed` if they are not those of its root. */
const leavesOf = async ({ base, get }: WholeLog, { days: [day], root: signed }: BatchEntry) => {
  const { body } = await fetchOk(get, `${base}${logPath}/batches/${day}/leaves`)
  const texts = fromUtf8(body).split("\n").slice(0, -1)
  demand(
    equalBytes(root(treeOf(texts.map(utf8))), fromHex(signed, 32)),
    `the leaves of the batch of ${day} do not have the root that is in the log`
  )
  return texts
}

const name = "newest version"

/** Whether a later batch of the log has a version that takes the leaf's place. `batch` is the entry of the leaf's batch. */
export const checkNewest = async (
  log: WholeLog,
  { batch, leaf: text }: { readonly batch: LogEntry; readonly leaf: string }
): Promise<Check> => {
  const leaf: Leaf = parseLeaf(text)
  if (leaf.kind === "absent" || !isBatch(batch))
    return { name, ok: "not checked", detail: "an absence has no versions" }
  const batches = log.entries.filter(isBatch)
  const place = batches.findIndex(({ root: one }) => one === batch.root)
  if (place < 0)
    return notProved(
      name,
      `the log at ${log.base} does not have the batch of ${batch.days[0]}: it is another log`
    )
  try {
    let [newest, follows] = [leaf.version, leafHashHex(utf8(text))]
    let day: string | undefined
    for (const later of batches.slice(place + 1)) {
      const member = `"follows":"${follows}"`
      const next = (await leavesOf(log, later)).find((one) => one.includes(member))
      if (next === undefined) continue
      const version = parseLeaf(next)
      if (version.kind === "absent") continue
      follows = leafHashHex(utf8(next))
      newest = version.version
      day = later.days[0]
    }
    return day === undefined
      ? { name, ok: true, detail: `no batch up to ${batches.at(-1)?.days[0]} has a newer version` }
      : notProved(name, `superseded by version ${newest}, which the batch of ${day} published`)
  } catch (error) {
    if (error instanceof Malformed) return { name, ok: false, detail: error.message }
    throw error
  }
}
