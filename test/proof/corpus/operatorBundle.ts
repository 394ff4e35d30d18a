/**
 * A bundle of version 4 with all its evidence, which its operator writes, logs and signs: whatever he changes in one document, the hashes
 * and signatures above it fit, and only the rules of the formats are left to find it.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { bundle4Tag } from "../../../core/proof/bundle.ts"
import { Malformed, toHex, utf8 } from "../../../core/proof/bytes.ts"
import { canonical } from "../../../core/proof/canonical.ts"
import { noteText, signatureLine } from "../../../core/proof/checkpoint.ts"
import { keysText } from "../../../core/proof/keysDocument.ts"
import { readingLine } from "../../../core/proof/leaf.ts"
import { drawnNotary, notaryListHash } from "../../../core/proof/lot.ts"
import { inclusionProof, leafHash, root, treeOf } from "../../../core/proof/merkle.ts"
import { rowText } from "../../../core/proof/runLeaf.ts"
import { statingNotary } from "../../support/notary/statements.ts"
import {
  checkpointOf,
  hexes,
  keys,
  origin,
  publishedKeys,
  readings,
  rowLeaf
} from "../../support/publication.ts"

/** The documents that are changed, by name. */
export const documents = [
  "leaf",
  "run",
  "hour",
  "first",
  "again",
  "statement",
  "earlier",
  "other",
  "incidents",
  "comparison",
  "agreement",
  "keys",
  "schedule",
  "entry of the keys",
  "entry of the schedule",
  "entry of the hour",
  "entry of the incidents",
  "entry of the agreement",
  "batch",
  "row"
] as const
export type Name = (typeof documents)[number]

/** Changes the text of a document; gives others as they are. */
export type Change = (name: Name, text: string) => string

const day = "2026-12-04"
const hash = (text: string): string => toHex(sha256(utf8(text)))
const digits = (digit: string): string => digit.repeat(64)
const text = (members: object): string => canonical(members)

/** What a text says, as far as it can be read: what is above it is written of that. */
const read = (json: string): Record<string, unknown> => {
  try {
    return Object(JSON.parse(json))
  } catch {
    return {}
  }
}

const pathIn = (texts: ReadonlyArray<string>, index: number) => {
  const tree = treeOf(texts.map(utf8))
  return { root: toHex(root(tree)), index, size: tree.size, path: hexes(inclusionProof(tree, index)) }
}

const [one, two] = [statingNotary(1), statingNotary(2)]
const drawn = [one.vkey, two.vkey].sort()
const host = "stats.example.net"
const exchanges = [
  { url: `https://${host}/moved?a=1`, body: "body", at: `${day}T11:00:00.500Z` },
  { url: `https://${host}/nodes`, body: "confirmed", at: `${day}T11:00:01.500Z` }
]

const entryOf = (kind: string, subject: unknown, document: string, recorded_at: string) => ({
  v: "service-entry-v2",
  kind,
  subject: String(subject),
  sha256: hash(document),
  recorded_at
})

/** What a notary states of a session. */
const stated = (session: string, answers: ReadonlyArray<object>) => ({
  v: "service-notarisation-v1",
  notary: one.verifier.name,
  collector: origin,
  day,
  n: 1,
  host,
  address: "93.184.216.1",
  session,
  cipher: "TLS_AES_256_GCM_SHA384",
  signature: "ecdsa_secp256r1_sha256",
  certificate: {
    sha256: digits("1"),
    root_sha256: digits("2"),
    not_after: "2027-06-01T00:00:00Z"
  },
  roots_sha256: digits("3"),
  opened_at: `${day}T11:00:00Z`,
  closed_at: `${day}T11:00:02Z`,
  stated_at: `${day}T11:00:03Z`,
  cut: false,
  exchanges: answers,
  log: { size: 9, root: digits("4") }
})

const answer = (at: string, target: string, status: number, body: string, more: object = {}) => ({
  asked_at: at,
  answered_at: at,
  request: {
    method: "GET",
    target,
    ...(status === 304 ? { if_none_match: '"v1"' } : {})
  },
  response: {
    status,
    whole: status === 304 ? "none" : "length",
    sha256: hash(body),
    size: body.length,
    encoded_size: body.length,
    ...more
  }
})

const noteOf = (statement: string): string => {
  const signed = `${statement}\n`
  try {
    return noteText(signed, [signatureLine(one.verifier, one.sign(utf8(signed)))])
  } catch (error) {
    // A lone surrogate has no bytes that could be signed.
    if (error instanceof Malformed) return signed
    throw error
  }
}

/** The run's leaf of these rows and exchanges. */
const runOf = (id: string, rows: ReadonlyArray<string>, more: object) => ({
  v: "service-run-v1",
  run: id,
  plugin: "feed",
  began: `${day}T11:00:00Z`,
  ended: `${day}T11:00:02Z`,
  now: `${day}T11:00:00Z`,
  outcome: "stored",
  code_hash: digits("a"),
  targets_sha256: digits("b"),
  settings_sha256: digits("c"),
  rows_root: pathIn(rows, 0).root,
  n_rows: rows.length,
  n_refused: 0,
  exchanges: [],
  ...more
})

/** The bundle as its text; `change` has what the operator wrote otherwise. */
export const operatorBundle = (change: Change): string => {
  const of = (name: Name, members: object): string => change(name, text(members))
  const lines = readings(day).map(readingLine)
  const leafText = of("leaf", {
    ...rowLeaf("FIL", "nodes_online", day),
    recorded_at: `${day}T13:00:00Z`,
    readings_sha256: hash(lines.join("\n"))
  })
  const leaf = read(leafText)
  const batch = pathIn([leafText, canonical({ kind: "absent" })], 0)

  const notes = [
    of(
      "statement",
      stated(digits("5"), [
        answer(exchanges[0]?.at ?? "", "/moved?a=1", 302, "", { location: "/there?b=2#x" }),
        answer(exchanges[0]?.at ?? "", "/there?b=2", 200, "body"),
        answer(exchanges[1]?.at ?? "", "/nodes", 304, "")
      ])
    ),
    of("earlier", {
      ...stated(digits("6"), [answer("2026-11-01T00:00:00Z", "/nodes", 200, "confirmed", { etag: '"v1"' })]),
      day: "2026-11-01",
      opened_at: "2026-11-01T00:00:00Z",
      closed_at: "2026-11-01T00:00:01Z"
    })
  ].map(noteOf)
  const due = `${day}T11:00:00Z`
  const drawnBy = checkpointOf(treeOf([]))
  const lot = {
    head: hash(drawnBy),
    notary: drawnNotary(drawn, hash(drawnBy), { id: "2", plugin: "feed", due }) ?? "",
    from: notaryListHash(drawn)
  }
  const row = change("row", rowText(leaf as never))
  const rows = [rowText(rowLeaf("FIL", "another", day)), row]
  const run = of(
    "run",
    runOf("2", rows, {
      due,
      lot,
      exchanges: exchanges.map(({ at, body, url }, place) => ({
        method: "GET",
        url,
        at,
        status: 200,
        sha256: hash(body),
        ...(place === 1 ? { confirmed: true } : {}),
        notes: notes.map(hash)
      }))
    })
  )
  const again = of("again", runOf("3", rows, { outcome: "unchanged" }))
  const otherRow = rowText({ ...rowLeaf("FIL", "nodes_online", day), value: 40 })
  const other = of("other", runOf("4", [otherRow], { began: `${day}T12:59:59Z`, ended: `${day}T13:00:01Z` }))
  const loggedKeys = change("keys", keysText({ n: 1, origin, keys: publishedKeys, rotations: [] }))
  const schedule = of("schedule", {
    v: "service-schedule-v1",
    n: 3,
    day,
    feeds: [
      { plugin: "another", every: 60, first: `${day}T00:00:00Z` },
      { plugin: "feed", every: 3600, first: `${day}T01:00:00Z` }
    ]
  })
  const hourOf = (n: number, leaves: ReadonlyArray<string>, named: string) => ({
    v: "service-runs-v1",
    n,
    hour: named,
    late: false,
    root: pathIn(leaves, 0).root,
    tree_size: leaves.length,
    n_late: 0,
    n_skipped: 0,
    n_exchanges: 2,
    n_notarised: 2,
    notaries: [one.vkey],
    drawn_from: [drawn],
    n_draws: n,
    drawn_by: [drawnBy],
    schedule: hash(schedule)
  })
  const runs = [canonical({ run: "1" }), run, again]
  const hour = of("hour", hourOf(7, runs, `${day}T11`))
  const first = of("first", hourOf(1, [other], `${day}T13`))
  const incidents = of("incidents", {
    v: "service-incidents-v1",
    events: [
      {
        n: 3,
        event: "closed",
        incident: 2,
        kind: "manual",
        symbol: "FIL",
        metric: "nodes_online",
        from: `${day}T00:00:00Z`,
        to: `${day}T23:00:00Z`,
        reason: "a jump",
        at: `${day}T13:00:00Z`
      }
    ]
  })
  const sightings = [
    { observer: 0, relation: "close", value: 41.6, as_of: `${day}T11:00:00Z`, leaf_hash: digits("9") },
    { observer: 1, relation: "silent" }
  ]
  const comparison = of("comparison", {
    v: "service-agreement-leaf-v1",
    symbol: "FIL",
    metric: "nodes_online",
    source: "example-feed",
    day,
    leaf_hash: toHex(leafHash(utf8(leafText.toWellFormed()))),
    tolerance: { relative: 0.01 },
    seen: sightings
  })
  const agreement = of("agreement", {
    v: "service-agreement-v1",
    day,
    observers: [
      {
        origin: "other.example/log",
        key: "k1",
        state: "read",
        size: 9,
        root: digits("d"),
        batch_root: digits("e")
      },
      { origin: "third.example/log", key: "k2", state: "silent", why: "no answer" }
    ],
    n_compared: 1,
    n_equal: 0,
    n_close: 1,
    n_differs: 0,
    n_silent: 0,
    root: pathIn([comparison], 0).root,
    tree_size: 1
  })
  const entries = [
    of("entry of the keys", entryOf("keys", 1, loggedKeys, "2026-12-01T08:00:00Z")),
    of("entry of the schedule", entryOf("schedule", read(schedule)["day"], schedule, "2026-12-03T23:00:00Z")),
    of("entry of the hour", entryOf("runs", read(hour)["hour"], hour, `${day}T12:04:00Z`)),
    text(entryOf("runs", read(first)["hour"], first, `${day}T14:04:00Z`)),
    of("entry of the incidents", entryOf("incidents", "3-3", incidents, "2026-12-05T08:00:00Z")),
    of("batch", {
      v: "service-batch-v2",
      days: [day],
      cut_off: "2026-12-05T08:00:00Z",
      closed_at: "2026-12-05T08:00:00Z",
      late: false,
      root: batch.root,
      tree_size: 2,
      n_readings: 1,
      n_late: 0,
      n_revisions: 0,
      n_absent: 1,
      absent_sha256: digits("f")
    }),
    of(
      "entry of the agreement",
      entryOf("agreement", read(agreement)["day"], agreement, "2026-12-05T08:05:00Z")
    )
  ].map((entry) => entry.toWellFormed())
  const log = treeOf(entries.map(utf8))
  const at = (index: number) => ({ index, size: log.size, path: hexes(inclusionProof(log, index)) })
  const logged = (index: number) => ({ ...at(index), entry: entries[index] ?? "" })
  const head = checkpointOf(log)
  const place = ({ root: _, ...rest }: ReturnType<typeof pathIn>) => rest
  const rowPlace = (texts: ReadonlyArray<string>, index: number) => {
    const { path } = pathIn(texts, index)
    return { index, path }
  }
  const { root: _, ...inBatch } = batch
  return JSON.stringify({
    v: bundle4Tag,
    leaf: leafText,
    batch: { ...inBatch, entry: entries[5] },
    log: at(5),
    head,
    keys,
    cosignatures: [],
    block: { network: "bitcoin-regtest-fixture", status: "none" },
    evidence: [
      { kind: "readings", v: 1, lines },
      { kind: "keys", v: 1, ...logged(0), document: loggedKeys },
      {
        kind: "run",
        v: 1,
        observed: {
          ...place(pathIn(runs, 1)),
          leaf: run,
          row: rowPlace(rows, 1),
          document: hour,
          log: logged(2),
          notes,
          again: [{ ...place(pathIn(runs, 2)), leaf: again, document: hour, log: logged(2) }],
          cause: {
            incidents: { document: incidents, log: logged(4) },
            run: {
              ...place(pathIn([other], 0)),
              leaf: other,
              row: rowPlace([otherRow], 0),
              text: otherRow,
              document: first,
              log: logged(3)
            }
          }
        },
        schedule: { document: schedule, log: logged(1) }
      },
      {
        kind: "agreement",
        v: 1,
        ...place(pathIn([comparison], 0)),
        leaf: comparison,
        document: agreement,
        log: { ...logged(6), checkpoint: head, consistency: [] }
      }
    ]
  })
}

/** The notaries whose statements are in it. */
export const notaries = [one.verifier, two.verifier]
