/**
 * The demo's second operator, who seals each day in a log of his own. His files are made when the service reads them, of what the demo
 * has: he does not read every source, and of one figure he has another number.
 */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { sha256 } from "../../../core/log/leaves.ts"
import { Observers, ObserverTrouble } from "../../../core/log/observers/Observers.ts"
import { closedAfter, eachComparable } from "../../../core/log/observers/ownLeaves.ts"
import { isoTime } from "../../../core/plugin/Value.ts"
import { toHex, utf8 } from "../../../core/proof/bytes.ts"
import { checkpointText, noteText, signatureLine, verifierOf } from "../../../core/proof/checkpoint.ts"
import { type BatchEntry, entryBytes, isBatch, parseEntry } from "../../../core/proof/entry.ts"
import { leavesPath, logPath } from "../../../core/proof/fetched.ts"
import { absenceList, cutOffOf, leafText, type RowLeaf } from "../../../core/proof/leaf.ts"
import { root, treeOf } from "../../../core/proof/merkle.ts"
import { entryBundle, parseTilePath, tileBytes, tileWidth } from "../../../core/proof/tiles.ts"
import { storedFact, storeFact } from "../../../core/sql/keyValue.ts"
import { otherNumber } from "../script.ts"
import { party } from "./parties.ts"

/** Names the fact that has the entries of his log, one a line. */
const logFact = "simulated_operator_log"

/** Days that he seals at once: those that are compared (`AgreementLog.ts`). */
const mostDays = 3

/** He reads the sources of three networks in four. */
const isHis = ({ symbol }: RowLeaf): boolean => (createHash("sha256").update(symbol).digest()[0] ?? 0) % 4 > 0

const asHis = (leaf: RowLeaf): RowLeaf => {
  if (leaf.symbol !== otherNumber.symbol || leaf.metric !== otherNumber.metric) return leaf
  const { value_text: _, ...rest } = leaf
  return { ...rest, value: Math.round(leaf.value * otherNumber.factor) }
}

const absences = absenceList([])

/** The leaves of his batch of a day, as text. */
const leavesOf = Effect.fn("SimulatedOperator.leavesOf")(function* (day: string) {
  const lines: Array<string> = []
  yield* eachComparable(day, ({ leaf }) => {
    if (leaf.kind === "reading" && isHis(leaf)) lines.push(leafText(asHis(leaf)))
  })
  const absent = leafText({
    v: "service-leaf-v2-demo",
    kind: "absent",
    day,
    cut_off: isoTime(cutOffOf(day)),
    n_series: absences.count,
    series_sha256: absences.sha256,
    simulated: true
  })
  return [...lines, absent]
})

const batchOf = (day: string, leaves: ReadonlyArray<string>): BatchEntry => ({
  v: "service-batch-v2-demo",
  days: [day],
  cut_off: isoTime(cutOffOf(day)),
  closed_at: isoTime(cutOffOf(day)),
  late: false,
  root: toHex(root(treeOf(leaves.map(utf8), sha256), sha256)),
  tree_size: leaves.length,
  n_readings: leaves.length - 1,
  n_late: 0,
  n_revisions: 0,
  n_absent: absences.count,
  absent_sha256: absences.sha256,
  simulated: true
})

const storedEntries = Effect.map(storedFact(logFact), (text) => (text === undefined ? [] : text.split("\n")))

const dayOf = (text: string | undefined): string | undefined => {
  const entry = text === undefined ? undefined : parseEntry(text)
  return entry !== undefined && isBatch(entry) ? entry.days[0] : undefined
}

/** The entries of his log, to which he adds the days that were closed since; the newest day is his first. */
const caughtUp = Effect.gen(function* () {
  const entries = [...(yield* storedEntries)]
  const days = yield* closedAfter(dayOf(entries.at(-1)), mostDays)
  if (days.length === 0) return entries
  for (const day of days)
    entries.push(Buffer.from(entryBytes(batchOf(day, yield* leavesOf(day)))).toString("utf8"))
  yield* storeFact(logFact, entries.join("\n"))
  return entries
})

/** A file of his by its path, except his head. */
const fileOf = Effect.fnUntraced(function* (path: string) {
  const entries = (yield* storedEntries).map(utf8)
  const day = path.split("/").at(-2) ?? ""
  if (path === leavesPath(day)) return utf8(`${(yield* leavesOf(day)).join("\n")}\n`)
  const tile = parseTilePath(path.slice(`${logPath}/tile/`.length))
  if (tile === undefined) return undefined
  const { index, level, width } = tile
  return level === "entries"
    ? entryBundle(entries.slice(index * tileWidth, index * tileWidth + width))
    : tileBytes(treeOf(entries, sha256), { level, index, width })
})

export const operator = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { name, publicKey, sign } = yield* party("operator")
  const key = verifierOf(name, publicKey)
  const head = Effect.map(caughtUp, (entries) => {
    if (entries.length === 0) return undefined
    const tree = treeOf(entries.map(utf8), sha256)
    const text = checkpointText({ origin: name, size: tree.size, root: root(tree, sha256) })
    return utf8(noteText(text, [signatureLine(key, sign(utf8(text)))]))
  })
  return Observers.of({
    all: [{ key, url: `https://${name.split("/")[0]}` }],
    read: (_, path) =>
      (path === `${logPath}/checkpoint` ? head : fileOf(path)).pipe(
        Effect.provideService(SqlClient.SqlClient, sql),
        Effect.mapError(({ message }) => new ObserverTrouble({ state: "silent", why: message }))
      )
  })
})
