/** A log of some days in which everything happens that a log can have; its files, hashed and signed as an operator would. */
import { sha256 } from "@noble/hashes/sha2.js"
import { toHex, utf8 } from "../../../core/proof/bytes.ts"
import { canonical } from "../../../core/proof/canonical.ts"
import { checkpointText, noteText, signatureLine, verifierOf, vkey } from "../../../core/proof/checkpoint.ts"
import type { IncidentEvent } from "../../../core/proof/incidents.ts"
import { keyDocument, type PublishedKey, thumbprint } from "../../../core/proof/keys.ts"
import { keysText } from "../../../core/proof/keysDocument.ts"
import {
  type AbsentSeries,
  absenceList,
  compareLeaves,
  leafHashHex,
  type RowLeaf,
  readingsSha256
} from "../../../core/proof/leaf.ts"
import { root, treeOf } from "../../../core/proof/merkle.ts"
import { restartNote, restartText } from "../../../core/proof/restart.ts"
import type { Revision } from "../../../core/proof/revisions.ts"
import { rotationNote, rotationText } from "../../../core/proof/rotation.ts"
import { entriesPath, tilePath } from "../../../core/proof/tiles.ts"
import type { Source } from "../../../http/client/verifier/src/monitor/source.ts"
import { publicKeyOf, signEd25519 } from "../../support/ed25519.ts"
import { checkpointOf, origin, retiredSecret, secret } from "../../support/publication.ts"

/** Members of any kind: a lie need not be valid. */
export type Loose = Record<string, unknown>

/** A document and its entry, whose `sha256` is computed. */
export interface Document {
  kind: string
  subject: string
  recorded_at: string
  /** The text; of an archive's file and of a ledger's row only its hash is in the log. */
  text: string
  simulated?: true
  /** True if the file is not served. */
  hidden?: true
  /** Another file that comes with it, by its path. */
  file?: readonly [path: string, text: string]
}

/** A close: documents before the batch, the batch, documents after it. */
export interface Close {
  day: string
  before: Array<Document>
  leaves: Array<RowLeaf>
  absent: Array<AbsentSeries>
  after: Array<Document>
  /** Members of the batch's entry that are not what they would be. */
  entry?: Loose
}

export interface Story {
  readonly closes: Array<Close>
  origin: string
}

export const dayOf = (n: number): string => `2026-09-${String(n).padStart(2, "0")}`
export const at = (n: number, time: string): string => `${dayOf(n)}T${time}:00Z`
const hash = (text: string): string => toHex(sha256(utf8(text)))

export const names = {
  filNodes: { symbol: "FIL", metric: "nodes_online", source: "feed" },
  filPower: { symbol: "FIL", metric: "power", source: "feed" },
  hnt: { symbol: "HNT", metric: "nodes_online", source: "feed" },
  render: { symbol: "RENDER", metric: "gpus", source: "feed" },
  akt: { symbol: "AKT", metric: "nodes_online", source: "feed" },
  lpt: { symbol: "LPT", metric: "nodes_online", source: "feed" }
}

/** The first leaf of a series and day, of two readings. */
export const leafOf = (of: (typeof names)["hnt"], n: number, more: Partial<RowLeaf> = {}): RowLeaf => {
  const as_of = more.as_of ?? at(n, "11:00")
  const value = more.value ?? 40 + n
  const readings = [
    { as_of: at(n, "06:00"), value: 7 },
    { as_of, value }
  ]
  return {
    v: "service-leaf-v2",
    kind: "reading",
    ...of,
    unit: "count",
    day: dayOf(n),
    as_of,
    value,
    n_observations: 2,
    readings_sha256: readingsSha256(more.n_observations === 1 ? readings.slice(1) : readings),
    verify_url: "https://upstream.example/stats",
    version: 1,
    recorded_at: at(n, "11:01"),
    ...more
  }
}

/** The next version of a leaf. */
export const next = (leaf: RowLeaf, more: Partial<RowLeaf>): RowLeaf => ({
  ...leaf,
  kind: "late",
  version: leaf.version + 1,
  follows: leafHashHex(utf8(canonical(leaf))),
  ...more
})

/** A leaf whose readings are all in another chain. */
export const withdrawn = (leaf: RowLeaf, recorded_at: string): RowLeaf =>
  next(leaf, { n_observations: 0, readings_sha256: readingsSha256([]), recorded_at })

export const document = (kind: string, subject: string, recorded_at: string, body: Loose): Document => ({
  kind,
  subject,
  recorded_at,
  text: canonical(body)
})

export const incidents = (recorded_at: string, ...events: ReadonlyArray<Loose & Pick<IncidentEvent, "n">>) =>
  document("incidents", `${events[0]?.n}-${events.at(-1)?.n}`, recorded_at, {
    v: "service-incidents-v1",
    events
  })

export const revisions = (recorded_at: string, ...list: ReadonlyArray<Revision>) =>
  document("revisions", `${list[0]?.id}-${list.at(-1)?.id}`, recorded_at, {
    v: "service-revisions-v2",
    revisions: list
  })

export const feeds = (recorded_at: string, n: number) =>
  document("feeds", `${n}-${n}`, recorded_at, {
    v: "service-feeds-v1",
    feeds: [
      { n, plugin: "feed", code_hash: "a".repeat(64), state: "confirmed", how: "case", since: at(1, "00:00") }
    ]
  })

export const signals = (recorded_at: string, n: number): Document =>
  document("signals", String(n), recorded_at, {
    v: "service-signal-v1",
    n,
    prev_hash: "b".repeat(64),
    kind: "supply_move",
    unit: "count",
    as_of: recorded_at,
    verify_url: "https://upstream.example/stats",
    recorded_at
  })

export const archive = (recorded_at: string, name: string): Document => ({
  kind: "archive",
  subject: name,
  recorded_at,
  text: `a file ${name}`,
  hidden: true
})

export const brief = (recorded_at: string, date: string): Document =>
  document("brief", date, recorded_at, { v: "service-brief-v2", date })

export const sales = (recorded_at: string, day: string, more: Loose = {}): Document =>
  document("sales", day, recorded_at, {
    v: "service-sales-v1",
    day,
    root: "c".repeat(64),
    tree_size: 16,
    ...more
  })

export const rotation = (
  recorded_at: string,
  of: {
    old: Uint8Array<ArrayBuffer>
    new: Uint8Array<ArrayBuffer>
    origin?: string
    not_before?: string
    not_after?: string
  }
): Document => {
  const name = of.origin ?? origin
  const what = {
    v: "service-rotation-v1" as const,
    origin: name,
    old: vkey(name, publicKeyOf(of.old)),
    new: vkey(name, publicKeyOf(of.new)),
    not_before: of.not_before ?? "2026-09-01T12:00:00Z",
    not_after: of.not_after ?? "2026-10-01T12:00:00Z"
  }
  const text = utf8(rotationText(what))
  const note = rotationNote(what, { old: signEd25519(text, of.old), new: signEd25519(text, of.new) })
  return { kind: "rotation", subject: thumbprint(publicKeyOf(of.new)), recorded_at, text: note }
}

const keyOf = (
  purpose: PublishedKey["purpose"],
  key: Uint8Array<ArrayBuffer>,
  notBefore: string,
  notAfter: string | null
): PublishedKey => ({
  purpose,
  publicKey: publicKeyOf(key),
  announcedAt: "2026-08-20T00:00:00Z",
  notBefore,
  notAfter
})
const ofBoth = [
  keyOf("log", secret, "2026-09-01T12:00:00Z", null),
  keyOf("answers", secret, "2026-08-31T00:00:00Z", null),
  keyOf("answers", retiredSecret, "2026-08-01T00:00:00Z", "2026-08-31T00:05:00Z")
]
/** The keys of the story before its rotation and after. */
export const keysBefore: ReadonlyArray<PublishedKey> = [
  ...ofBoth,
  keyOf("log", retiredSecret, "2026-08-01T00:00:00Z", null)
]
export const keysAfter: ReadonlyArray<PublishedKey> = [
  ...ofBoth,
  keyOf("log", retiredSecret, "2026-08-01T00:00:00Z", "2026-10-01T12:00:00Z")
]

/** A document of keys. Only what the log has of others can contradict it, so its own text is valid. */
export const keysDocument = (
  recorded_at: string,
  n: number,
  list: ReadonlyArray<PublishedKey>,
  rotations: ReadonlyArray<Document> = [],
  name = origin
): Document => ({
  kind: "keys",
  subject: String(n),
  recorded_at,
  text: keysText({ n, origin: name, keys: list, rotations: rotations.map(({ text }) => text) })
})

/** The events of a day: ten of them, unless it is a lie. */
export const events = (recorded_at: string, n: number, more: Loose = {}): Document =>
  document("events", dayOf(n), recorded_at, {
    v: "service-events-v1",
    day: dayOf(n),
    first: 10 * n + 1,
    last: 10 * n + 10,
    n: 10,
    head: "c".repeat(64),
    ...more
  })

/** The rotation of the story, and the key document that is served of it. */
export const rotated = rotation(at(2, "12:00"), { old: retiredSecret, new: secret })
const servedKeys = keyDocument({
  origin,
  keys: keysAfter,
  // A monitor that was given the key needs no more of a rotation than its note.
  rotations: [
    {
      document: rotated.text,
      entry: "",
      checkpoint: "",
      index: 0,
      size: 0,
      path: [],
      anchor: { network: "bitcoin", status: "none" }
    }
  ],
  now: Date.parse("2026-09-20T12:00:00Z")
})

/** The entry of a log that takes the place of an earlier one, which closed days up to `lastDay`. */
export const restart = (lastDay: string): Document => {
  const earlier = "log.example/earlier"
  const [tree, at] = [treeOf([utf8("an entry")]), "2026-08-31T12:00:00Z"]
  const text = checkpointText({ origin: earlier, size: 1, root: root(tree) })
  const key = (name: string, of: Uint8Array) => verifierOf(name, publicKeyOf(of))
  const what = {
    v: "service-restart-v1" as const,
    origin,
    key: vkey(origin, publicKeyOf(secret)),
    earlier: {
      origin: earlier,
      format: 1,
      size: 1,
      root: toHex(root(tree)),
      note: noteText(text, [
        signatureLine(key(earlier, retiredSecret), signEd25519(utf8(text), retiredSecret))
      ]),
      key: vkey(earlier, publicKeyOf(retiredSecret)),
      last_day: lastDay
    }
  }
  const signed = utf8(restartText(what))
  const note = restartNote(what, {
    key: signEd25519(signed, secret),
    earlier: signEd25519(signed, retiredSecret)
  })
  return { kind: "restart", subject: earlier, recorded_at: at, text: note }
}

/** A run of the only feed, due at a time of a day. */
export const runOf = (n: number, time: string, more: Loose = {}): Loose => ({
  v: "service-run-v1",
  run: `run-${n}-${time}`,
  plugin: "feed",
  due: at(n, time),
  began: at(n, time),
  ended: at(n, time.replace(":00", ":01")),
  now: at(n, time),
  outcome: "stored",
  code_hash: "a".repeat(64),
  targets_sha256: "b".repeat(64),
  settings_sha256: "c".repeat(64),
  rows_root: "d".repeat(64),
  n_rows: 6,
  n_refused: 0,
  exchanges: [],
  ...more
})

export const skippedOf = (n: number, time: string, until: string): Loose => ({
  v: "service-run-v1",
  plugin: "feed",
  due: at(n, time),
  until,
  outcome: "skipped",
  cause: "not known"
})

/** The document of an hour that was entered four minutes after it, with its leaves; of the newest schedule, if there is any. */
export const runs = (
  n: number,
  hour: number,
  leaves: ReadonlyArray<Loose>,
  more: Loose = {},
  recorded_at = at(n, `${hour + 1}:04`)
): Document => {
  const texts = leaves.map((leaf) => canonical(leaf))
  const name = `${dayOf(n)}T${String(hour).padStart(2, "0")}`
  return {
    ...document("runs", name, recorded_at, {
      v: "service-runs-v1",
      // Counted where the story is written down, unless a lie has a number of its own.
      n: 0,
      hour: name,
      late: false,
      root: toHex(root(treeOf(texts.map(utf8)))),
      tree_size: texts.length,
      n_late: leaves.filter(({ late }) => late === true).length,
      n_skipped: leaves.filter(({ outcome }) => outcome === "skipped").length,
      n_exchanges: 0,
      n_notarised: 0,
      notaries: [],
      ...(n === 1 && hour === 10 ? {} : { schedule: hash(schedule(n).text) }),
      ...more
    }),
    file: [`/v1/log/runs/${name}/leaves`, `${texts.join("\n")}\n`]
  }
}

/** The schedule of a day: the feed is due at ten in the morning and in the evening; on the first day in the evening alone. */
export const schedule = (
  n: number,
  recorded_at = n === 1 ? at(1, "11:05") : at(n - 1, "23:40"),
  first = at(n, n === 1 ? "22:00" : "10:00")
) =>
  document("schedule", dayOf(n), recorded_at, {
    v: "service-schedule-v1",
    n,
    day: dayOf(n),
    feeds: [{ plugin: "feed", every: 43_200, first }]
  })

/** The runs and the schedules of a day. In the evening of the third nothing runs, and what runs on the fifth is told of too late. */
const collected = (
  n: number
): { readonly morning: ReadonlyArray<Document>; readonly evening: ReadonlyArray<Document> } => ({
  morning: [
    runs(n, 10, [
      ...(n === 6 ? [runOf(5, "22:00", { late: true })] : []),
      runOf(n, "10:00"),
      ...(n === 4 ? [skippedOf(3, "22:00", at(4, "10:00"))] : [])
    ]),
    ...(n === 1 ? [schedule(1)] : [])
  ],
  evening: [...(n === 3 || n === 5 ? [] : [runs(n, 22, [runOf(n, "22:00")])]), schedule(n + 1)]
})

/** The incident of an operator, opened on the third about the second, and closed on the fourth. */
export const opened = {
  n: 1,
  event: "opened",
  incident: 1,
  kind: "manual",
  symbol: "AKT",
  metric: "nodes_online",
  from: at(2, "00:00"),
  to: "2026-09-02T23:59:59.999Z",
  reason: "counted twice",
  at: at(3, "12:00")
}
export const closed = { ...opened, n: 2, event: "closed", at: at(4, "12:00"), note: "confirmed" }
/** The incident of a guard, opened on the fifth. */
export const guarded = {
  n: 3,
  event: "opened",
  incident: 2,
  kind: "automatic",
  symbol: "LPT",
  metric: "nodes_online",
  source: "feed",
  from: at(5, "11:00"),
  reason: "far beyond its past",
  at: at(5, "11:01")
}

export const restatement: Revision = {
  id: 4,
  symbol: "FIL",
  metric: "power",
  source: "feed",
  as_of: at(2, "11:00"),
  version: 2,
  before_value: 42,
  after_value: 50,
  recorded_at: at(3, "11:02"),
  run: "run-1",
  why: "the upstream restated it"
}

/** The readings that an incident excludes or gives back. */
const akt = leafOf(names.akt, 2)
const aktGone = withdrawn(akt, at(3, "12:00"))
const aktExcluded = leafOf(names.akt, 2, { kind: "late", excluded_by: 1, recorded_at: at(3, "12:00") })
const power = leafOf(names.filPower, 2)

/** An honest log of six days. */
export const story = (): Story => {
  const closes = [1, 2, 3, 4, 5, 6].map((n): Close => {
    const day = dayOf(n)
    const leaves = [
      leafOf(names.filNodes, n, { n_observations: 1 }),
      leafOf(names.filPower, n),
      ...(n === 2 ? [] : [leafOf(names.hnt, n)]),
      leafOf(names.akt, n),
      leafOf(names.lpt, n, n === 5 ? { excluded_by: 2 } : {}),
      ...(n === 1 ? [leafOf(names.render, n)] : [])
    ]
    const absent = [...(n === 2 ? [names.hnt] : []), ...(n === 1 ? [] : [names.render])]
    return {
      day,
      before: [],
      leaves,
      absent,
      after: [archive(at(n + 1, "08:10"), `daily/${day.replaceAll("-", "/")}.parquet`)]
    }
  })
  const of = (n: number): Close => closes[n - 1] as Close
  of(1).after.push(feeds(at(2, "08:11"), 1), signals(at(2, "08:12"), 10))
  of(1).before.push(keysDocument(at(1, "12:00"), 1, keysBefore))
  of(2).before.push(rotated, keysDocument(at(2, "12:00"), 2, keysAfter, [rotated]))
  of(2).after.push(feeds(at(3, "08:11"), 2), signals(at(3, "08:12"), 20), brief(at(3, "09:00"), dayOf(3)))
  of(3).before.push(incidents(at(3, "12:05"), opened))
  of(3).leaves.push(
    aktGone,
    aktExcluded,
    next(power, { kind: "revision", value: 50, recorded_at: at(3, "11:02") })
  )
  of(3).after.unshift(revisions(at(4, "08:00"), restatement))
  of(4).before.push(incidents(at(4, "12:05"), closed))
  of(4).leaves.push(
    next(aktGone, {
      n_observations: 2,
      readings_sha256: akt.readings_sha256,
      recorded_at: at(4, "12:00")
    }),
    withdrawn(aktExcluded, at(4, "12:00")),
    leafOf(names.hnt, 2, { kind: "late", recorded_at: at(4, "11:02") })
  )
  of(5).before.push(incidents(at(5, "11:05"), guarded))
  for (const [n, one] of closes.entries()) {
    const { evening, morning } = collected(n + 1)
    one.before.unshift(...morning)
    one.before.push(...evening)
  }
  of(3).before.push(sales(at(4, "01:00"), dayOf(3)))
  of(5).before.push(sales(at(6, "01:00"), dayOf(5), { tree_size: 64 }))
  of(2).after.push(events(at(3, "09:01"), 2))
  of(3).after.push(events(at(4, "08:20"), 3))
  return { closes, origin }
}

/** The same in the place of an earlier log. */
export const restarted = (): Story => {
  const log = story()
  log.closes[0]?.before.unshift(restart("2026-08-31"))
  return log
}

/** An honest log of 17 days in which a series falls silent: its absence ends after the fourteenth day. */
export const silence = (): Story => ({
  origin,
  closes: Array.from({ length: 17 }, (_, index): Close => {
    const n = index + 1
    return {
      day: dayOf(n),
      before: [],
      leaves: [leafOf(names.filPower, n), ...(n === 1 ? [leafOf(names.hnt, n)] : [])],
      absent: n === 1 || n > 15 ? [] : [{ ...names.hnt, ...(n === 15 ? { ended: true as const } : {}) }],
      after: []
    }
  })
})

/** The files of a log as they are after each of its closes, and its entries. */
export interface Files {
  readonly entries: ReadonlyArray<string>
  /** How many entries there are after each close. */
  readonly sizes: ReadonlyArray<number>
  readonly sourceOf: (size: number) => Source
}

/** Writes the files. Nothing is checked: what is a lie is signed like all else. */
export const filesOf = (written: Story): Files => {
  const files = new Map<string, Uint8Array>()
  const entries: Array<string> = []
  const sizes: Array<number> = []
  let hours = 0
  const numbered = (text: string): string => {
    const read = JSON.parse(text)
    return read.n === 0 ? canonical({ ...read, n: ++hours }) : text
  }
  const add = (one: Document) => {
    const text = one.kind === "runs" ? numbered(one.text) : one.text
    if (one.hidden !== true) files.set(`/v1/log/documents/${hash(text)}`, utf8(text))
    if (one.file !== undefined) files.set(one.file[0], utf8(one.file[1]))
    const { kind, recorded_at, simulated, subject } = one
    const tag = simulated === true ? { v: "service-entry-v2-demo", simulated } : { v: "service-entry-v2" }
    entries.push(canonical({ ...tag, kind, sha256: hash(text), subject, recorded_at }))
  }
  for (const { absent, after, before, day, entry, leaves } of written.closes) {
    before.forEach(add)
    const cutOff =
      entry?.["cut_off"] ?? `${new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)}T08:00:00Z`
    const list = absenceList(absent)
    const texts = [
      ...leaves.toSorted(compareLeaves),
      {
        v: "service-leaf-v2",
        kind: "absent",
        day,
        cut_off: cutOff,
        n_series: list.count,
        series_sha256: list.sha256
      }
    ].map((leaf) => canonical(leaf))
    const tree = treeOf(texts.map(utf8))
    const count = (kind: string) => leaves.filter((leaf) => leaf.kind === kind).length
    files.set(`/v1/log/batches/${day}/leaves`, utf8(`${texts.join("\n")}\n`))
    files.set(`/v1/log/batches/${day}/absent`, utf8(list.text))
    entries.push(
      canonical({
        v: "service-batch-v2",
        days: [day],
        cut_off: cutOff,
        closed_at: cutOff,
        late: false,
        root: toHex(root(tree)),
        tree_size: tree.size,
        n_readings: count("reading"),
        n_late: count("late"),
        n_revisions: count("revision"),
        n_absent: list.count,
        absent_sha256: list.sha256,
        ...entry
      })
    )
    after.forEach(add)
    sizes.push(entries.length)
  }
  const sourceOf = (size: number): Source => {
    const there = entries.slice(0, size).map(utf8)
    const tree = treeOf(there)
    const now = new Map(files)
    now.set("/v1/log/checkpoint", utf8(checkpointOf(tree)))
    now.set("/.well-known/service-signing-key.json", utf8(JSON.stringify(servedKeys)))
    now.set(`/v1/log/${tilePath({ level: 0, index: 0, width: size })}`, hashesOf(there))
    now.set(`/v1/log/${entriesPath(0, size)}`, bundleOf(there))
    return { name: "a log", read: async (path) => now.get(path) }
  }
  return { entries, sizes, sourceOf }
}

const hashesOf = (entries: ReadonlyArray<Uint8Array>): Uint8Array =>
  Uint8Array.from(entries.flatMap((entry) => [...sha256(Uint8Array.of(0, ...entry))]))

const bundleOf = (entries: ReadonlyArray<Uint8Array>): Uint8Array =>
  Uint8Array.from(entries.flatMap((entry) => [entry.length >> 8, entry.length & 255, ...entry]))
