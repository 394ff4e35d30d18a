/** `/v1/log/sales/{commitment}`: one file that proves that the log commits to a sale. */
import { Schema } from "effect"
import { BundleResponse } from "./bundle.ts"

/** Describes the proof to clients; `core/proof/saleProof.ts` parses it. */
export const SaleProofResponse = Schema.Struct({
  v: Schema.Literal("service-sale-proof-v1").annotate({ description: "Version of the format" }),
  commitment: Schema.String.annotate({ description: "As asked for: the `commitment.sha256` of a sale" }),
  tree: Schema.Unknown.annotate({
    description: "`index`, `size` and `path` of the commitment in the tree of its day (RFC 9162)"
  }),
  document: Schema.String.annotate({
    description: "The document of the day's sales: canonical JSON with the tree's root"
  }),
  entry: Schema.String.annotate({ description: "The document's log entry: canonical JSON" }),
  log: BundleResponse.fields.log,
  anchor: BundleResponse.fields.anchor,
  keys: BundleResponse.fields.keys
}).annotate({
  identifier: "SaleProof",
  description: "Everything needed to verify without the service that the log commits to a sale"
})
