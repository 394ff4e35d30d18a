/** The bundle: one JSON file with everything needed to verify a value offline, even years later. */
import { anchorMember, type BundleAnchor } from "./anchor.ts"
import { Malformed } from "./bytes.ts"
import { isRecord } from "./canonical.ts"
import type { Evidence, EvidenceDocument } from "./evidence.ts"
import { type InclusionProof, proofShape } from "./inclusion.ts"
import { parseJson } from "./json.ts"
import {
  type Absence,
  absenceShape,
  type EvidenceItem,
  type Excluded,
  excludedShape,
  type Members,
  readEvidence
} from "./kinds.ts"
import type { RowLeaf } from "./leaf.ts"
import * as s from "./shape.ts"

/** Version 2, which stays as it was released: what the log has of the value beside it is a document of its own (`evidence.ts`). */
export interface Bundle {
  readonly v: typeof bundleTag
  /** The value row as served; absent if the bundle proves an absence. */
  readonly row?: unknown
  /** The series without a reading, and the text of the whole list; absent if the bundle proves a value. */
  readonly absent?: Absence
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

/** The value row of a leaf as it is served. What is absent in the leaf is absent in the row. */
export const rowOf = ({
  as_of,
  metric,
  simulated,
  source,
  symbol,
  unit,
  value,
  value_text,
  verify_url
}: RowLeaf) => ({
  symbol,
  metric,
  value,
  ...(value_text === undefined ? {} : { value_text }),
  unit,
  source,
  verify_url,
  as_of,
  ...(simulated === undefined ? {} : { simulated })
})

export const bundleTag = "service-bundle-v2"

const bundleShape: s.Shape<Bundle> = {
  v: s.oneOf(bundleTag),
  row: s.optional(s.anything),
  absent: s.optional(s.nested("absent", absenceShape)),
  leaf: s.text,
  readings: s.optional(s.listOf(s.text)),
  excluded: s.optional(s.nested("excluded", excludedShape)),
  batch: s.nested("batch", { ...proofShape, entry: s.text }),
  log: s.nested("log", { ...proofShape, checkpoint: s.text, cosignatures: s.optional(s.listOf(s.text)) }),
  anchor: anchorMember,
  keys: s.anything
}

/** Reads a bundle of version 2 from its JSON. Throws `Malformed` naming the wrong member, `Newer` for a later version. */
export const parseBundle = (json: string): Bundle => s.readShape("the bundle", parseJson(json), bundleShape)

/** Version 4: an exact spine, and an open list of evidence. */
export interface Bundle4 {
  readonly v: typeof bundle4Tag
  /** The leaf's canonical text. */
  readonly leaf: string
  /** The leaf in its batch, and the batch's log entry (canonical text). */
  readonly batch: InclusionProof & { readonly entry: string }
  /** The batch's entry in the log, under the head. */
  readonly log: InclusionProof
  /** The signed checkpoint of the log at that size. */
  readonly head: string
  /** The public-key document, including retired keys. */
  readonly keys: unknown
  /** Signature lines of witnesses on the head, each without its newline. */
  readonly cosignatures: ReadonlyArray<string>
  /** Where the head's timestamp stands in Bitcoin. */
  readonly block: BundleAnchor
  /** What else is known of the value, each kind at most once (`kinds.ts`). */
  readonly evidence: ReadonlyArray<EvidenceItem>
}

export const bundle4Tag = "service-bundle-v4"

const bundle4Shape: s.Shape<Bundle4> = {
  v: s.oneOf(bundle4Tag),
  leaf: s.text,
  batch: s.nested("batch", { ...proofShape, entry: s.text }),
  log: s.nested("log", proofShape),
  head: s.text,
  keys: s.anything,
  cosignatures: s.listOf(s.text),
  block: anchorMember,
  evidence: {
    is: (value): value is Bundle4["evidence"] => readEvidence(value) !== undefined,
    says: "a list of evidence",
    optional: false
  }
}

/** Reads a bundle of version 2 or 4. Throws `Malformed` naming the wrong member, `Newer` for a later version. */
export const parseAnyBundle = (json: string): Bundle | Bundle4 => {
  const value = parseJson(json)
  if (!isRecord(value) || typeof value["v"] !== "string" || !value["v"].startsWith("service-bundle-v"))
    throw new Malformed(`no bundle: \`v\` must be ${bundleTag} or ${bundle4Tag}`)
  s.refuseNewer("the bundle", value["v"], [bundleTag, bundle4Tag])
  return value["v"] === bundle4Tag
    ? s.readShape("the bundle", value, bundle4Shape)
    : s.readShape("the bundle", value, bundleShape)
}

/** What of a bundle is checked, whatever its version. */
export interface Parts
  extends Pick<Bundle4, "leaf" | "batch" | "log" | "head" | "keys" | "cosignatures" | "block"> {
  /** The value row beside the leaf, which version 2 has. */
  readonly row?: unknown
  readonly members: Members
  /** Evidence that this verifier does not know. */
  readonly unknown: ReadonlyArray<EvidenceItem>
}

/** What was gathered beside a bundle of version 2, by kind. */
const membersOf = ({
  agreement,
  first_keys,
  logged_keys,
  v: _,
  ...run
}: Partial<EvidenceDocument>): Members => {
  return {
    ...(logged_keys === undefined ? {} : { keys: logged_keys }),
    ...(first_keys === undefined ? {} : { "first-keys": first_keys }),
    ...(Object.keys(run).length > 0 ? { run } : {}),
    ...(agreement === undefined ? {} : { agreement })
  }
}

/**
 * The one adapter of version 2. `beside` is what was gathered beside the bundle; what a bundle of version 4 has itself comes first.
 * Throws `Malformed` for evidence that cannot be read.
 */
export const partsOf = (bundle: Bundle | Bundle4, beside: Evidence = {}): Parts => {
  if (bundle.v === bundle4Tag) {
    const { evidence, v: _, ...spine } = bundle
    const { members, unknown } = readEvidence(evidence)
    return { ...spine, members: { ...membersOf(beside), ...members }, unknown }
  }
  const { absent, anchor, excluded, log, readings } = bundle
  const { checkpoint, cosignatures = [], ...inclusion } = log
  return {
    row: bundle.row,
    leaf: bundle.leaf,
    batch: bundle.batch,
    log: inclusion,
    head: checkpoint,
    keys: bundle.keys,
    cosignatures,
    block: anchor,
    members: {
      ...(absent === undefined ? {} : { absence: absent }),
      ...(excluded === undefined ? {} : { excluded }),
      ...(readings === undefined ? {} : { readings: { lines: readings } }),
      ...membersOf(beside)
    },
    unknown: []
  }
}
