/** Files that prove offline, even years later: a value (`/v1/attest?format=bundle`), and a sale (`/v1/log/sales/{commitment}`). */
import { Schema } from "effect"

const says = (description: string) => ({ description })

/** The timestamp of a checkpoint, whole. */
export const BundleAnchor = Schema.Struct({
  network: Schema.Literals(["bitcoin", "bitcoin-regtest-fixture"]).annotate(
    says("`bitcoin`, or a network of tests, which proves no time")
  ),
  status: Schema.Literals(["none", "pending", "confirmed", "final"]).annotate(
    says("`pending`: not in a block yet; `confirmed`: in a block; `final`: six blocks deep")
  ),
  reason: Schema.optionalKey(Schema.String.annotate(says("Why the status is `none`"))),
  ots: Schema.optionalKey(Schema.String.annotate(says("The checkpoint's `.ots` file in base64"))),
  header: Schema.optionalKey(
    Schema.Struct({
      height: Schema.Int.annotate(says("Height of the block")),
      hex: Schema.String.annotate(says("The block's header: 160 hex digits"))
    }).annotate(says("The block that the proof reaches"))
  )
}).annotate({ identifier: "BundleAnchor", description: "The Bitcoin timestamp of a checkpoint, whole" })

/** Describes the bundle to clients; `core/proof/bundle.ts` parses it. */
export const BundleResponse = Schema.Struct({
  v: Schema.Literal("service-bundle-v2").annotate({ description: "Version of the format" }),
  row: Schema.optionalKey(
    Schema.Unknown.annotate({ description: "The value row, as returned by /v1/attest" })
  ),
  absent: Schema.optionalKey(
    Schema.Unknown.annotate({
      description:
        "Instead of `row`: the `symbol`, `metric` and `source` without a reading, and the text of the day's full `list`"
    })
  ),
  leaf: Schema.String.annotate({ description: "The leaf's bytes: canonical JSON (RFC 8785)" }),
  readings: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({
      description: "The `as_of|value` lines that `readings_sha256` commits to, while readings are retained"
    })
  ),
  excluded: Schema.optionalKey(
    Schema.Unknown.annotate({
      description: "The `incident` that excludes the value from what is served, its `reason` and `opened_at`"
    })
  ),
  batch: Schema.Unknown.annotate({
    description: "`index`, `size` and `path` of the leaf, and the batch's log `entry`"
  }),
  log: Schema.Unknown.annotate({
    description:
      "`index`, `size` and `path` of the entry, the signed `checkpoint`, and `cosignatures` of witnesses"
  }),
  anchor: Schema.Unknown.annotate({
    description: "Bitcoin: `network`, `status`, the `.ots` file in base64, and the block header"
  }),
  keys: Schema.Unknown.annotate({ description: "The public-key document, including retired keys" })
}).annotate({
  identifier: "Bundle",
  description: "Everything needed to verify a value without the service"
})

/** Describes a bundle of version 4 to clients; `core/proof/bundle.ts` parses it. */
export const Bundle4Response = Schema.Struct({
  v: Schema.Literal("service-bundle-v4").annotate({ description: "Version of the format" }),
  leaf: BundleResponse.fields.leaf,
  batch: BundleResponse.fields.batch,
  log: Schema.Unknown.annotate({
    description: "`index`, `size` and `path` of the batch's entry under the head"
  }),
  head: Schema.String.annotate({ description: "The signed checkpoint of the log at that size" }),
  keys: BundleResponse.fields.keys,
  cosignatures: Schema.Array(
    Schema.String.annotate({ description: "A witness's signature line on the head, without its newline" })
  ),
  block: BundleResponse.fields.anchor,
  evidence: Schema.Array(
    Schema.Unknown.annotate({
      description:
        "One kind of evidence: its `kind`, its version `v`, and its members. A reader that does not know a kind checks nothing of it, and says so"
    })
  )
}).annotate({
  identifier: "Bundle4",
  description:
    "Everything needed to verify a value or an absence without the service: an exact spine, and an open list of evidence"
})

/** Describes the proof of a chain to clients; `core/proof/chain/document.ts` parses it. */
export const ChainProofResponse = Schema.Struct({
  v: Schema.Literals(["service-chain-proof-v1", "service-chain-proof-v1-demo"]).annotate({
    description: "Version of the format; in a demo it ends in `-demo`"
  }),
  chain: Schema.String.annotate({
    description: "The chain by CAIP-2, as the collector's node calls it: the proof does not say it"
  }),
  block: Schema.Struct({
    number: Schema.Natural.annotate({ description: "Height of the block" }),
    hash: Schema.String.annotate({ description: "Its hash, lower-case hex" }),
    header: Schema.String.annotate({ description: "The encoded header, lower-case hex" })
  }).annotate({ description: "The block whose state says it" }),
  nodes: Schema.Array(Schema.String).annotate({
    description: "Nodes of the trie, lower-case hex, in the order of their hash"
  }),
  codes: Schema.Array(Schema.String).annotate({ description: "Codes of contracts, lower-case hex" }),
  claims: Schema.Array(Schema.Unknown).annotate({
    description:
      "What was read: of each its `kind`, and the kind's members; of a Substrate chain the `key` and the `value` of the item, of the time and of the runtime's version"
  }),
  simulated: Schema.optionalKey(
    Schema.Literal(true).annotate({ description: "True of a demo: no such chain exists" })
  )
}).annotate({
  identifier: "ChainProof",
  description: "A chain's own proof of what a block says (core/proof/formats/chain.md)"
})

/** Describes who signed a block on its chain to clients; `core/proof/finality/document.ts` parses it. */
export const ChainFinalityResponse = Schema.Struct({
  v: Schema.Literals(["service-chain-finality-v1", "service-chain-finality-v1-demo"]).annotate({
    description: "Version of the format"
  }),
  day: Schema.String.annotate({ description: "The day whose proofs name the block" }),
  chain: Schema.String.annotate({ description: "The chain by CAIP-2" }),
  block: ChainProofResponse.fields.block,
  evidence: Schema.Struct({
    kind: Schema.String.annotate({ description: "What other members it has" })
  }).annotate({ description: "Who signed the block" }),
  simulated: ChainProofResponse.fields.simulated
}).annotate({
  identifier: "ChainFinality",
  description: "Who signed a block on its chain (core/proof/formats/finality.md)"
})

/** Describes the evidence to clients; `core/proof/evidence.ts` parses it. */
export const EvidenceResponse = Schema.Struct({
  v: Schema.Literal("service-evidence-v1").annotate({ description: "Version of the format" }),
  logged_keys: Schema.optionalKey(
    Schema.Unknown.annotate({
      description:
        "The newest `document` of keys under the head, its log `entry`, and the entry's `index`, `size` and `path`"
    })
  ),
  head: Schema.optionalKey(
    Schema.Unknown.annotate({
      description:
        "What the run is under, where its hour was entered after the bundle's head: a signed `checkpoint` that extends it, and the `consistency` proof"
    })
  ),
  unstored: Schema.optionalKey(
    Schema.Unknown.annotate({
      description: "Instead of `observed`: the run, whose rows an earlier release removed"
    })
  ),
  first_runs: Schema.optionalKey(
    Schema.Unknown.annotate({
      description:
        "Instead of `observed`: the first `document` of runs in the log, and its place in the `log`: of earlier hours it has none"
    })
  ),
  first_keys: Schema.optionalKey(
    Schema.Unknown.annotate({
      description:
        "Instead of `logged_keys`: the first `document` of keys in the log, and its place in the `log` under a later `head`"
    })
  ),
  schedule: Schema.optionalKey(
    Schema.Unknown.annotate({
      description: "The schedule of the day of the run: its `document`, and its place in the `log`"
    })
  ),
  first_schedule: Schema.optionalKey(
    Schema.Unknown.annotate({
      description:
        "Instead of `schedule`: the first schedule in the log, which says that it has none of an earlier day"
    })
  ),
  observed: Schema.optionalKey(
    Schema.Unknown.annotate({
      description:
        "The run that observed the value: its `leaf` with `index`, `size` and `path` in the tree of its hour, the value's `row` under the leaf's `rows_root`, the hour's `document`, and that document's place in the `log`"
    })
  ),
  agreement: Schema.optionalKey(
    Schema.Unknown.annotate({
      description:
        "What other operators have of the value: the comparison (`leaf`) with `index`, `size` and `path` in the tree of its day, the day's `document`, and that document's place in the `log` under a signed `checkpoint`, with its `consistency` proof"
    })
  )
}).annotate({
  identifier: "Evidence",
  description: "What the log has of a value beside its bundle, under the same head"
})

/** Describes the proof of a sale to clients; `core/proof/saleProof.ts` parses it. */
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
