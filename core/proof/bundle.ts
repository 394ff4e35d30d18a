/** The bundle: one JSON file with everything needed to verify a value offline, even years later. */
import { type Agreed, agreedShape } from "./agreed.ts"
import { Malformed } from "./bytes.ts"
import { isRecord } from "./canonical.ts"
import { type InclusionProof, proofShape } from "./inclusion.ts"
import { parseJson } from "./json.ts"
import type { AbsentSeries } from "./leaf.ts"
import { type Observed, observedShape } from "./observed.ts"
import * as s from "./shape.ts"

export interface BundleAnchor {
  /** `bitcoin` or a test network; a proof on one never counts for the other. */
  readonly network: "bitcoin" | "bitcoin-regtest-fixture"
  readonly status: "none" | "pending" | "confirmed" | "final"
  /** Why the status is `none`. */
  readonly reason?: string
  /** The checkpoint's `.ots` file in base64. */
  readonly ots?: string
  /** Header of the block the proof reaches: 160 hex digits. */
  readonly header?: { readonly height: number; readonly hex: string }
}

/** The incident that keeps a value out of what is served. */
export interface Excluded {
  readonly incident: number
  readonly reason: string
  readonly opened_at: string
}

/** A document of keys (`keysDocument.ts`) with its entry, and the entry's place under the bundle's checkpoint. */
export interface LoggedKeys extends InclusionProof {
  /** The log entry's canonical text. */
  readonly entry: string
  /** The document's canonical text. */
  readonly document: string
}

/** The members of both versions. */
export interface BundleParts {
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

/** Under a checkpoint that no document of keys is under, and of earlier releases. */
export interface BundleV2 extends BundleParts {
  readonly v: "service-bundle-v2"
}

export interface BundleV3 extends BundleParts {
  readonly v: "service-bundle-v3"
  /** The newest document of keys under the checkpoint. */
  readonly logged_keys: LoggedKeys
  /** The run that observed the value. */
  readonly observed?: Observed
  /** What other operators have of the value. */
  readonly agreement?: Agreed
}

export type Bundle = BundleV2 | BundleV3

export const bundleTag = "service-bundle-v3"
export const earlierBundleTag = "service-bundle-v2"

export const anchorMember = s.nested<BundleAnchor>("anchor", {
  network: s.oneOf("bitcoin", "bitcoin-regtest-fixture"),
  status: s.oneOf("none", "pending", "confirmed", "final"),
  reason: s.optional(s.text),
  ots: s.optional(s.text),
  header: s.optional(s.nested("header", { height: s.count, hex: s.text }))
})

const partsShape: s.Shape<BundleParts> = {
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

const shapeV2: s.Shape<BundleV2> = { ...partsShape, v: s.oneOf(earlierBundleTag) }
const shapeV3: s.Shape<BundleV3> = {
  ...partsShape,
  v: s.oneOf(bundleTag),
  logged_keys: s.nested("logged_keys", { ...proofShape, entry: s.text, document: s.text }),
  observed: s.optional(s.nested("observed", observedShape)),
  agreement: s.optional(s.nested("agreement", agreedShape))
}

/** Reads a bundle from its JSON. Throws `Malformed` naming the wrong member. */
export const parseBundle = (json: string): Bundle => readBundle(parseJson(json))

/** Reads a bundle from a parsed document. Throws `Malformed`. */
export const readBundle = (value: unknown): Bundle => {
  const what = "the bundle"
  if (!isRecord(value)) throw new Malformed(`${what} must be an object`)
  if (value.v === bundleTag) return s.readShape(what, value, shapeV3)
  if (value.v === earlierBundleTag) return s.readShape(what, value, shapeV2)
  throw new Malformed(`${what}: \`v\` must be ${bundleTag} or ${earlierBundleTag}`)
}
