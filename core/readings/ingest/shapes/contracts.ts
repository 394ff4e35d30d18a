/**
 * Shape contracts: what the answers of each address held in the accepted runs of a plugin. A run whose answers break that opens an
 * incident, which says what was there and what is; it holds no reading, because figures that are still read may be right.
 */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { rowsOf } from "../../../sql/rows.ts"
import { texts, times } from "../arrays.ts"
import type { Moved } from "../compare/classify.ts"
import type { RunResult } from "../Run.ts"
import { AddressShape, hostIn, mostAddresses } from "./addresses.ts"
import { breaksOf, type Difference, differencesOf, inWords } from "./differences.ts"
import { merged, Shape } from "./shape.ts"

/** A run with the shapes of its answers. */
export interface ShapedRun {
  readonly run: RunResult
  readonly shapes: ReadonlyArray<AddressShape>
}

const decodeShape = Schema.decodeUnknownEffect(Schema.fromJsonString(Shape))

const contractRows = rowsOf({
  plugin: Schema.String,
  address: Schema.String,
  shape: Schema.String,
  incident: Schema.NullOr(Schema.Int),
  unbroken: Schema.NullOr(Schema.String)
})

/** The contract of one address. */
interface Contract {
  readonly text: string
  readonly shape: Shape
  /** While an incident is open: what answers held before it, which later contracts no longer say. */
  readonly unbroken?: Shape
}

/** An address whose answers broke its contract, or changed beside a figure that moved. */
interface Broken {
  readonly run: RunResult
  readonly address: string
  readonly differences: ReadonlyArray<string>
  /** The contract that it broke. */
  readonly text: string
  readonly about: Moved | undefined
}

/** Names of members sorted, so that equal shapes are equal texts. */
const textOf = (shape: Shape): string =>
  JSON.stringify(Object.fromEntries(Object.entries(shape).sort(([a], [b]) => (a < b ? -1 : 1))))

const keyOf = (plugin: string, address: string): string => `${plugin} ${address}`

/**
 * Compares the runs with the contracts, opens incidents, and writes what accepted runs add to the contracts. `moved`: rows of these
 * runs that are far from the value before. Call in the transaction that stores the runs. Returns how many incidents it opened.
 */
export const keepShapes = Effect.fn("contracts.keepShapes")(function* (
  runs: ReadonlyArray<ShapedRun>,
  moved: ReadonlyArray<Moved>,
  now: Date
) {
  const shaped = runs.filter(({ run, shapes }) => run.simulated !== true && shapes.length > 0)
  if (shaped.length === 0) return 0
  const sql = yield* SqlClient.SqlClient
  const stored = yield* sql`
    select a.plugin, a.address, a.shape, i.id as incident, case when i.id is not null then a.unbroken end as unbroken
    from answer_shape a left join incident i on i.id = a.incident and i.closed_at is null and i.over_at is null
    where a.plugin = any(${texts([...new Set(shaped.map(({ run }) => run.plugin))])})
    order by a.plugin, a.address limit 100000`.pipe(contractRows)
  const contracts = new Map<string, Contract>()
  for (const { address, plugin, shape, unbroken } of stored)
    contracts.set(keyOf(plugin, address), {
      text: shape,
      shape: yield* Effect.orDie(decodeShape(shape)),
      ...(unbroken === null ? {} : { unbroken: yield* Effect.orDie(decodeShape(unbroken)) })
    })
  /** Hosts of plugins that an open incident is about. */
  const noted = new Map(
    stored.flatMap(({ address, incident, plugin }) =>
      incident === null ? [] : [[keyOf(plugin, hostIn(address)), incident] as const]
    )
  )
  const changes = new Map<string, Change>()
  const broken: Array<Broken> = []
  const differing = new Map<string, AddressOf>()
  for (const { run, shapes } of shaped) {
    const own = moved.filter((one) => one.run === run.id)
    let room = mostAddresses - stored.filter(({ plugin }) => plugin === run.plugin).length
    for (const { address, shape } of shapes) {
      const key = keyOf(run.plugin, address)
      const contract = contracts.get(key)
      const differences = contract === undefined ? [] : changesOf(address, contract.shape, shape, own)
      if (contract !== undefined && differences.length > 0)
        broken.push({ run, address, differences, text: contract.text, about: own[0] })
      if (contract?.unbroken !== undefined && changesOf(address, contract.unbroken, shape, []).length > 0)
        differing.set(key, { plugin: run.plugin, address })
      if (run.status !== "ok" || run.observations.length === 0) continue
      if (contract === undefined && room-- <= 0) continue
      const next = contract === undefined ? shape : merged(contract.shape, shape)
      const text = textOf(next)
      if (text === contract?.text) continue
      contracts.set(key, { ...contract, text, shape: next })
      changes.set(key, { run: run.id, plugin: run.plugin, address, text })
    }
  }
  yield* writeContracts([...changes.values()], now)
  yield* noteDiffering([...differing.values()], now)
  return yield* openIncidents(broken, noted, now)
})

interface AddressOf {
  readonly plugin: string
  readonly address: string
}

interface Change extends AddressOf {
  readonly text: string
  readonly run: string
}

/**
 * What breaks a contract, in words, with the lengths of lists that changed as much. New members count only where a figure moved, since
 * upstreams add members all the time.
 */
const changesOf = (
  address: string,
  before: Shape,
  now: Shape,
  moved: ReadonlyArray<Moved>
): ReadonlyArray<string> => {
  const differences = differencesOf(now, before)
  const breaks = breaksOf(differences)
  const nothing: ReadonlyArray<Difference> = []
  const hasMoved = moved.length > 0
  if (breaks.gone.length + breaks.changed.length + (hasMoved ? differences.added.length : 0) === 0) return []
  const words = inWords(
    { ...breaks, added: hasMoved ? differences.added : nothing, lengths: differences.lengths },
    address
  )
  return [...words.gone, ...words.changed, ...words.added, ...words.lengths]
}

const writeContracts = Effect.fnUntraced(function* (changes: ReadonlyArray<Change>, now: Date) {
  if (changes.length === 0) return
  const sql = yield* SqlClient.SqlClient
  const text = (of: (change: Change) => string) => texts(changes.map(of))
  yield* sql`
    insert into answer_shape (plugin, address, shape, run, changed_at)
    select plugin, address, shape, run, changed_at
    from unnest(${text(({ plugin }) => plugin)}, ${text(({ address }) => address)}, ${text((one) => one.text)},
      ${text(({ run }) => run)}, ${times(changes.map(() => now))}) as t(plugin, address, shape, run, changed_at)
    on conflict (plugin, address)
      do update set shape = excluded.shape, run = excluded.run, changed_at = excluded.changed_at`
})

/** Notes that answers still are not what they were before an open incident. */
const noteDiffering = Effect.fnUntraced(function* (addresses: ReadonlyArray<AddressOf>, now: Date) {
  if (addresses.length === 0) return
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    update answer_shape set differed_at = ${now} where (plugin, address) in (
      select * from unnest(${texts(addresses.map(({ plugin }) => plugin))}, ${texts(addresses.map(({ address }) => address))})
    )`
})

/** Differences that one incident lists. */
const mostListed = 8

const idRows = rowsOf({ id: Schema.Int })

/** One incident for each plugin and host that has none open. */
const openIncidents = Effect.fnUntraced(function* (
  broken: ReadonlyArray<Broken>,
  noted: ReadonlyMap<string, number>,
  now: Date
) {
  const sql = yield* SqlClient.SqlClient
  const hostOf = ({ address, run }: Broken) => keyOf(run.plugin, hostIn(address))
  let opened = 0
  for (const [host, each] of Map.groupBy(broken, hostOf)) {
    const [first] = each
    if (first === undefined) continue
    const before = new Map(each.toReversed().map(({ address, text }) => [address, text]))
    const { plugin } = first.run
    const breakBy = (incident: number | null) => sql`
      update answer_shape a set broken_at = ${now}, differed_at = ${now},
        unbroken = case when a.incident = ${incident} then coalesce(a.unbroken, b.shape) else b.shape end,
        incident = ${incident}
      from unnest(${texts([...before.keys()])}, ${texts([...before.values()])}) as b(address, shape)
      where a.plugin = ${plugin} and a.address = b.address`
    const open = noted.get(host)
    if (open !== undefined) {
      yield* breakBy(open)
      continue
    }
    const series = yield* seriesAt(first)
    if (series === undefined) continue
    const reason = reasonOf(each)
    const [incident] = yield* sql`
      insert into incident ${sql.insert({
        kind: "automatic",
        ...series,
        from_as_of: new Date(first.run.finished),
        to_as_of: new Date(first.run.finished),
        reason,
        opened_at: now
      })} returning id`.pipe(idRows)
    yield* breakBy(incident?.id ?? null)
    yield* Effect.logWarning("answers of an upstream have another shape", {
      plugin,
      run: first.run.id,
      incident: incident?.id,
      reason
    })
    opened++
  }
  return opened
})

const reasonOf = (broken: ReadonlyArray<Broken>): string => {
  const [first] = broken
  const listed = broken.flatMap(({ differences }) => differences)
  const about = first?.about
  return [
    `answers that ${first?.run.plugin} reads have changed: ${listed.slice(0, mostListed).join("; ")}`,
    ...(listed.length > mostListed ? [`and ${listed.length - mostListed} more`] : []),
    ...(about === undefined
      ? []
      : [`${about.row.symbol} ${about.row.metric} went from ${about.before} to ${about.row.value}`]),
    "this holds no reading"
  ]
    .join("; ")
    .slice(0, 2000)
}

const Named = Schema.Struct({ symbol: Schema.String, metric: Schema.String, source: Schema.String })
const namedRows = rowsOf(Named.fields)

/** The series that an incident is about: the figure that moved, else one that was read from the host, else one of the plugin. */
const seriesAt = Effect.fnUntraced(function* ({ about, address, run }: Broken) {
  if (about !== undefined) {
    const { metric, source, symbol } = about.row
    return { symbol, metric, source } satisfies typeof Named.Type
  }
  const sql = yield* SqlClient.SqlClient
  const [series] = yield* sql`
    select s.symbol, s.metric, s.source from series s join latest l on l.series = s.id
    where s.plugin = ${run.plugin}
    order by split_part(coalesce(l.read_url, l.verify_url), '/', 3) = ${hostIn(address)} desc, s.id
    limit 1`.pipe(namedRows)
  return series
})

/**
 * Whether no answer that a plugin reads has broken its contract since the first run with the code `from` (its hash), or since a later
 * time. False where that code has never run, and where nothing is known of the plugin's answers: then somebody must look.
 */
export const isShapeUnchanged = Effect.fn("contracts.isShapeUnchanged")(function* (
  plugin: string,
  { from, since = new Date(0) }: { readonly from: string; readonly since?: Date }
) {
  const sql = yield* SqlClient.SqlClient
  const unchanged = yield* sql`
    select 1 from (
      select finished_at from run where plugin = ${plugin} and code_hash = ${from} and complete and status = 'ok'
      order by id limit 1
    ) first
    where exists (select 1 from answer_shape where plugin = ${plugin}) and not exists (
      select 1 from answer_shape
      where plugin = ${plugin} and broken_at >= greatest(first.finished_at, ${since})
    )`
  return unchanged.length > 0
})

/** What is known of the answers of one address of a plugin. */
export const AddressContract = Schema.Struct({ plugin: Schema.String, ...AddressShape.fields })
export interface AddressContract extends Schema.Schema.Type<typeof AddressContract> {}

const storedRows = rowsOf({ plugin: Schema.String, address: Schema.String, shape: Schema.String })

/** All contracts, by plugin and address: what `probe` compares with beside the fixtures. Only reads. */
export const allContracts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    select plugin, address, shape from answer_shape order by plugin, address limit 100000`.pipe(storedRows)
  return yield* Effect.forEach(rows, ({ address, plugin, shape }) =>
    Effect.map(Effect.orDie(decodeShape(shape)), (shape): AddressContract => ({ plugin, address, shape }))
  )
})
