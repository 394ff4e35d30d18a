/** The anchor of a head or of a document of keys: where its timestamp stands in Bitcoin. */
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

export const anchorMember = s.nested<BundleAnchor>("anchor", {
  network: s.oneOf("bitcoin", "bitcoin-regtest-fixture"),
  status: s.oneOf("none", "pending", "confirmed", "final"),
  reason: s.optional(s.text),
  ots: s.optional(s.text),
  header: s.optional(s.nested("header", { height: s.count, hex: s.text }))
})
