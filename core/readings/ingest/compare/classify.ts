/** Compares rows with stored ones, and decides which become readings and under which incident. */
import { Effect, Predicate } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { metricNamed } from "../../../plugin/Manifest.ts"
import { isNeverFalling } from "../../../plugin/relations.ts"
import type { Observation } from "../../../plugin/Value.ts"
import { manyRowsOf } from "../../../sql/rows.ts"
import { doubts } from "../../read/standings.ts"
import { ints } from "../arrays.ts"
import type { Candidate, Origin, RunRows } from "../candidate.ts"
import { retainedFrom } from "../partitions.ts"
import { checkGuards, smallest } from "./guards.ts"
import { holding } from "./holding.ts"
import type { NewestVersion } from "./newestVersions.ts"
import { agrees, hoursOf, pastsOf, secondSourcesOf } from "./pasts.ts"
import type { Doubt } from "./standingsOfSeries.ts"

export interface Classified extends Candidate {
  /** The incident that excludes it, or 0. */
  readonly incident: number
  /** Why a guard holds it; absent of one that passes, or that an operator's incident excludes. */
  readonly reason?: string
  /** True while two levels of its series are in doubt. */
  readonly inDoubt: boolean
  /** Its version as a reading; 0 if the reading already exists or is too old to store. */
  readonly version: number
  /** The newest earlier version. */
  readonly before: NewestVersion | undefined
  /** False if a later run reported a different value for the same time; that one wins. */
  readonly current: boolean
}

const latestRows = manyRowsOf({
  series: Predicate.isNumber,
  as_of: Predicate.isDate,
  value: Predicate.isNumber,
  in_doubt: Predicate.isBoolean
})

/**
 * Reads what the rows of a transaction are judged by, and returns what classifies them, part by part in their order. An
 * existing reading keeps its verdict, which a person may have reviewed since. Backfills are not guarded: only rows at least
 * as new as the latest accepted one are compared with it.
 */
export const classifier = Effect.fnUntraced(function* (runs: ReadonlyArray<RunRows>) {
  const sql = yield* SqlClient.SqlClient
  const series = new Set(
    runs.flatMap(({ rows }) => rows.flatMap(({ newSeries, series }) => (newSeries ? [] : [series])))
  )
  const symbols = new Set(
    runs.flatMap(({ rows }) => rows.flatMap(({ rows: [first] }) => first?.symbol ?? []))
  )
  const newest = yield* sql`
    select l.series, l.as_of, l.value, d.series is not null as in_doubt
    from latest l left join ${doubts(sql)} d on d.series = l.series
    where l.series = any(${ints([...series])})`.pipe(latestRows)
  const onHold = yield* holding(symbols)
  const oldest = yield* retainedFrom
  const latest = new Map(newest.map(({ as_of, series, value }) => [series, { asOf: as_of.getTime(), value }]))
  const latestBefore = new Set(latest.keys())
  const doubted = new Set(newest.flatMap(({ in_doubt, series }) => (in_doubt ? [series] : [])))

  /** The incidents whose readings are served after all, each with its series and why. */
  const released = new Map<number, { readonly series: number; readonly note: string }>()
  const doubtful: Array<Doubt> = []
  const moved: Array<Moved> = []

  const classify = Effect.fnUntraced(function* (
    rows: ReadonlyArray<Candidate>,
    newestVersions: ReadonlyMap<Candidate, NewestVersion>
  ) {
    const pasts = yield* pastsOf(rows, latest)
    const suspects = rows.filter(({ series }) => pasts.has(series))
    const hours = yield* hoursOf(suspects)
    const seconds = yield* secondSourcesOf(suspects)
    const classified: Array<Classified> = []
    for (const candidate of rows) {
      const before = newestVersions.get(candidate)
      const { asOf, from, row, series } = candidate
      if (before !== undefined && (isLater(before, from) || same(before, row))) {
        classified.push({
          ...candidate,
          incident: before.incident,
          version: 0,
          before,
          current: same(before, row),
          inDoubt: doubted.has(series)
        })
        continue
      }
      const last = latest.get(series)
      const metric = metricNamed(from.manifest.metrics, row.metric)
      const accepted = last === undefined || last.asOf > asOf ? undefined : last
      if (
        accepted !== undefined &&
        from.rederives === undefined &&
        moved.length < mostMoved &&
        isFar(row.value, accepted.value)
      )
        moved.push({ run: from.run, row, before: accepted.value })
      // What is derived again was compared and confirmed by whoever had it done.
      const guarded =
        metric && from.rederives === undefined
          ? checkGuards({ metric, name: row.metric }, row.value, accepted?.value, {
              mayFall:
                accepted === undefined ||
                row.value >= accepted.value ||
                !isNeverFalling(from.manifest.relations, row.metric),
              past: {
                days: pasts.get(series) ?? [],
                hours: hours.get(candidate) ?? [],
                inDoubt: doubted.has(series)
              }
            })
          : undefined
      const judged = guarded === undefined || accepted === undefined ? undefined : { accepted, guarded }
      const settled =
        judged === undefined
          ? undefined
          : onHold.settledBy(candidate, judged.guarded.guard, judged.accepted.asOf)
      const second =
        judged === undefined || judged.guarded.guard === "bounds"
          ? undefined
          : seconds.get(candidate)?.find((one) => agrees(candidate, one))
      const passes = guarded === undefined || second !== undefined || settled !== undefined
      const manual = onHold.manualOf(candidate)
      if (manual === undefined && judged !== undefined && passes) {
        const level = settled ?? onHold.levelOf(candidate, judged.guarded.guard)?.id
        if (level !== undefined) {
          onHold.close(level)
          released.set(level, {
            series,
            note:
              second === undefined
                ? `the runs after it gave it again, the last one ${row.value}: served, and in doubt beside ${judged.accepted.value}`
                : `${second.source} says ${second.value}, which agrees with ${row.value}`
          })
        }
        if (second === undefined) {
          doubted.add(series)
          doubtful.push({
            series,
            run: from.run,
            before: judged.accepted,
            after: { value: row.value, asOf }
          })
        }
      }
      const incident =
        manual ?? (guarded === undefined || passes ? 0 : yield* onHold.hold(candidate, guarded))
      if (incident === 0 && (last === undefined || last.asOf <= asOf))
        latest.set(series, { asOf, value: row.value })
      classified.push({
        ...candidate,
        incident,
        ...(incident === 0 || manual !== undefined || guarded === undefined
          ? {}
          : { reason: guarded.reason }),
        inDoubt: doubted.has(series),
        version: asOf < oldest ? 0 : (before?.version ?? 0) + 1,
        before,
        current: true
      })
    }
    return classified
  })
  /** Series that this or an earlier transaction made, and of which nothing was ever served. */
  const unserved = new Set(
    runs.flatMap(({ rows }) => rows.flatMap(({ series }) => (latestBefore.has(series) ? [] : [series])))
  )
  return { classify, doubtful, moved, released, tell: onHold.tell, unserved }
})

/** A row that is far from the value before: what a changed answer may have to do with. */
export interface Moved {
  readonly run: string
  readonly row: Observation
  readonly before: number
}

/** Rows of a transaction that are listed as moved. */
const mostMoved = 200

/** By a factor of two up or down, and by more than small counts move. */
const isFar = (value: number, before: number): boolean => {
  const [less, more] = [
    Math.min(Math.abs(value), Math.abs(before)),
    Math.max(Math.abs(value), Math.abs(before))
  ]
  return more > 2 * less && more >= smallest
}

/** Of two runs that tell of one time, the later one to read its upstream has the word. */
const isLater = ({ readBy }: NewestVersion, { rederives, run }: Origin): boolean =>
  readBy > (rederives ?? run)

const same = (version: NewestVersion, row: Observation): boolean =>
  version.value === row.value && version.value_text === (row.value_text ?? null)
