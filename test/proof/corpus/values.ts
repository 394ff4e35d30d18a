/** Without any key: the value, its leaf and its readings are changed on the way. */
import type { Bundle } from "../../../core/proof/bundle.ts"
import { canonical, isRecord } from "../../../core/proof/canonical.ts"
import { bundleOf } from "../../support/publication.ts"
import { change, type Forgery, group, trueInput, type VerifierInput, verifyTold } from "./table.ts"

const row = (bundle: Bundle, members: object): Bundle => ({
  ...bundle,
  row: { ...(isRecord(bundle.row) ? bundle.row : {}), ...members }
})
const leaf = (bundle: Bundle, members: object): Bundle => ({
  ...bundle,
  leaf: canonical({ ...JSON.parse(bundle.leaf), ...members })
})
const other = bundleOf(3, 3)
const yesterday = bundleOf(2, 2)
const absence = bundleOf(3, 6)
const absent = (members: object) =>
  change((bundle) =>
    bundle.absent === undefined ? bundle : { ...bundle, absent: { ...bundle.absent, ...members } }
  )

const rows: ReadonlyArray<readonly [string, object]> = [
  ["another value", { value: 42 }],
  ["the value as a text", { value: "41.5" }],
  ["no value", { value: null }],
  ["the value in a list", { value: [41.5] }],
  ["an exact text that the leaf does not have", { value_text: "41.50000000000000001" }],
  ["another symbol", { symbol: "AKT" }],
  ["the symbol in lower case", { symbol: "fil" }],
  ["the symbol with a space", { symbol: "FIL " }],
  ["the symbol with a zero-width joiner", { symbol: "FI\u200dL" }],
  ["the symbol in full-width letters, which normalise to it", { symbol: "\uff26\uff29\uff2c" }],
  ["the symbol with a Cyrillic letter", { symbol: "F\u0406L" }],
  ["another metric", { metric: "nodes_online" }],
  ["another source", { source: "better-feed" }],
  ["another unit", { unit: "thousand" }],
  ["another address to look it up", { verify_url: "https://upstream.example/other" }],
  ["a later time", { as_of: "2026-09-04T11:00:01Z" }],
  ["the same time spelled with milliseconds", { as_of: "2026-09-04T11:00:00.000Z" }],
  ["the same time with an offset", { as_of: "2026-09-04T11:00:00+00:00" }],
  ["said to be simulated", { simulated: true }],
  ["said not to be simulated", { simulated: false }],
  ["a note that nothing commits to", { note: "verified twice" }],
  ["a member that objects inherit", { toString: "x" }]
]

const leaves: ReadonlyArray<readonly [string, string, object]> = [
  ["another value", "leaf in batch", { value: 42 }],
  ["another symbol", "leaf in batch", { symbol: "AKT" }],
  ["another metric", "leaf in batch", { metric: "nodes_online" }],
  ["another source", "leaf in batch", { source: "better-feed" }],
  ["another unit", "leaf in batch", { unit: "thousand" }],
  ["another address to look it up", "leaf in batch", { verify_url: "https://upstream.example/other" }],
  ["a later time", "leaf in batch", { as_of: "2026-09-04T11:00:01Z" }],
  ["an exact text", "leaf in batch", { value_text: "41.50000000000000001" }],
  ["an exact text of another number", "leaf", { value_text: "41.51" }],
  ["an exact text in another script", "leaf", { value_text: "\u0664\u0661.5" }],
  ["another number of readings", "leaf in batch", { n_observations: 3 }],
  ["other readings", "leaf in batch", { readings_sha256: "0".repeat(64) }],
  ["another time of recording", "leaf in batch", { recorded_at: "2026-09-04T11:00:05Z" }],
  ["recorded before it was measured", "leaf", { recorded_at: "2026-09-04T10:54:59Z" }],
  ["recorded on 30 February", "leaf", { recorded_at: "2026-02-30T11:00:00Z" }],
  ["another day than its time", "leaf", { day: "2026-09-05" }],
  ["late without being so", "leaf", { kind: "late" }],
  ["of no known kind", "leaf", { kind: "estimate" }],
  ["a first version that follows another", "leaf", { follows: "0".repeat(64) }],
  ["a second version of a reading", "leaf", { version: 2, follows: "0".repeat(64) }],
  ["version 0", "leaf", { version: 0 }],
  ["without observations", "leaf", { n_observations: 0 }],
  ["a name with a NUL", "leaf", { symbol: "FI\0L" }],
  ["a name with a line break", "leaf", { source: "example\nfeed" }],
  ["the format of version 1", "leaf", { v: "service-leaf-v1" }],
  ["the demo's tag without being simulated", "leaf", { v: "service-leaf-v2-demo" }],
  ["simulated without the demo's tag", "leaf", { simulated: true }],
  ["a member of its own", "leaf", { note: "x" }],
  ["excluded by an incident that the bundle does not name", "value", { excluded_by: 7 }]
]

const forgeries: ReadonlyArray<Forgery<VerifierInput>> = [
  ...rows.map(([name, members]) => ({
    name: `a row with ${name}`,
    foundBy: "value",
    forge: change((bundle) => row(bundle, members))
  })),
  ...leaves.map(([name, foundBy, members]) => ({
    name: `row and leaf: ${name}`,
    foundBy,
    forge: change((bundle) => leaf(row(bundle, visibleMembers(members)), members))
  })),
  {
    name: "an incident that nobody logged beside a good value",
    foundBy: "excluded",
    notProved: true,
    forge: change((bundle) => ({
      ...bundle,
      excluded: { incident: 99, reason: "fraud", opened_at: "2026-09-05T12:00:00Z" }
    }))
  },
  { name: "no row", foundBy: "value", forge: change(({ row: _row, ...rest }) => rest) },
  { name: "a row that is a list", foundBy: "value", forge: change((bundle) => ({ ...bundle, row: [] })) },
  {
    name: "an absence beside the row",
    foundBy: "value",
    forge: change((bundle) => ({
      ...bundle,
      ...(absence.absent === undefined ? {} : { absent: absence.absent })
    }))
  },
  {
    name: "another series of the same batch, whole",
    foundBy: "asked for",
    forge: ({ options }) => ({
      bundle: other,
      options: { ...options, about: { symbol: "FIL", metric: "devices_total", day: "2026-09-04" } }
    })
  },
  {
    name: "the day before, whole",
    foundBy: "asked for",
    forge: ({ options }) => ({ bundle: yesterday, options: { ...options, about: { day: "2026-09-04" } } })
  },
  {
    name: "another source, whole",
    foundBy: "asked for",
    forge: ({ bundle, options }) => ({ bundle, options: { ...options, about: { source: "other-feed" } } })
  },
  {
    name: "the leaf and row of another series",
    foundBy: "leaf in batch",
    forge: change((bundle) => ({ ...bundle, leaf: other.leaf, row: other.row }))
  },
  {
    name: "the leaf, row and batch of the day before",
    foundBy: "batch in log",
    forge: change((bundle) => ({
      ...bundle,
      leaf: yesterday.leaf,
      row: yesterday.row,
      batch: yesterday.batch
    }))
  },
  {
    name: "the log of the day before",
    foundBy: "batch in log",
    forge: change((bundle) => ({ ...bundle, log: yesterday.log }))
  },
  ...(
    [
      ["without the first", (lines) => lines.slice(1)],
      ["without the last", (lines) => lines.slice(0, -1)],
      ["in another order", (lines) => lines.toReversed()],
      ["joined in one line", (lines) => [lines.join("\n")]],
      ["none", () => []],
      ["with a space", (lines) => lines.map((line) => `${line} `)],
      ["with the end of lines of another system", (lines) => lines.map((line) => `${line}\r`)]
    ] as ReadonlyArray<readonly [string, (lines: ReadonlyArray<string>) => ReadonlyArray<string>]>
  ).map(([name, how]) => ({
    name: `readings ${name}`,
    foundBy: "readings",
    forge: change((bundle) => ({ ...bundle, readings: how(bundle.readings ?? []) }))
  }))
]

const visibleMembers = (members: object): object =>
  Object.fromEntries(
    Object.entries(members).filter(([name]) =>
      [
        "symbol",
        "metric",
        "value",
        "value_text",
        "unit",
        "source",
        "verify_url",
        "as_of",
        "simulated"
      ].includes(name)
    )
  )

export const values = group("a bundle on its way", () => trueInput(), verifyTold, forgeries)

export const absences = group("a bundle of an absence", () => trueInput(absence), verifyTold, [
  { name: "another symbol", foundBy: "value", forge: absent({ symbol: "FIL" }) },
  { name: "another metric", foundBy: "value", forge: absent({ metric: "devices_total" }) },
  { name: "another source", foundBy: "value", forge: absent({ source: "other-feed" }) },
  { name: "a series that ended, and did not", foundBy: "value", forge: absent({ ended: true }) },
  { name: "an empty list", foundBy: "value", forge: absent({ list: "[]" }) },
  {
    name: "a list with the series that was measured",
    foundBy: "value",
    forge: absent({
      list: '[{"metric":"devices_total","source":"example-feed","symbol":"FIL"}]',
      symbol: "FIL"
    })
  },
  {
    name: "the same list with white space",
    foundBy: "value",
    forge: change((bundle) =>
      bundle.absent === undefined
        ? bundle
        : { ...bundle, absent: { ...bundle.absent, list: `${bundle.absent.list}\n` } }
    )
  },
  {
    name: "the leaf of a value",
    foundBy: "value",
    forge: change((bundle) => ({ ...bundle, leaf: other.leaf }))
  },
  {
    name: "a row instead",
    foundBy: "value",
    forge: change(({ absent: _absent, ...rest }) => ({ ...rest, row: other.row }))
  },
  {
    name: "another cut-off",
    foundBy: "batch entry",
    forge: change((bundle) => leaf(bundle, { cut_off: "2026-09-05T09:00:00Z" }))
  },
  {
    name: "another number of series",
    foundBy: "batch entry",
    forge: change((bundle) => leaf(bundle, { n_series: 2 }))
  },
  {
    name: "the absences of another day",
    foundBy: "batch entry",
    forge: change((bundle) => ({ ...bundle, leaf: bundleOf(2, 6).leaf }))
  },
  {
    name: "another series than was asked for",
    foundBy: "asked for",
    forge: ({ bundle, options }) => ({ bundle, options: { ...options, about: { symbol: "FIL" } } })
  },
  {
    name: "another source than was asked for",
    foundBy: "asked for",
    forge: ({ bundle, options }) => ({ bundle, options: { ...options, about: { source: "other-feed" } } })
  },
  {
    name: "with readings of something",
    foundBy: "readings",
    forge: change((bundle) => ({ ...bundle, readings: ["2026-09-04T11:00:00Z|41.5"] }))
  }
])
