/** Which series a day's list of absences must have, and which it must not. */

import type { Finding } from "../../../../../core/proof/finding.ts"
import type { AbsentSeries, RowLeaf, SeriesName } from "../../../../../core/proof/leaf.ts"
import { dayAfter, firstOf, nameOf, seriesKey } from "./series.ts"

/** A series stays expected for this many days after its last leaf that no incident excludes. */
export const expectedDays = 14

/** What the batches so far say of the next day. */
export interface Expectations {
  /** Series with their last day that has an unexcluded leaf, as far as they are expected. */
  readonly last: ReadonlyMap<string, SeriesName & { readonly day: string }>
  /** The list of the newest batch. */
  readonly list: ReadonlyArray<AbsentSeries>
}

export const noExpectations: Expectations = { last: new Map(), list: [] }

/** What is expected after the batch of `day`. */
export const expectationsAfter = (
  before: Expectations,
  day: string,
  rows: ReadonlyArray<RowLeaf>,
  list: ReadonlyArray<AbsentSeries>
): Expectations => {
  const oldest = dayAfter(day, 1 - expectedDays)
  const last = new Map([...before.last].filter(([, one]) => one.day >= oldest))
  for (const row of rows) {
    if (row.excluded_by !== undefined || row.day < oldest) continue
    const key = seriesKey(row)
    const former = last.get(key)
    if (former === undefined || former.day < row.day) {
      const { metric, source, symbol } = row
      last.set(key, { symbol, metric, source, day: row.day })
    }
  }
  return { last, list }
}

/** What is wrong with the list of the batch of `day`. `after` is what is expected once the batch is counted. */
export const checkList = (
  before: Expectations,
  after: Expectations,
  day: string,
  rows: ReadonlyArray<RowLeaf>
): ReadonlyArray<Finding> => {
  const where = `batch ${day}`
  const there = new Set([
    ...after.list.map(seriesKey),
    ...rows.flatMap((row) => (row.day === day ? [seriesKey(row)] : []))
  ])
  const oldest = dayAfter(day, -expectedDays)
  const dropped = [...before.last]
    .filter(([key, one]) => one.day >= oldest && !there.has(key))
    .map(([, one]) => one)
  const discontinued = before.list.filter((one) => one.ended === undefined && !there.has(seriesKey(one)))
  const ended = new Set(before.list.flatMap((one) => (one.ended === true ? [seriesKey(one)] : [])))
  return [
    ...firstOf(
      dropped.map((one) => ({
        what: "absences",
        where,
        expected: `a leaf or an absence of ${nameOf(one)}, which has a leaf of ${one.day}`,
        found: "neither",
        reason: "missing"
      }))
    ),
    ...firstOf(
      discontinued
        .filter((one) => !dropped.some((other) => seriesKey(other) === seriesKey(one)))
        .map((one) => ({
          what: "absences",
          where,
          expected: `a leaf or an absence of ${nameOf(one)}, whose absence of the day before was not its last`,
          found: "neither",
          reason: "missing"
        }))
    ),
    ...firstOf(
      after.list
        .filter((one) => one.ended === true && after.last.has(seriesKey(one)))
        .map((one) => ({
          what: "absences",
          where,
          expected: `that ${nameOf(one)} stays expected, which has a leaf of ${after.last.get(seriesKey(one))?.day}`,
          found: "`ended`",
          reason: "contradiction"
        }))
    ),
    ...firstOf(
      after.list
        .filter((one) => ended.has(seriesKey(one)))
        .map((one) => ({
          what: "absences",
          where,
          expected: `no absence of ${nameOf(one)}, which ended on the day before`,
          found: "another one",
          reason: "contradiction"
        }))
    )
  ]
}
