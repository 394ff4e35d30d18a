/** Figures that a run neither has nor refuses: without a row and without a refusal, their absence would have no reason. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { targetsOf } from "../../../catalog/Catalog.ts"
import { type Manifest, symbolsNamed, symbolsOf } from "../../../plugin/Manifest.ts"
import { isRefusal, notes } from "../../../plugin/notes.ts"
import { Refusal } from "../../../plugin/Plugin.ts"
import { rowsOf } from "../../../sql/rows.ts"
import { collectedWell } from "../collected.ts"
import type { RunResult } from "../Run.ts"

/** How the reason of each absence begins. */
export const absence = "absent: "

/** How many readings a run refused, of the column with these, its absences and its notes. */
export const refusedOf = (column: string): string =>
  `(select count(*)::int from jsonb_array_elements(${column}) r where ${[absence, ...notes]
    .map((reason) => `not starts_with(r ->> 'reason', '${reason}')`)
    .join(" and ")})`

/** The reason among a run's refused readings of a figure that the last good run of the plugin had. */
export const absent = `${absence}no answer of this run has it`

/** The same of a figure, or of all figures of a network, that the manifest declares and the last good run had not, either. */
export const neverGiven = `${absence}declared, and no answer of this run has it`

const Name = Schema.Struct({ symbol: Schema.String, metric: Schema.String })
type Name = typeof Name.Type

const lastRows = rowsOf({ figures: Schema.Array(Name), refused: Schema.Array(Refusal) })

const keyOf = ({ metric, symbol }: Name): string => `${symbol}|${metric}`

/**
 * The run with each figure among its refused readings that it neither has nor refuses: one that the last good run of the plugin had,
 * or refused or missed it in its turn; a declared metric that no network has, and a network that has none. Members of a family come
 * and go, such as countries without a node: they are not listed, nor is what the manifest does not declare any more.
 */
export const withAbsent = Effect.fnUntraced(function* (run: RunResult, manifest: Manifest) {
  if (run.status !== "ok" || run.simulated === true) return run
  const before = yield* lastNames(run)
  const accounted = new Accounted()
  accounted.add(run.observations)
  accounted.add(run.refused.filter(isRefusal))
  const missing = namesIn(before.names.filter(isDeclared(manifest)).filter((name) => !accounted.has(name)))
  accounted.add(missing)
  const never = declaredNames(manifest).filter((name) => !accounted.has(name))
  if (missing.length + never.length === 0) return run
  const refused: ReadonlyArray<Refusal> = [
    ...missing.map((name) => ({ ...name, reason: absent })),
    ...never.map((name) => ({ ...name, reason: neverGiven }))
  ]
  const [first] = refused.filter((one) => !before.absent.has(keyOf(one)))
  if (first !== undefined) {
    yield* Effect.logWarning("figures are absent from a run", {
      plugin: run.plugin,
      run: run.id,
      figures: refused.length,
      first
    })
  }
  return { ...run, refused: [...run.refused, ...refused] }
})

/** Each name once. */
const namesIn = (names: ReadonlyArray<Name>): ReadonlyArray<Name> => [
  ...new Map(names.map(({ metric, symbol }) => [keyOf({ metric, symbol }), { symbol, metric }])).values()
]

/** What the last good run had, refused or missed, and what of that it missed. */
const lastNames = Effect.fnUntraced(function* (run: RunResult) {
  const sql = yield* SqlClient.SqlClient
  const [last] = yield* sql`
    select last.refused, coalesce((
      select json_agg(json_build_object('symbol', s.symbol, 'metric', s.metric))
      from latest l join series s on s.id = l.series where l.run = last.id and s.plugin = ${run.plugin}
    ), '[]') as figures
    from run last where last.plugin = ${run.plugin} and last.id < ${run.id} and ${sql.literal(collectedWell("last"))}
      and not last.simulated
    order by last.id desc limit 1`.pipe(lastRows)
  const { figures = [], refused = [] } = last ?? {}
  return {
    names: [...figures, ...refused.filter((one) => isRefusal(one) && one.reason !== neverGiven)],
    absent: new Set(refused.flatMap((one) => (one.reason.startsWith(absence) ? [keyOf(one)] : [])))
  }
})

const isDeclared = (manifest: Manifest) => {
  const symbols = symbolsOf(manifest, targetsOf(manifest.covers))
  return ({ metric, symbol }: Name): boolean =>
    symbols.has(symbol) &&
    Object.hasOwn(manifest.metrics, metric) &&
    manifest.metrics[metric]?.of === undefined
}

/**
 * What a manifest says of a run whatever was before: each metric is given of some network, and some metric of each network. Rows of
 * the catalog may be without.
 */
const declaredNames = ({ covers, metrics }: Manifest): ReadonlyArray<Name> => {
  const symbols = symbolsNamed(covers)
  const [only] = symbols
  const symbol = symbols.length === 1 && only !== undefined ? only : "*"
  return [
    ...Object.entries(metrics).flatMap(([metric, { of }]) => (of === undefined ? [{ symbol, metric }] : [])),
    ...symbols.map((symbol) => ({ symbol, metric: "*" }))
  ]
}

/** The names that rows and refusals stand for; a star stands for all. */
class Accounted {
  readonly #exact = new Set<string>()
  readonly #symbols = new Set<string>()
  readonly #metrics = new Set<string>()

  add(names: ReadonlyArray<Name>): void {
    let before: Name | undefined
    for (const name of names) {
      const { metric, symbol } = name
      // Rows of a series follow each other.
      if (before?.symbol === symbol && before.metric === metric) continue
      before = name
      this.#exact.add(keyOf(name))
      this.#symbols.add(symbol)
      this.#metrics.add(metric)
    }
  }

  has({ metric, symbol }: Name): boolean {
    return (
      this.#exact.has(keyOf({ symbol: "*", metric: "*" })) ||
      this.#exact.has(keyOf({ symbol, metric })) ||
      this.#exact.has(keyOf({ symbol, metric: "*" })) ||
      this.#exact.has(keyOf({ symbol: "*", metric })) ||
      (symbol === "*" && this.#metrics.has(metric)) ||
      (metric === "*" && this.#symbols.has(symbol))
    )
  }
}
