/** `/v1/attest?format=bundle`: one file that proves a value offline, even years later. */
import { Schema } from "effect"

/** Describes the bundle to clients; `core/proof/bundle.ts` parses it. */
export const BundleResponse = Schema.Struct({
  v: Schema.Literal("service-bundle-v1").annotate({ description: "Version of the format" }),
  row: Schema.optionalKey(
    Schema.Unknown.annotate({ description: "The value row, as returned by /v1/attest" })
  ),
  absent: Schema.optionalKey(
    Schema.Unknown.annotate({
      description:
        "Instead of `row`: the `symbol`, `metric` and `source` with no reading, and the day's full `list`"
    })
  ),
  leaf: Schema.String.annotate({ description: "The leaf's bytes: canonical JSON (RFC 8785)" }),
  readings: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({
      description: "The `as_of|value` lines that `readings_sha256` commits to, while readings are retained"
    })
  ),
  batch: Schema.Unknown.annotate({
    description: "`index`, `size` and `path` of the leaf, and the batch's log `entry`"
  }),
  log: Schema.Unknown.annotate({
    description: "`index`, `size` and `path` of the entry, and the signed `checkpoint`"
  }),
  anchor: Schema.Unknown.annotate({
    description: "Bitcoin: `network`, `status`, the `.ots` file in base64, and the block header"
  }),
  keys: Schema.Unknown.annotate({ description: "The public-key document, including retired keys" })
}).annotate({
  identifier: "Bundle",
  description: "Everything needed to verify a value without the service"
})
