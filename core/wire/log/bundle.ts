/** `/v1/attest?format=bundle`: one file that proves a value years later with no network. */
import { Schema } from "effect"

/** The bundle as it is described to clients; `core/proof/bundle.ts` reads it member by member. */
export const BundleResponse = Schema.Struct({
  v: Schema.Literal("service-bundle-v1").annotate({ description: "Version of the format" }),
  row: Schema.optionalKey(
    Schema.Unknown.annotate({ description: "The value row, as /v1/attest answers it" })
  ),
  absent: Schema.optionalKey(
    Schema.Unknown.annotate({
      description:
        "In place of `row`: `symbol`, `metric`, `source` without a reading, and the day's whole `list`"
    })
  ),
  leaf: Schema.String.annotate({ description: "The leaf's bytes: canonical JSON (RFC 8785)" }),
  readings: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({
      description: "The lines `as_of|value` that `readings_sha256` commits to, while readings are kept"
    })
  ),
  batch: Schema.Unknown.annotate({
    description: "`index`, `size`, `path` of the leaf, and the batch's log `entry`"
  }),
  log: Schema.Unknown.annotate({
    description: "`index`, `size`, `path` of the entry, and the signed `checkpoint`"
  }),
  anchor: Schema.Unknown.annotate({
    description: "Bitcoin: `network`, `status`, the `.ots` in base64, the block header"
  }),
  keys: Schema.Unknown.annotate({ description: "The public-key document with its retired keys" })
}).annotate({
  identifier: "Bundle",
  description: "Everything that is needed to check a value without the service"
})
