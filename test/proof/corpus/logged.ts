/** What the log has beside a bundle: the keys of the service, and the run that observed the value. */
import { sha256 } from "@noble/hashes/sha2.js"
import type { Bundle } from "../../../core/proof/bundle.ts"
import { toHex, utf8 } from "../../../core/proof/bytes.ts"
import { canonical } from "../../../core/proof/canonical.ts"
import { type Evidence, evidenceTag, type LoggedKeys, parseEvidence } from "../../../core/proof/evidence.ts"
import { keyDocument, type PublishedKey } from "../../../core/proof/keys.ts"
import { keysText } from "../../../core/proof/keysDocument.ts"
import { leafBytes, leafHashHex, parseLeaf, type RowLeaf } from "../../../core/proof/leaf.ts"
import { inclusionProof, root, treeOf } from "../../../core/proof/merkle.ts"
import type { Observed } from "../../../core/proof/observed.ts"
import { type Row, rowsRoot, rowText } from "../../../core/proof/runLeaf.ts"
import {
  batches,
  bothPurposes,
  bundleOf,
  checkpointOf,
  hexes,
  origin,
  publishedKeys,
  retiredSecret,
  secret,
  stamped
} from "../../support/publication.ts"
import { rotated } from "../lies/story.ts"
import { change, type Forgery, group, now, trueInput, verifyTold } from "./table.ts"

const hash = (text: string): string => toHex(sha256(utf8(text)))

/** What a hostile operator can log, and sign and stamp anew. */
export interface Logged {
  readonly document?: string
  readonly entry?: Readonly<Record<string, unknown>>
  readonly hour?: Readonly<Record<string, unknown>>
  readonly hourEntry?: Readonly<Record<string, unknown>>
  /** The leaf of the run, and the rows that it gave in the place of the value's. */
  readonly run?: Readonly<Record<string, unknown>>
  readonly rows?: (value: Row) => ReadonlyArray<Row>
  /** A schedule that the log has before the hour, which names it. */
  readonly schedule?: Readonly<Record<string, unknown>>
  readonly scheduledAt?: string
  /** The hour does not name it. */
  readonly denied?: true
  /** Statements of notaries about the run. */
  readonly notes?: ReadonlyArray<string>
  /** What other operators have of the value: members of the day's document, and of the comparison. */
  readonly agreement?: { readonly document?: object; readonly leaf?: object }
}

/** The keys of the rotation of the lying logs. */
const rotatedKeys = [
  ...bothPurposes(secret, "2026-09-01T12:00:00Z", null),
  ...bothPurposes(retiredSecret, "2026-08-01T00:00:00Z", "2026-10-01T12:00:00Z")
]
/** A run of the collector that gave these rows. */
const runOf = (run: string, rows: ReadonlyArray<Row>, more: object = {}) =>
  canonical({
    v: "service-run-v1",
    run,
    plugin: "feed",
    began: "2026-09-04T11:00:00Z",
    ended: "2026-09-04T11:00:01Z",
    now: "2026-09-04T11:00:00Z",
    outcome: "stored",
    code_hash: "a".repeat(64),
    targets_sha256: "b".repeat(64),
    settings_sha256: "c".repeat(64),
    rows_root: rowsRoot(rows),
    n_rows: rows.length,
    n_refused: 0,
    exchanges: [],
    ...more
  })

export const entryOf = (kind: string, subject: string, text: string, more: object = {}) =>
  canonical({
    v: "service-entry-v2",
    kind,
    subject,
    sha256: hash(text),
    recorded_at: "2026-09-05T08:00:00Z",
    ...more
  })

export /** The schedule of the day of the run, on which the feed is due every hour. */
const scheduleOf = (more: object) =>
  canonical({
    v: "service-schedule-v1",
    n: 2,
    day: "2026-09-04",
    feeds: [{ plugin: "feed", every: 3600, first: "2026-09-04T00:00:00Z" }],
    ...more
  })

interface Proved {
  readonly bundle: Bundle
  readonly evidence: Evidence & { readonly logged_keys: LoggedKeys; readonly observed: Observed }
}

/** What one other operator has of the value: the same. */
const comparedWith = (value: RowLeaf, lie: NonNullable<Logged["agreement"]>) => {
  const leaf = canonical({
    v: "service-agreement-leaf-v1",
    symbol: value.symbol,
    metric: value.metric,
    source: value.source,
    day: value.day,
    leaf_hash: leafHashHex(leafBytes(value)),
    tolerance: { relative: 0.01 },
    seen: [
      { observer: 0, relation: "equal", value: value.value, as_of: value.as_of, leaf_hash: "d".repeat(64) }
    ],
    ...lie.leaf
  })
  const document = canonical({
    v: "service-agreement-v1",
    day: value.day,
    observers: [
      {
        origin: "other.example/log",
        key: "kid-1",
        state: "read",
        size: 9,
        root: "e".repeat(64),
        batch_root: "f".repeat(64)
      }
    ],
    n_compared: 1,
    n_equal: 1,
    n_close: 0,
    n_differs: 0,
    n_silent: 0,
    root: toHex(root(treeOf([utf8(leaf)]))),
    tree_size: 1,
    ...lie.document
  })
  return { leaf, document, entry: entryOf("agreement", value.day, document) }
}

/** A bundle in whose log the keys and the hour come before the batch, and what the log has beside it. */
export const loggedBundle = (lie: Logged = {}): Proved => {
  const place = 3
  const parts = bundleOf(place, 2)
  const value = parseLeaf(parts.leaf) as RowLeaf
  const rows = [{ ...value, metric: "another" }, ...(lie.rows?.(value) ?? [value])]
  const runs = [runOf("1", []), runOf("2", rows, lie.run), runOf("3", [])]
  const tree = treeOf(runs.map(utf8))
  const compared = lie.agreement === undefined ? undefined : comparedWith(value, lie.agreement)
  const document = lie.document ?? keysText({ n: 1, origin, keys: publishedKeys, rotations: [] })
  const schedule = lie.schedule === undefined ? undefined : scheduleOf(lie.schedule)
  const hour = canonical({
    ...(schedule === undefined || lie.denied === true ? {} : { schedule: hash(schedule) }),
    v: "service-runs-v1",
    n: 7,
    hour: "2026-09-04T11",
    late: false,
    root: toHex(root(tree)),
    tree_size: runs.length,
    n_late: 0,
    n_skipped: 0,
    n_exchanges: 0,
    n_notarised: 0,
    notaries: [],
    ...lie.hour
  })
  const entry = entryOf("keys", "1", document, lie.entry)
  const hourEntry = entryOf("runs", String(JSON.parse(hour).hour), hour, {
    recorded_at: "2026-09-04T12:04:00Z",
    ...lie.hourEntry
  })
  const texts = [
    ...batches.slice(0, place).map((one) => canonical(one.entry)),
    entry,
    ...(schedule === undefined
      ? []
      : [
          entryOf("schedule", String(JSON.parse(schedule).day), schedule, {
            recorded_at: lie.scheduledAt ?? "2026-09-03T23:30:00Z"
          })
        ]),
    hourEntry,
    parts.batch.entry,
    ...(compared === undefined ? [] : [compared.entry])
  ]
  const hourPlace = place + (schedule === undefined ? 1 : 2)
  const log = treeOf(texts.map(utf8))
  const at = (index: number) => ({ index, size: log.size, path: hexes(inclusionProof(log, index)) })
  const checkpoint = checkpointOf(log)
  const bundle: Bundle = {
    ...parts,
    log: { ...at(hourPlace + 1), checkpoint },
    anchor: {
      network: "bitcoin-regtest-fixture",
      status: "confirmed",
      ...stamped(utf8(checkpoint), "2026-09-05T09:00:00Z")
    }
  }
  const evidence = {
    logged_keys: { ...at(place), entry, document },
    observed: {
      leaf: runs[1] ?? "",
      row: { index: 1, path: hexes(inclusionProof(treeOf(rows.map((row) => utf8(rowText(row)))), 1)) },
      index: 1,
      size: tree.size,
      path: hexes(inclusionProof(tree, 1)),
      document: hour,
      log: { ...at(hourPlace), entry: hourEntry },
      ...(lie.notes === undefined ? {} : { notes: lie.notes })
    },
    ...(compared === undefined
      ? {}
      : {
          agreement: {
            index: 0,
            size: 1,
            path: [],
            leaf: compared.leaf,
            document: compared.document,
            log: { ...at(hourPlace + 2), entry: compared.entry, checkpoint, consistency: [] }
          }
        }),
    ...(schedule === undefined
      ? {}
      : { schedule: { document: schedule, log: { ...at(place + 1), entry: texts[place + 1] ?? "" } } })
  }
  return { bundle, evidence }
}

export type Input = ReturnType<typeof trueInput>
export const inputOf = ({
  bundle,
  evidence
}: {
  readonly bundle: Bundle
  readonly evidence: Evidence
}): Input => trueInput(bundle, { evidence })
/** Read as a service answers it. */
export const verifyBoth = ({ bundle, options }: Input) =>
  verifyTold({
    bundle,
    options: {
      ...options,
      evidence: parseEvidence(JSON.stringify({ v: evidenceTag, ...options.evidence }))
    }
  })
export const changeEvidence =
  (how: (evidence: Evidence) => Evidence) =>
  ({ bundle, options }: Input): Input => ({
    bundle,
    options: { ...options, evidence: how(options.evidence ?? {}) }
  })

const good = loggedBundle()
const logged = (how: (keys: LoggedKeys) => Partial<LoggedKeys>) =>
  changeEvidence(({ logged_keys: keys, ...all }) =>
    keys === undefined ? all : { ...all, logged_keys: { ...keys, ...how(keys) } }
  )
const lied = (lie: Logged) => () => inputOf(loggedBundle(lie))
/** Another list of keys beside the bundle; the keys' status is as it follows from it. */
const served = (keys: ReadonlyArray<PublishedKey>) =>
  change((bundle) => ({ ...bundle, keys: keyDocument({ origin, keys, now }) }))
const retired = (how: (key: PublishedKey) => Partial<PublishedKey>) =>
  publishedKeys.map((key) => (key.notAfter === null ? key : { ...key, ...how(key) }))
const documentOf = (keys: ReadonlyArray<PublishedKey>, name = origin) =>
  keysText({ n: 1, origin: name, keys, rotations: [] })
const inLog = (name: string, forge: (it: Input) => Input, says?: RegExp): Forgery<Input> => ({
  name,
  foundBy: "keys in log",
  forge,
  ...(says === undefined ? {} : { says })
})

export const loggedKeys = group("a bundle with the keys of the log", () => inputOf(good), verifyBoth, [
  inLog(
    "a retired key served as ended later",
    served(retired(() => ({ notAfter: "2026-12-01T00:00:00Z" }))),
    /ends at/
  ),
  inLog(
    "a retired key served as ended earlier",
    served(retired(() => ({ notAfter: "2026-08-19T00:00:00Z" }))),
    /ends at/
  ),
  inLog("a retired key served as current", served(retired(() => ({ notAfter: null }))), /no end/),
  inLog(
    "a retired key that is not served",
    served(publishedKeys.filter(({ notAfter }) => notAfter === null)),
    /gone/
  ),
  inLog(
    "a key served as in use from earlier on",
    served(publishedKeys.map((key) => ({ ...key, notBefore: "2026-07-01T00:00:00Z" }))),
    /began at/
  ),
  inLog(
    "a key served as published earlier",
    served(publishedKeys.map((key) => ({ ...key, announcedAt: "2026-07-01T00:00:00Z" }))),
    /published at/
  ),
  inLog(
    "another document",
    logged(() => ({ document: documentOf(retired(() => ({ notAfter: null }))) })),
    /not about/
  ),
  inLog(
    "another document and its entry, which the log lacks",
    logged(() => {
      const document = documentOf(retired(() => ({ notAfter: "2026-12-01T00:00:00Z" })))
      return { document, entry: entryOf("keys", "1", document) }
    }),
    /does not lead/
  ),
  inLog(
    "a path cut off",
    logged(({ path }) => ({ path: path.slice(1) })),
    /does not lead/
  ),
  inLog(
    "another index",
    logged(({ index }) => ({ index: index - 1 })),
    /does not lead/
  ),
  inLog(
    "another size",
    logged(({ size }) => ({ size: size - 1 })),
    /does not lead/
  ),
  inLog("an entry of another kind", lied({ entry: { kind: "brief" } }), /not about/),
  inLog("an entry of another number", lied({ entry: { subject: "2" } }), /not about/),
  inLog("an entry of a demo", lied({ entry: { v: "service-entry-v2-demo", simulated: true } }), /not about/),
  inLog(
    "the keys of another log",
    lied({ document: documentOf(publishedKeys, "log.example/other") }),
    /of the log log.example\/other/
  ),
  inLog(
    "keys without the one that signed",
    lied({ document: documentOf(publishedKeys.filter(({ notAfter }) => notAfter !== null)) }),
    /lacks it/
  ),
  inLog(
    "keys of a demo",
    lied({ document: documentOf(publishedKeys).replace("service-keys-v1", "service-keys-v1-demo") })
  ),
  inLog(
    "a document that says more",
    lied({ document: documentOf(publishedKeys).replace(/\}$/, ',"z":1}') }),
    /z/
  ),
  inLog(
    "a key that says more",
    lied({ document: documentOf(publishedKeys).replace('"public_key_hex"', '"note":"x","public_key_hex"') }),
    /no other/
  ),
  inLog(
    "a rotation that is not served",
    () => {
      const document = keysText({ n: 1, origin, keys: rotatedKeys, rotations: [rotated.text] })
      const { bundle, evidence } = loggedBundle({ document })
      return inputOf({
        bundle: { ...bundle, keys: keyDocument({ origin, keys: rotatedKeys, now }) },
        evidence
      })
    },
    /the rotation to .* is gone/
  ),
  {
    name: "with a member that no version has",
    foundBy: "read",
    forge: changeEvidence((all) => Object.assign({ more: 1 }, all))
  },
  {
    name: "in the bundle itself",
    foundBy: "read",
    forge: change((bundle) => Object.assign({ ...bundle }, { logged_keys: good.evidence.logged_keys }))
  }
])

const observed = (how: (it: Observed) => Partial<Observed>) =>
  changeEvidence(({ observed: run, ...all }) =>
    run === undefined ? all : { ...all, observed: { ...run, ...how(run) } }
  )
const ofRun = (name: string, forge: (it: Input) => Input, says: RegExp): Forgery<Input> => ({
  name,
  foundBy: "run",
  forge,
  says
})
/** Hashes and signatures fit, and the run cannot have given the value. */
const doubtful = (name: string, lie: Logged, says: RegExp): Forgery<Input> => ({
  ...ofRun(name, lied(lie), says),
  notProved: true
})
const exchange = {
  method: "GET",
  url: "https://feed.example/",
  status: 200,
  sha256: "d".repeat(64),
  notes: []
}
/** The same bundle without its run, beside what the log's first document of runs would be. */
const withFirst = (lie: Logged) => (): Input => {
  const { bundle, evidence } = loggedBundle(lie)
  const { document, log } = evidence.observed
  return inputOf({ bundle, evidence: { logged_keys: evidence.logged_keys, first_runs: { document, log } } })
}

export const observedRuns = group("a bundle with its run", () => inputOf(good), verifyBoth, [
  ofRun(
    "another leaf",
    observed(() => ({ leaf: canonical({ run: "made up" }) })),
    /does not lead from the run/
  ),
  ofRun("a run that gave another value", lied({ rows: (row) => [{ ...row, value: 43 }] }), /value's row/),
  ofRun(
    "a run that gave it of another time",
    lied({ rows: (row) => [{ ...row, as_of: "2026-09-04T10:00:00Z" }] }),
    /value's row/
  ),
  ofRun(
    "a run that gave it of another source",
    lied({ rows: (row) => [{ ...row, source: "another" }] }),
    /value's row/
  ),
  ofRun(
    "another place of the row",
    observed(({ row }) => ({ row: { ...row, index: 0 } })),
    /value's row/
  ),
  ofRun(
    "a path of the row cut off",
    observed(({ row }) => ({ row: { ...row, path: [] } })),
    /value's row/
  ),
  {
    name: "without its run, on a log whose first hour was before the value",
    foundBy: "run",
    forge: withFirst({ hour: { n: 1 } }),
    says: /no run is known that gave this value/,
    notProved: true
  },
  ofRun("a first hour that is not the first", withFirst({}), /number 7, and not the first/),
  doubtful("a run that was only compared", { run: { outcome: "recheck" } }, /outcome is recheck/),
  doubtful("a run that gave nothing new", { run: { outcome: "unchanged" } }, /outcome is unchanged/),
  doubtful(
    "a run after the value was recorded",
    { run: { began: "2026-09-04T11:30:00Z", ended: "2026-09-04T11:30:01Z" } },
    /after the value was recorded/
  ),
  doubtful(
    "a run of the month after, under a later head",
    {
      run: { began: "2026-10-04T11:00:00Z", ended: "2026-10-04T11:00:01Z" },
      hour: { hour: "2026-10-04T11" },
      hourEntry: { recorded_at: "2026-10-04T12:04:00Z" }
    },
    /after the value was recorded/
  ),
  doubtful(
    "a run of the day before the value was true",
    {
      run: { began: "2026-09-03T11:00:00Z", ended: "2026-09-03T11:00:01Z" },
      hour: { hour: "2026-09-03T11" },
      hourEntry: { recorded_at: "2026-09-03T12:04:00Z" }
    },
    /before the value was true/
  ),
  ofRun(
    "an hour that was entered a year later, and says that it was not",
    lied({ hourEntry: { recorded_at: "2027-09-04T12:04:00Z" } }),
    /says that it was not late/
  ),
  doubtful(
    "an hour that was entered before it was over",
    { hourEntry: { recorded_at: "2026-09-04T11:30:00Z" } },
    /before it was over/
  ),
  doubtful(
    "an answer of the year before its run",
    { run: { exchanges: [{ ...exchange, at: "2025-09-04T11:00:00Z" }] } },
    /an answer is of 2025/
  ),
  doubtful(
    "a run derived again, without the one that it names",
    { run: { rederives: "9" } },
    /of which nothing is here/
  ),
  ofRun("a run with fewer rows", lied({ run: { n_rows: 1 } }), /value's row/),
  ofRun("a run of a demo", lied({ run: { v: "service-run-v1-demo", simulated: true } }), /simulated/),
  ofRun(
    "an hour under another name",
    lied({ hourEntry: { subject: "2026-09-04T12" } }),
    /not about the hour's document/
  ),
  ofRun(
    "another place in the hour",
    observed(() => ({ index: 2 })),
    /does not lead from the run/
  ),
  ofRun(
    "a path cut off",
    observed(({ path }) => ({ path: path.slice(1) })),
    /does not lead from the run/
  ),
  ofRun(
    "another size of the hour",
    observed(() => ({ size: 4 })),
    /does not lead from the run/
  ),
  ofRun("an hour that counts other leaves", lied({ hour: { tree_size: 4 } }), /does not lead from the run/),
  ofRun("an hour without a root", lied({ hour: { root: "none" } }), /hex digits/),
  ofRun(
    "an hour that the log lacks",
    observed(({ document }) => ({ document: document.replace("T11", "T12") })),
    /not about the hour's document/
  ),
  ofRun("an hour of another kind", lied({ hourEntry: { kind: "brief" } }), /not about the hour's document/),
  ofRun(
    "another place in the log",
    observed(({ log }) => ({ log: { ...log, index: 3 } })),
    /checkpoint's root/
  ),
  ofRun(
    "another head",
    observed(({ log }) => ({ log: { ...log, size: 5 } })),
    /checkpoint's root/
  ),
  ofRun(
    "white space in the hour",
    observed(({ document }) => ({ document: `${document} ` })),
    /canonical/
  )
])
