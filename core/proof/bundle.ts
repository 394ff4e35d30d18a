/** The bundle: one JSON file with everything needed to verify a value offline, even years later. */
import { anchorMember, type BundleAnchor } from "./anchor.ts"
import { type InclusionProof, proofShape } from "./inclusion.ts"
import { parseJson } from "./json.ts"
import type { AbsentSeries } from "./leaf.ts"
import * as s from "./shape.ts"

/** The incident that keeps a value out of what is served. */
export interface Excluded {
  readonly incident: number
  readonly reason: string
  readonly opened_at: string
}

export interface Bundle {
  readonly v: typeof bundleTag
  /** The value row as served; absent if the bundle proves an absence. */
  readonly row?: unknown
  /** The series without a reading, and the text of the whole list; absent if the bundle proves a value. */
  readonly absent?: AbsentSeries & { readonly list: string }
  /** The leaf's canonical text. */
  readonly leaf: string
  /** The `as_of|value` lines that the leaf's `readings_sha256` commits to, while they are retained. */
  readonly readings?: ReadonlyArray<string>
  /** Present exactly if an open incident excludes the value now, or the leaf has `excluded_by`. */
  readonly excluded?: Excluded
  /** The leaf in its batch, and the batch's log entry (canonical text). */
  readonly batch: InclusionProof & { readonly entry: string }
  /**
   * The entry in the log, and the signed checkpoint of the log at that size. `cosignatures` are signature lines of
   * witnesses on that checkpoint, each without its newline.
   */
  readonly log: InclusionProof & {
    readonly checkpoint: string
    readonly cosignatures?: ReadonlyArray<string>
  }
  readonly anchor: BundleAnchor
  /** The public-key document, including retired keys. */
  readonly keys: unknown
}

export const bundleTag = "service-bundle-v2"

const bundleShape: s.Shape<Bundle> = {
  v: s.oneOf(bundleTag),
  row: s.optional(s.anything),
  absent: s.optional(
    s.nested("absent", {
      symbol: s.name,
      metric: s.name,
      source: s.name,
      ended: s.optional(s.trueOrAbsent),
      list: s.text
    })
  ),
  leaf: s.text,
  readings: s.optional(s.listOf(s.text)),
  excluded: s.optional(
    s.nested<Excluded>("excluded", { incident: s.ordinal, reason: s.nonEmpty, opened_at: s.time })
  ),
  batch: s.nested("batch", { ...proofShape, entry: s.text }),
  log: s.nested("log", { ...proofShape, checkpoint: s.text, cosignatures: s.optional(s.listOf(s.text)) }),
  anchor: anchorMember,
  keys: s.anything
}

/** Reads a bundle from its JSON. Throws `Malformed` naming the wrong member, `Newer` for a later version. */
export const parseBundle = (json: string): Bundle => s.readShape("the bundle", parseJson(json), bundleShape)
