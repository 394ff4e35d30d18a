/** The bundle of a day's value, made of the files of a log alone: a mirror proves what its service says. */
import { type Bundle, bundleTag, rowOf } from "../../../../../core/proof/bundle.ts"
import { CouldNotLook, fromUtf8, toBase64, toHex, utf8 } from "../../../../../core/proof/bytes.ts"
import { type BatchEntry, isBatch } from "../../../../../core/proof/entry.ts"
import { keysPath, leavesPath, logPath } from "../../../../../core/proof/fetched.ts"
import { parseJson } from "../../../../../core/proof/json.ts"
import { leafBytes, type RowLeaf } from "../../../../../core/proof/leaf.ts"
import { inclusionProof, treeOf } from "../../../../../core/proof/merkle.ts"
import { parseLeaves } from "../monitor/past.ts"
import { leafName, nameOf } from "../monitor/series.ts"
import type { Source } from "../monitor/source.ts"
import { entryProof, type FiledLog, fileOf, readFiledLog } from "./log.ts"

/** A value of a day. */
export interface ValueOfDay {
  readonly symbol: string
  readonly metric: string
  readonly day: string
  readonly source?: string
}

interface Sealed {
  readonly leaf: RowLeaf
  readonly index: number
  readonly leaves: ReadonlyArray<Uint8Array>
  readonly place: number
}

/** The newest leaves of a value that no incident excludes, by source. */
const leavesOf = async (log: FiledLog, { day, metric, source, symbol }: ValueOfDay) => {
  const newest = new Map<string, Sealed>()
  for (const [place, entry] of log.entries.entries()) {
    if (!isBatch(entry) || entry.days[0] < day || !mayHave(entry, day)) continue
    const leaves = parseLeaves(utf8(await fileOf(log.source, leavesPath(entry.days[0]))))
    for (const [index, leaf] of leaves.entries()) {
      const isOf =
        leaf.kind !== "absent" &&
        leaf.day === day &&
        leaf.symbol === symbol &&
        leaf.metric === metric &&
        leaf.excluded_by === undefined &&
        (source === undefined || leaf.source === source)
      if (isOf) newest.set(leaf.source, { leaf, index, leaves: leaves.map(leafBytes), place })
    }
  }
  return [...newest.values()]
}

const mayHave = ({ days: [own], n_late, n_revisions }: BatchEntry, day: string): boolean =>
  own === day || n_late + n_revisions > 0

const isWitnessed = (line: string): boolean => line.startsWith("— ")

/** The bundle of the newest version of a value. Throws `CouldNotLook` where the files have none or several, or one is missing. */
export const bundleOfFiles = async (source: Source, value: ValueOfDay): Promise<Bundle> => {
  const log = await readFiledLog(source)
  const [sealed, ...others] = await leavesOf(log, value)
  if (sealed === undefined)
    throw new CouldNotLook(`${source.name} has no value of ${value.symbol} ${value.metric} on ${value.day}`)
  if (others.length > 0)
    throw new CouldNotLook(
      `${[sealed, ...others].map(({ leaf }) => nameOf(leaf)).join(", ")}: --source says which one`
    )
  const { index, leaf, leaves, place } = sealed
  if (leaf.n_observations === 0)
    throw new CouldNotLook(`${leafName(leaf)} counts no reading: it was withdrawn`)
  const { size } = log.tree
  const signed = await fileOf(source, `${logPath}/checkpoints/${size}`)
  const lines = signed.split("\n")
  const cosignatures = log.note.split("\n").filter((line) => isWitnessed(line) && !lines.includes(line))
  const { entry, ...inLog } = entryProof(log, place, size)
  const ots = await source.read(`${logPath}/checkpoints/${size}.ots`)
  return {
    v: bundleTag,
    row: rowOf(leaf),
    leaf: fromUtf8(leaves[index] ?? new Uint8Array()),
    batch: { index, size: leaves.length, path: inclusionProof(treeOf(leaves), index).map(toHex), entry },
    log: { ...inLog, checkpoint: signed, ...(cosignatures.length === 0 ? {} : { cosignatures }) },
    anchor: {
      network: "bitcoin",
      ...(ots === undefined
        ? { status: "none", reason: "the files have no timestamp of this head" }
        : { status: "pending", ots: toBase64(ots) })
    },
    keys: parseJson(await fileOf(source, keysPath))
  }
}
