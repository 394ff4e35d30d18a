/** The bundle: one JSON file with everything needed to verify a value offline, even years later. */
import { parseJson } from "./canonical.ts"
import type { SeriesName } from "./leaf.ts"
import * as s from "./shape.ts"

/** An RFC 9162 inclusion proof: hashes in lower-case hex, lowest sibling first. */
export interface InclusionProof {
  readonly index: number
  readonly size: number
  readonly path: ReadonlyArray<string>
}

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

export interface Bundle {
  readonly v: "service-bundle-v1"
  /** The value row as served; absent if the bundle proves an absence. */
  readonly row?: unknown
  /** The series with no reading and the full list of such series; absent if the bundle proves a value. */
  readonly absent?: SeriesName & { readonly list: string }
  /** The leaf's canonical text. */
  readonly leaf: string
  /** The `as_of|value` lines that the leaf's `readings_sha256` commits to, while they are retained. */
  readonly readings?: ReadonlyArray<string>
  /** The leaf in its batch, and the batch's log entry (canonical text). */
  readonly batch: InclusionProof & { readonly entry: string }
  /** The entry in the log, and the signed checkpoint of the log at that size. */
  readonly log: InclusionProof & { readonly checkpoint: string }
  readonly anchor: BundleAnchor
  /** The public-key document, including retired keys. */
  readonly keys: unknown
}

export const bundleTag = "service-bundle-v1"

const lines: s.Member<ReadonlyArray<string>> = {
  is: (value): value is ReadonlyArray<string> => Array.isArray(value) && value.every((one) => s.text.is(one)),
  says: "a list of strings",
  optional: false
}

const nested = <A>(what: string, shape: s.Shape<A>): s.Member<A> => ({
  // Throws its own error, which names the wrong member.
  is: (value): value is A => {
    s.readShape(what, value, shape)
    return true
  },
  says: what,
  optional: false
})

const proofShape = { index: s.count, size: s.count, path: s.hashes }

const bundleShape: s.Shape<Bundle> = {
  v: s.oneOf(bundleTag),
  row: s.optional(s.anything),
  absent: s.optional(nested("absent", { symbol: s.name, metric: s.name, source: s.name, list: s.text })),
  leaf: s.text,
  readings: s.optional(lines),
  batch: nested("batch", { ...proofShape, entry: s.text }),
  log: nested("log", { ...proofShape, checkpoint: s.text }),
  anchor: nested<BundleAnchor>("anchor", {
    network: s.oneOf("bitcoin", "bitcoin-regtest-fixture"),
    status: s.oneOf("none", "pending", "confirmed", "final"),
    reason: s.optional(s.text),
    ots: s.optional(s.text),
    header: s.optional(nested("header", { height: s.count, hex: s.text }))
  }),
  keys: s.anything
}

/** Reads a bundle from its JSON. Throws `Malformed` naming the wrong member. */
export const parseBundle = (json: string): Bundle => readBundle(parseJson(json))

/** Reads a bundle from a parsed document. Throws `Malformed`. */
export const readBundle = (value: unknown): Bundle => s.readShape("the bundle", value, bundleShape)
