/** The expected series that a day has no leaf for: a batch lists them, so that a gap is as provable as a reading. */
import { Array as Arr, Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { type AbsentSeries, parseAbsenceList, type SeriesName } from "../proof/leaf.ts"
import type { Feeds } from "../readings/Feeds.ts"
import { texts } from "../readings/ingest/arrays.ts"
import { rowsOf } from "../sql/rows.ts"

/** A series stays expected for this many days after its last accepted leaf. */
const expectedDays = 14

/** Series of one statement. */
const chunk = 5000

const names = { symbol: Schema.String, metric: Schema.String, source: Schema.String }
const silentRows = rowsOf({ id: Schema.Int, ...names, expected: Schema.Boolean, stays: Schema.Boolean })
const nameRows = rowsOf(names)

const listRows = rowsOf({ absent: Schema.String })

const keyOf = ({ metric, source, symbol }: SeriesName): string => `${symbol}|${metric}|${source}`

/**
 * The series expected on the batch's day that have no leaf of that day in the batch, whose leaves are all there. Expected are
 * the series with an accepted leaf of one of the 14 days before in earlier batches, those that a feed names, and those with a
 * row of the day that was set aside; and whatever the batch before listed without `ended`, so that each series has its last
 * absence marked. What ended on the day before is not listed: an absence that was the last stays it, though its feed runs again.
 */
export const absentOn = Effect.fn("absences.absentOn")(function* (
  { batch, day }: { readonly batch: number; readonly day: string },
  named: ReadonlyArray<SeriesName>,
  setAside: ReadonlyArray<SeriesName & { readonly day: string }>
) {
  const sql = yield* SqlClient.SqlClient
  const running = new Set(named.map(keyOf))
  const measured = setAside.filter((row) => row.day === day)
  const aside = new Set(measured.map(keyOf))
  const dayBefore = yield* listOfDayBefore(day)
  const continuing = dayBefore.filter(({ ended }) => ended === undefined)
  const absent = new Map<string, SeriesName & { readonly stays: boolean }>(
    [...named, ...measured, ...continuing].map((name) => [keyOf(name), { ...name, stays: false }])
  )
  for (const one of dayBefore) if (one.ended === true) absent.delete(keyOf(one))
  for (const part of Arr.chunksOf([...absent.values()], chunk)) {
    const present = yield* sql`
      select s.symbol, s.metric, s.source
      from unnest(${texts(part.map(({ symbol }) => symbol))}, ${texts(part.map(({ metric }) => metric))},
        ${texts(part.map(({ source }) => source))}) as n(symbol, metric, source)
        join series s using (symbol, metric, source)
      where exists (
        select 1 from leaf l where l.series = s.id and l.day = ${day}::date and l.batch = ${batch}
      ) limit ${chunk}`.pipe(nameRows)
    for (const name of present) absent.delete(keyOf(name))
  }
  let after = 0
  while (true) {
    // Most series have a leaf of the day: of those, nothing else is asked. `offset 0` holds the planner, which without
    // statistics expects many others, to look these up one by one, and to find the batch's leaves by the batch alone:
    // otherwise it reads every leaf there is.
    const page = yield* sql`
      select s.id, s.symbol, s.metric, s.source,
        exists (
          select 1 from leaf l where l.series = s.id and l.day >= ${day}::date - ${expectedDays}::int
            and l.day < ${day}::date and l.incident = 0 and l.batch <> ${batch} offset 0
        ) as expected,
        exists (
          select 1 from leaf l where l.series = s.id and l.day > ${day}::date - ${expectedDays}::int
            and l.day < ${day}::date and l.incident = 0 offset 0
        ) as stays
      from series s where s.id > ${after} and s.id not in (
        select l.series from (select series, day from leaf where batch = ${batch} offset 0) l
        where l.day = ${day}::date and l.series is not null
      ) order by s.id limit ${chunk}`.pipe(silentRows)
    for (const { expected, id: _, ...series } of page) {
      const key = keyOf(series)
      if (expected || absent.has(key)) absent.set(key, series)
    }
    after = page.at(-1)?.id ?? after
    if (page.length < chunk) break
  }
  // A name that cannot be published must not stop the close.
  const published = [...absent].filter(([, { metric, source, symbol }]) =>
    [symbol, metric, source].every((name) => /^\P{Cc}+$/u.test(name))
  )
  return published.map(
    ([key, { metric, source, stays, symbol }]): AbsentSeries => ({
      symbol,
      metric,
      source,
      ...(stays || running.has(key) || aside.has(key) ? {} : { ended: true })
    })
  )
})

/** The absences of the day before. */
const listOfDayBefore = Effect.fnUntraced(function* (day: string) {
  const sql = yield* SqlClient.SqlClient
  const [before] = yield* sql`
    select absent from batch where day = ${day}::date - 1 and closed_at is not null`.pipe(listRows)
  return before === undefined ? [] : parseAbsenceList(before.absent)
})

/**
 * The series that running feeds name outright: those of a feed of one network and one source, whose metrics are not a
 * family. What any other feed measures is known only by what it measured.
 */
export const namedBy = Effect.fnUntraced(function* ({ manifests, states }: Feeds["Service"]) {
  const feedStates = yield* states
  return manifests.flatMap(({ covers, disabled, id, metrics, source, sources = [] }) => {
    const [symbol, ...others] = "networks" in covers ? covers.networks : []
    const state = feedStates.get(id)?.state
    // A feed whose manifest says `disabled` runs where the operator enabled it.
    const runs = state === undefined ? disabled === undefined : state !== "disabled" && state !== "needs_key"
    if (!runs || symbol === undefined || others.length > 0 || sources.length > 0) return []
    return Object.entries(metrics)
      .filter(([, { of }]) => of === undefined)
      .map(([metric]): SeriesName => ({ symbol, metric, source }))
  })
})
