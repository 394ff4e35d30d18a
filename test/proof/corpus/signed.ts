/** With the operator's keys: everything is signed, and what it says contradicts itself. */
import { canonical } from "../../../core/proof/canonical.ts"
import { thumbprint } from "../../../core/proof/keys.ts"
import { publicKeyOf } from "../../support/ed25519.ts"
import {
  absenceLeaf,
  batches,
  batchOf,
  checkpointOf,
  logOf,
  retiredSecret
} from "../../support/publication.ts"
import { type Lie, republished } from "./operator.ts"
import { type Forgery, group, trueInput, type VerifierInput, verifyTold } from "./table.ts"

const day = "2026-09-04"
const table: ReadonlyArray<readonly [name: string, foundBy: string, lie: Lie]> = [
  ["the row another value than the leaf", "value", { row: { value: 42 } }],
  ["the row another source than the leaf", "value", { row: { source: "better-feed" } }],
  [
    "the row hides the exact text",
    "value",
    { leaf: { value_text: "41.50000000000000001" }, row: { value_text: undefined } }
  ],
  ["an excluded value passed as a plain one", "value", { leaf: { excluded_by: 7 } }],
  [
    "the last reading is not the value",
    "readings",
    { readings: [`${day}T06:00:00Z|40`, `${day}T11:00:00Z|42`] }
  ],
  ["the last reading spells the value differently", "readings", { readings: [`${day}T11:00:00Z|41.50`] }],
  ["the last reading is of another time", "readings", { readings: [`${day}T10:00:00Z|41.5`] }],
  [
    "readings of the day before",
    "readings",
    { readings: ["2026-09-03T23:59:59Z|40", `${day}T11:00:00Z|41.5`] }
  ],
  [
    "readings of the day after",
    "readings",
    { readings: [`${day}T11:00:00Z|41.5`, "2026-09-05T00:00:00Z|41.5"] }
  ],
  ["readings out of order", "readings", { readings: [`${day}T11:00:00Z|40`, `${day}T06:00:00Z|41.5`] }],
  ["a reading twice", "readings", { readings: [`${day}T11:00:00Z|41.5`, `${day}T11:00:00Z|41.5`] }],
  [
    "a reading that is no number",
    "readings",
    { readings: [`${day}T06:00:00Z|NaN`, `${day}T11:00:00Z|41.5`] }
  ],
  ["a reading in hexadecimal", "readings", { readings: [`${day}T06:00:00Z|0x28`, `${day}T11:00:00Z|41.5`] }],
  [
    "a reading with a third field",
    "readings",
    { readings: [`${day}T06:00:00Z|40|41`, `${day}T11:00:00Z|41.5`] }
  ],
  ["a reading of no time", "readings", { readings: ["|40", `${day}T11:00:00Z|41.5`] }],
  ["a reading of hour 25", "readings", { readings: [`${day}T25:00:00Z|40`, `${day}T11:00:00Z|41.5`] }],
  ["fewer readings counted", "readings", { leaf: { n_observations: 1 } }],
  [
    "a withdrawn value with readings",
    "leaf",
    { leaf: { n_observations: 0, version: 2, kind: "revision", follows: "0".repeat(64) } }
  ],
  [
    "a withdrawn value that commits to a reading",
    "leaf",
    {
      leaf: {
        n_observations: 0,
        version: 2,
        kind: "revision",
        follows: "0".repeat(64),
        readings_sha256: "1".repeat(64)
      }
    }
  ],
  [
    "a reading beyond every double",
    "readings",
    { readings: [`${day}T06:00:00Z|1e999`, `${day}T11:00:00Z|41.5`] }
  ],
  [
    "a late leaf recorded after its batch was closed",
    "batch entry",
    {
      leaf: { kind: "late", recorded_at: "2027-09-05T09:00:00Z" },
      entry: { n_readings: 5, n_late: 1 }
    }
  ],
  ["the exact text another number", "leaf", { leaf: { value_text: "41.6" } }],
  ["the exact text not a number", "leaf", { leaf: { value_text: "many" } }],
  ["the day another than the time's", "leaf", { leaf: { day: "2026-09-03" } }],
  ["recorded an hour before it was measured", "leaf", { leaf: { recorded_at: `${day}T10:00:00Z` } }],
  ["late by name alone", "leaf", { leaf: { kind: "late" } }],
  ["a revision of the first version", "leaf", { leaf: { kind: "revision" } }],
  ["a NUL in a name", "leaf", { leaf: { symbol: "FIL\0" } }],
  ["a C1 control character in a name", "leaf", { leaf: { symbol: "FIL\u0085" } }],
  ["a leaf with a note", "leaf", { leaf: { note: "trust me" } }],
  ["a leaf without its source", "leaf", { leaf: { source: undefined } }],
  ["a value that is a text", "leaf", { leaf: { value: "41.5" } }],
  ["a fraction of an observation", "leaf", { leaf: { n_observations: 1.5 } }],
  ["more observations than integers go", "leaf", { leaf: { n_observations: 2 ** 53 } }],
  ["a reading after the cut-off", "batch entry", { leaf: { recorded_at: "2026-09-05T08:00:01Z" } }],
  [
    "a reading of an earlier day",
    "batch entry",
    { leaf: { day: "2026-09-03", as_of: "2026-09-03T11:00:00Z" }, readings: ["2026-09-03T11:00:00Z|41.5"] }
  ],
  [
    "a reading of a later day",
    "batch entry",
    {
      leaf: { day: "2026-09-05", as_of: "2026-09-05T01:00:00Z", recorded_at: "2026-09-05T01:00:00Z" },
      readings: ["2026-09-05T01:00:00Z|41.5"]
    }
  ],
  [
    "a simulated leaf in a live batch",
    "batch entry",
    { leaf: { v: "service-leaf-v2-demo", simulated: true } }
  ],
  ["a batch of another day", "batch entry", { entry: { days: ["2026-09-03"] } }],
  ["a batch of two days", "batch entry", { entry: { days: [day, "2026-09-05"] } }],
  ["a batch of no day", "batch entry", { entry: { days: [] } }],
  ["a batch of 31 September", "batch entry", { entry: { days: ["2026-09-31"] } }],
  ["closed before its cut-off", "batch entry", { entry: { closed_at: "2026-09-05T07:59:59Z" } }],
  ["cut off before the end of the day", "batch entry", { entry: { cut_off: `${day}T23:59:59Z` } }],
  [
    "closed three hours late, and says in time",
    "batch entry",
    { entry: { closed_at: "2026-09-05T11:00:00Z" } }
  ],
  ["closed in time, and says late", "batch entry", { entry: { late: true } }],
  ["a late leaf counted that is not there", "batch entry", { entry: { n_late: 1 } }],
  ["a reading not counted", "batch entry", { entry: { n_readings: 5 } }],
  ["a count below zero", "batch entry", { entry: { n_readings: 8, n_late: -2 } }],
  ["a count as a text", "batch entry", { entry: { n_readings: "6" } }],
  [
    "readings counted as revisions, and none left",
    "batch entry",
    { entry: { n_readings: 0, n_revisions: 6 } }
  ],
  ["readings counted as late, and none left", "batch entry", { entry: { n_readings: 0, n_late: 6 } }],
  ["a bigger tree than the proof's", "batch entry", { entry: { tree_size: 8, n_late: 1 } }],
  ["an empty tree", "batch entry", { entry: { tree_size: 0, n_readings: 0 } }],
  ["a root in upper case", "batch entry", { entry: { root: "A".repeat(64) } }],
  ["a batch of version 1", "batch entry", { entry: { v: "service-batch-v1" } }],
  ["a batch with a member of its own", "batch entry", { entry: { note: "x" } }],
  [
    "a simulated batch in a live log",
    "checkpoint signature",
    {
      leaf: { v: "service-leaf-v2-demo", simulated: true },
      entry: { v: "service-batch-v2-demo", simulated: true }
    }
  ],
  [
    "a document in the batch's place",
    "batch in log",
    {
      log: (texts) =>
        texts.with(
          3,
          canonical({
            v: "service-entry-v2",
            kind: "brief",
            sha256: "0".repeat(64),
            subject: "x",
            recorded_at: `${day}T11:00:00Z`
          })
        )
    }
  ],
  ["a block older than the batch", "timestamp", { stampedAt: "2026-09-05T05:59:59Z" }],
  ["signed with a key that was not given", "operator's key", { secret: retiredSecret }]
]

const entries = batches.map(({ entry }) => entry)
const fork = checkpointOf(
  logOf([
    ...entries.slice(0, 2),
    batchOf("2026-09-03", [absenceLeaf("2026-09-03")]).entry,
    ...entries.slice(3, 4)
  ])
)

const moved = (texts: ReadonlyArray<string>) => [
  ...texts.slice(0, 2),
  ...texts.slice(3),
  ...texts.slice(2, 3)
]

const forgeries: ReadonlyArray<Forgery<VerifierInput>> = [
  {
    name: "a value after the absence leaf",
    foundBy: "batch entry",
    says: /the absence leaf is the last/,
    forge: ({ options }) => ({ bundle: republished({ leaves: moved, at: 6 }), options })
  },
  {
    name: "signed with a key that had ended, whoever gave it",
    foundBy: "key in use",
    notProved: true,
    forge: ({ options }) => ({
      bundle: republished({ secret: retiredSecret }),
      options: { ...options, pins: [thumbprint(publicKeyOf(retiredSecret))] }
    })
  },
  ...table.map(
    ([name, foundBy, lie]): Forgery<VerifierInput> => ({
      name,
      foundBy,
      forge: ({ options }) => ({ bundle: republished(lie), options })
    })
  ),
  {
    name: "another history than the one that was kept",
    foundBy: "kept checkpoint",
    says: /different histories/,
    forge: ({ bundle, options }) => ({ bundle, options: { ...options, kept: fork } })
  },
  {
    name: "a log rewritten since the kept checkpoint of the same size",
    foundBy: "kept checkpoint",
    forge: ({ bundle, options }) => ({
      bundle: republished({ leaf: { unit: "thousand" } }),
      options: { ...options, kept: bundle.log.checkpoint }
    })
  },
  {
    name: "an old batch to one who asks for a newer",
    foundBy: "checkpoint not stale",
    forge: ({ bundle, options }) => ({ bundle, options: { ...options, notBefore: "2026-09-05T08:00:01Z" } })
  },
  {
    name: "a head that no given witness saw",
    foundBy: "witnesses",
    notProved: true,
    forge: ({ bundle, options }) => ({ bundle, options: { ...options, quorum: { least: 1, members: [] } } })
  }
]

export const signed = group(
  "a bundle signed anew by its operator",
  () => trueInput(republished()),
  verifyTold,
  forgeries
)
