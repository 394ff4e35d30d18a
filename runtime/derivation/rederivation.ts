/**
 * Reads the stored bodies of a plugin's runs with today's code. What older code read wrongly is found without asking the
 * upstream again, and can be published as revisions; the days stay as they were recorded.
 */
import { Effect, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import * as SqlClient from "effect/sql/SqlClient"
import * as DataClock from "../../core/clock/DataClock.ts"
import { toNumber } from "../../core/credits/Money.ts"
import { costOf } from "../../core/credits/warranty/due.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import type { WarrantedValue } from "../../core/proof/warranty.ts"
import { collected } from "../../core/readings/ingest/collected.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import type { RunResult } from "../../core/readings/ingest/Run.ts"
import { compareRows, type RowChange } from "../../core/readings/ingest/rederivable.ts"
import { rowsOf } from "../../core/sql/rows.ts"
import * as CodeHash from "../collector/codeHash.ts"
import { type Again, makeAgain } from "./again.ts"
import { type Stored, storedRun, tapeOf } from "./storedTape.ts"

/** Runs looked up at once. */
const page = 100

/** Revised values whose sales are counted. */
const mostPriced = 200_000

/** Changes that a report names; it counts the others. */
const named = 50

const runRows = rowsOf({ id: Schema.String })

/** The plugin's own runs since `from` (epoch milliseconds), oldest first, after the one of this id. */
const runsAfter = Effect.fnUntraced(function* (plugin: string, from: number, after: string) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select id from run where plugin = ${plugin} and id > ${after} and complete and ${sql.literal(collected("run"))}
      and run_now >= ${new Date(from)}
    order by id limit ${page}`.pipe(runRows)
})

/** One difference, as a report names it. */
export interface NamedChange {
  readonly symbol: string
  readonly metric: string
  readonly source: string
  readonly as_of: string
  /** Absent where nothing is stored of that time. */
  readonly before?: string
  readonly after: string
}

export interface Report {
  readonly plugin: string
  /** Runs that were read again. */
  readonly runs: number
  /** Runs of today's code, which would give the same. */
  readonly current: number
  /** Runs of which a body is no longer stored. */
  readonly without_bodies: number
  /** Runs that gave rows and now fail, by the reason. */
  readonly failing: Readonly<Record<string, number>>
  /** Readings that stay as they are. */
  readonly same: number
  readonly revised: number
  readonly added: number
  /** By metric: how many readings change or are added. */
  readonly metrics: Readonly<Record<string, number>>
  /** The first of them. */
  readonly changes: ReadonlyArray<NamedChange>
  /** Sales whose warranty pays if this is published, and what they get, USD. Absent once it is published, and of no revision. */
  readonly warranty?: { readonly sales: number; readonly cost_usd: number }
  readonly code_before: ReadonlyArray<string>
  readonly code_after: string | undefined
  readonly published: boolean
}

const textOf = ({
  value,
  value_text
}: {
  readonly value: number
  readonly value_text?: string | null | undefined
}) => value_text ?? String(value)

const nameOf = ({ before, row }: RowChange): NamedChange => ({
  symbol: row.symbol,
  metric: row.metric,
  source: row.source,
  as_of: row.as_of,
  ...(before === undefined ? {} : { before: textOf(before) }),
  after: textOf(row)
})

/** The stored value that a row replaces. */
const replacedOf = ({ as_of, metric, source, symbol }: RowChange["row"], value: number): WarrantedValue => ({
  symbol,
  metric,
  source,
  as_of: Date.parse(as_of),
  value
})

/** The run to store: the exchanges are the old run's, the code and the rows are today's. */
const runOf = Effect.fnUntraced(function* (
  run: Stored,
  codeHash: string,
  { observations, refused }: Exclude<Again, { readonly error: unknown }>
) {
  const random = yield* SecureRandom.SecureRandom
  const at = isoTime(yield* DataClock.now)
  return {
    id: yield* random.uuidV7(),
    plugin: run.plugin,
    started: at,
    finished: at,
    now: run.now,
    code_hash: codeHash,
    targets_sha256: run.targets_sha256,
    settings: run.settings,
    status: "ok",
    exchanges: run.exchanges,
    observations,
    refused,
    rederives: run.id,
    ...(run.simulated === true ? { simulated: true as const } : {})
  } satisfies RunResult
})

/**
 * Reads the stored runs of a plugin since `from` again. With `publish`, runs whose rows differ are stored as runs of today's
 * code: what differs becomes a revision, and what is new of a closed day is late. `progress` is told of each hundred runs.
 */
export const rederive = Effect.fn("Derivation.rederive")(function* (options: {
  readonly plugin: string
  readonly from: number
  readonly publish: boolean
  readonly progress: (runs: number, day: string) => Effect.Effect<void>
}) {
  const { from, plugin, progress, publish } = options
  const ingest = yield* Ingest
  const sources = [...(yield* CodeHash.own(plugin)), ...(yield* CodeHash.shared)]
  const deriveAgain = yield* makeAgain
  const counts = { runs: 0, current: 0, without_bodies: 0, same: 0, revised: 0, added: 0 }
  const failing = new Map<string, number>()
  const metrics = new Map<string, number>()
  const changes: Array<NamedChange> = []
  const codes = new Set<string>()
  const replaced: Array<WarrantedValue> = []
  let codeAfter: string | undefined

  const readAgain = Effect.fnUntraced(function* (id: string) {
    const run = yield* storedRun(id)
    const codeHash = CodeHash.codeHash(sources, run.settings)
    codeAfter = codeHash
    if (run.code_hash === codeHash) {
      counts.current++
      return run
    }
    const tape = yield* tapeOf(run)
    if (tape === undefined) {
      counts.without_bodies++
      return run
    }
    counts.runs++
    const again = yield* deriveAgain({ plugin, tape })
    if ("error" in again) {
      if (run.status === "ok") {
        const reason = `${again.error.tag}: ${again.error.message}`.slice(0, 200)
        failing.set(reason, (failing.get(reason) ?? 0) + 1)
      }
      return run
    }
    const compared = yield* compareRows(run.id, again.observations)
    counts.same += compared.same
    if (compared.changes.length === 0) return run
    codes.add(run.code_hash)
    for (const change of compared.changes) {
      if (change.before === undefined) counts.added++
      else {
        counts.revised++
        if (replaced.length < mostPriced) replaced.push(replacedOf(change.row, change.before.value))
      }
      metrics.set(change.row.metric, (metrics.get(change.row.metric) ?? 0) + 1)
      if (changes.length < named) changes.push(nameOf(change))
    }
    if (publish) yield* ingest.write({ run: yield* runOf(run, codeHash, again), bodies: new Map() })
    return run
  })

  let after = ""
  while (true) {
    const runs = yield* runsAfter(plugin, from, after)
    let day = ""
    for (const { id } of runs) day = (yield* readAgain(id)).now.slice(0, 10)
    after = runs.at(-1)?.id ?? after
    if (runs.length < page) break
    yield* progress(counts.runs + counts.current + counts.without_bodies, day)
  }
  const cost = publish || replaced.length === 0 ? undefined : yield* costOf(replaced)
  return {
    plugin,
    ...counts,
    ...(cost === undefined ? {} : { warranty: { sales: cost.sales, cost_usd: toNumber(cost.amount) } }),
    failing: Object.fromEntries(failing),
    metrics: Object.fromEntries([...metrics].sort(([, a], [, b]) => b - a)),
    changes,
    code_before: [...codes],
    code_after: codeAfter,
    published: publish
  } satisfies Report
}, Effect.scoped)
