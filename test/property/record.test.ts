/**
 * Whatever feeds deliver, fall silent, are disabled or removed, whatever is late, broken or under an incident: each batch is
 * true. Its leaves keep their rules, its absences name no series with a leaf of the day, each expected series has a leaf or
 * an absence, and the last absence of a series is marked, once. Judged by what was published alone.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { Log } from "../../core/log/Log.ts"
import type { Manifest } from "../../core/plugin/Manifest.ts"
import { checkLeavesOf } from "../../core/proof/batch.ts"
import { isBatch, parseEntry } from "../../core/proof/entry.ts"
import { parseIncidents } from "../../core/proof/incidents.ts"
import { parseAbsenceList, parseLeaf, provenAbsence, type SeriesName } from "../../core/proof/leaf.ts"
import { Feeds } from "../../core/readings/Feeds.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { endless } from "../../core/readings/ingest/write/exclusions.ts"
import { Current } from "../../core/readings/read/Current.ts"
import type { FeedState } from "../../core/wire/data/feedState.ts"
import { captureLog } from "../support/captureLog.ts"
import { postgres } from "../support/database.ts"
import * as LogKeys from "../support/logKey.ts"
import * as Runs from "../support/runs.ts"

// `RUNS` makes a campaign of it.
const numRuns = Number(process.env["RUNS"] ?? 8)

const first = Date.UTC(2026, 8, 1)
const length = 22
const hour = 3_600_000
const dayLength = 24 * hour
const startOf = (n: number) => first + n * dayLength
const dateOf = (n: number) => new Date(startOf(n)).toISOString().slice(0, 10)
const stays = 14

const feed = (id: string, over: Partial<Manifest>): Manifest => ({
  ...Runs.manifest,
  id,
  source: id,
  ...over
})
const count = { unit: "count", meaning: "Nodes." } as const

const manifests = [
  feed("alone", {
    covers: { networks: ["FIL"] },
    metrics: { nodes: count, all: count, "country_*": { ...count, of: ["DE", "FR"] } }
  }),
  feed("keyed", { covers: { networks: ["STORJ"] }, metrics: { all: count } }),
  feed("second", { covers: { networks: ["FIL", "STORJ"] }, metrics: { nodes: count } }),
  feed("union", { covers: { networks: ["AKT"] }, sources: ["union_b"], metrics: { nodes: count } })
]

const named: ReadonlyArray<readonly [plugin: string, symbol: string, metric: string, source: string]> = [
  ["alone", "FIL", "nodes", "alone"],
  ["alone", "FIL", "all", "alone"],
  ["alone", "FIL", "country_DE", "alone"],
  ["alone", "FIL", "country_FR", "alone"],
  ["keyed", "STORJ", "all", "keyed"],
  ["second", "FIL", "nodes", "second"],
  ["second", "STORJ", "nodes", "second"],
  ["union", "AKT", "nodes", "union"],
  ["union", "AKT", "nodes", "union_b"]
]
const series = named.map(([plugin, symbol, metric, source]) => ({ plugin, symbol, metric, source }))
/** What manifests name outright: neither the family, nor a feed of two networks, nor one of two sources. */
const outright = ["FIL|nodes|alone", "FIL|all|alone", "STORJ|all|keyed"]

type Status = "runs" | "disabled" | "removed" | "needs_key"

/** A value for each day, which stays for a while. */
const phases = <A>(value: fc.Arbitrary<A>) =>
  fc
    .array(fc.tuple(value, fc.integer({ min: 1, max: 18 })), { minLength: length, maxLength: length })
    .map((all) => all.flatMap(([each, days]) => Array.from({ length: days }, () => each)).slice(0, length))

const one = fc.nat(series.length - 1)
const sometimes = <A>(value: fc.Arbitrary<A>) => fc.option(value, { nil: undefined, freq: 2 })

const history = fc.record({
  feeds: fc.tuple(
    ...manifests.map(() =>
      phases(fc.constantFrom<Status>("runs", "runs", "runs", "disabled", "removed", "needs_key"))
    )
  ),
  reads: fc.tuple(...series.map(() => phases(fc.boolean()))),
  days: fc.array(
    fc.record({
      late: sometimes(fc.record({ of: one, back: fc.integer({ min: 1, max: 16 }) })),
      open: sometimes(one),
      close: sometimes(fc.nat(5)),
      broken: sometimes(fc.record({ of: one, how: fc.constantFrom("address", "count", "early") }))
    }),
    { minLength: length, maxLength: length }
  )
})
type History = typeof history extends fc.Arbitrary<infer A> ? A : never

const keyOf = ({ metric, source, symbol }: SeriesName) => `${symbol}|${metric}|${source}`
const stateOf = (plugin: string, state: FeedState["state"]): FeedState => ({
  plugin,
  state,
  last_started: null,
  last_success: null,
  last_failure: null,
  last_error: null,
  next_run: null,
  runs: 0,
  failures: 0
})

/** The feeds as they are on the day that is being closed. */
let today: ReadonlyArray<Status> = []
const changing = Feeds.of({
  get manifests() {
    return manifests.flatMap((manifest, n) =>
      today[n] === "removed"
        ? []
        : [today[n] === "disabled" ? { ...manifest, disabled: "a reason" } : manifest]
    )
  },
  states: Effect.sync(
    () =>
      new Map(
        manifests.flatMap(({ id }, n) =>
          today[n] === "needs_key" ? [[id, stateOf(id, "needs_key")] as const] : []
        )
      )
  )
})

const services = Layer.mergeAll(Ingest.layer, Incidents.layer).pipe(
  Layer.provideMerge(Current.layer),
  Layer.provideMerge(Blobs.layerTable),
  Layer.provideMerge(Layer.effectDiscard(Effect.orDie(partitions.ensure(startOf(length))))),
  Layer.provideMerge(Layer.succeed(Feeds, changing)),
  Layer.provideMerge(LogKeys.layer()),
  Layer.provideMerge(postgres)
)

const live = Effect.fnUntraced(function* ({ days, feeds, reads }: History) {
  const sql = yield* SqlClient.SqlClient
  const ingest = yield* Ingest
  const incidents = yield* Incidents
  const close = yield* DailyClose
  const at = (of: number, day: number, hours: number) =>
    Runs.row(100, new Date(startOf(day) + hours * hour).toISOString().replace(".000Z", "Z"), series[of])
  const opened: Array<number> = []
  for (const [n, { broken, close: shut, late, open }] of days.entries()) {
    today = feeds.map((phase) => phase[n] ?? "runs")
    // The record begins with a reading.
    const begins = (of: number) => n === 0 && of === 0
    yield* TestClock.setTime(startOf(n) + 12 * hour)
    for (const [f, { id }] of manifests.entries()) {
      const rows = series.flatMap(({ plugin }, of) =>
        plugin === id && (begins(of) || (today[f] === "runs" && reads[of]?.[n] === true))
          ? [at(of, n, 10)]
          : []
      )
      if (rows.length > 0) yield* ingest.write(Runs.delivery(startOf(n) + 12 * hour, rows, id))
    }
    if (late !== undefined && late.back <= n) {
      const row = at(late.of, n - late.back, 15)
      yield* ingest.write(Runs.delivery(startOf(n) + 12 * hour, [row], series[late.of]?.plugin ?? ""))
    }
    yield* TestClock.setTime(startOf(n) + 18 * hour)
    const range = open === undefined ? undefined : series[open]
    if (range !== undefined) {
      const { metric, source, symbol } = range
      const id = yield* incidents
        .open({ symbol, metric, source, from: startOf(n - 2), to: endless }, "a bad deploy")
        .pipe(Effect.catchTag("RangeEmpty", () => Effect.succeed(0)))
      if (id > 0) opened.push(id)
    }
    if (shut !== undefined) {
      const [id] = opened.splice(shut, 1)
      if (id !== undefined) yield* incidents.close(id, "it was right")
    }
    if (broken !== undefined) {
      const of = series[broken.of]
      const where = sql`day = ${dateOf(n)}::date and sealed_by is null and series = (
        select id from series where symbol = ${of?.symbol} and metric = ${of?.metric} and source = ${of?.source})`
      if (broken.how === "address") yield* sql`update daily set verify_url = '' where ${where}`
      if (broken.how === "count")
        yield* sql`update daily set n_observations = n_observations + 1 where ${where}`
      if (broken.how === "early")
        yield* sql`update daily set recorded_at = as_of - interval '1 hour' where ${where}`
    }
    yield* TestClock.setTime(startOf(n + 1) + 8 * hour)
    yield* close.run
    yield* holds(feeds.map((phase) => phase.slice(0, n + 1)))
  }
})

/** Everything published so far, read as an outsider reads it. */
const published = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const entries = yield* sql<{ text: string; body: string | null }>`
    select e.text, d.body from log_entry e left join document d on d.sha256 = e.text::jsonb ->> 'sha256' order by place`
  const batches = yield* sql<{
    day: string
    absent: string
    log_index: number
    leaves: ReadonlyArray<string>
  }>`
    select b.day::text as day, b.absent, b.log_index, array_agg(l.text order by l.place) as leaves
    from batch b join leaf l on l.batch = b.id where b.closed_at is not null group by b.id order by b.day`
  return {
    opened: entries.flatMap(({ body, text }, place) => {
      const entry = parseEntry(text)
      return isBatch(entry) || entry.kind !== "incidents"
        ? []
        : parseIncidents(body ?? "").events.map((event) => ({ ...event, place }))
    }),
    batches: batches.map(({ absent, day, leaves, log_index }) => {
      const entry = parseEntry(entries[log_index]?.text ?? "")
      return {
        day,
        place: log_index,
        entry: isBatch(entry) ? entry : assert.fail("not a batch"),
        leaves: leaves.map(parseLeaf),
        absent,
        list: parseAbsenceList(absent)
      }
    })
  }
})

const holds = Effect.fnUntraced(function* (feeds: ReadonlyArray<ReadonlyArray<Status>>) {
  const { batches, opened } = yield* published
  const last = batches.length - 1
  const batch = batches[last] ?? assert.fail("no batch")
  const about = (what: string) => `${what} on ${batch.day}`
  checkLeavesOf(batch.entry, batch.leaves)
  assert.deepStrictEqual(
    opened.map(({ n }) => n),
    opened.map((_, n) => n + 1)
  )
  for (const leaf of batch.leaves) {
    if (leaf.kind === "absent" || leaf.excluded_by === undefined) continue
    const cause = opened.find(({ event, incident }) => event === "opened" && incident === leaf.excluded_by)
    assert.isBelow(
      cause?.place ?? Number.POSITIVE_INFINITY,
      batch.place,
      about(`incident ${leaf.excluded_by}`)
    )
  }

  const present = new Set(
    batch.leaves.flatMap((leaf) => (leaf.kind !== "absent" && leaf.day === batch.day ? [keyOf(leaf)] : []))
  )
  /** True if one of these batches has an accepted leaf of one of the days that count. */
  const measured = (key: string, until: number, from: number, to: number) =>
    batches
      .slice(0, until)
      .some(({ leaves }) =>
        leaves.some(
          (leaf) =>
            leaf.kind !== "absent" &&
            leaf.excluded_by === undefined &&
            keyOf(leaf) === key &&
            leaf.day >= dateOf(from) &&
            leaf.day <= dateOf(to)
        )
      )
  const isNamed = (key: string) =>
    outright.includes(key) && feeds[key === "STORJ|all|keyed" ? 1 : 0]?.[last] === "runs"
  const absences = new Map(batch.list.map((one) => [keyOf(one), one]))
  const absence = batch.leaves.find(({ kind }) => kind === "absent")
  for (const one of batch.list) {
    assert.isFalse(present.has(keyOf(one)), about(`${keyOf(one)} is absent beside its leaf`))
    if (absence?.kind === "absent") provenAbsence(absence, batch.absent, one)
  }
  const before = batches[last - 1]
  // The one thing that is not published: rows of the day of which no leaf could be made.
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<SeriesName>`
    select s.symbol, s.metric, s.source from daily d join series s on s.id = d.series
    where d.day = ${batch.day}::date and d.sealed_by is null and d.n_observations > 0`
  const unsealed = new Set(rows.map(keyOf))
  for (const key of series.map(keyOf)) {
    const earlier = before?.list.find((one) => keyOf(one) === key)
    // The day after the last absence has none, though the feed may run again.
    const begins = isNamed(key) && earlier?.ended === undefined
    const expected = begins || measured(key, last, last - stays, last - 1)
    if (expected) assert.isTrue(present.has(key) || absences.has(key), about(`${key} is missing`))
    // After an absence that is not the last there is a leaf or another absence.
    const goesOn = earlier !== undefined && earlier.ended === undefined
    if (goesOn) assert.isTrue(present.has(key) || absences.has(key), about(`${key} ends without a word`))
    const absence = absences.get(key)
    if (absence === undefined) continue
    const aside = unsealed.has(key)
    assert.isTrue(expected || goesOn || aside, about(`nobody expects ${key}`))
    const next = isNamed(key) || measured(key, last + 1, last + 1 - stays, last)
    if (next) assert.isUndefined(absence.ended, about(`${key} is expected tomorrow`))
    else if (!aside) assert.isTrue(absence.ended, about(`the last absence of ${key}`))
  }
})

layer(services)((it) => {
  it.effect(
    "each batch is true, whatever happened",
    () =>
      Effect.gen(function* () {
        const { logger } = captureLog()
        const context = yield* Effect.context<Effect.Services<ReturnType<typeof once>>>()
        yield* Effect.promise(() =>
          fc.assert(
            fc.asyncProperty(history, (all) =>
              Effect.runPromiseWith(context)(once(all).pipe(Effect.provide(logger)))
            ),
            { numRuns, endOnFailure: true }
          )
        )
      }),
    numRuns * 20_000
  )
})

const once = Effect.fnUntraced(function* (all: History) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`truncate anchor, anchor_failure, checkpoint, cosignature, document, log_entry, tree_level, leaf, batch, incident_event,
    exclusion, incident, revision, daily, latest, observation, reading_row, exchange, run, blob, fact`
  yield* (yield* Current).reload
  yield* TestClock.setTime(first)
  // Services whose memory is as empty as the tables.
  yield* Effect.provide(live(all), DailyClose.layer.pipe(Layer.provideMerge(Log.layer)), { local: true })
})
