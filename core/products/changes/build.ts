/** `/v1/changes`: the largest changes between two consecutive days. */
import { Effect } from "effect"
import { day } from "../../plugin/time.ts"
import { isoTime } from "../../plugin/Value.ts"
import { changeOver } from "../../readings/change.ts"
import type { HistoryColumn } from "../../wire/products/historyColumn.ts"
import { viewed } from "../build.ts"
import { headline, recentColumns } from "../shared/columns.ts"
import { depinRule } from "../shared/inputs.ts"
import definition, { type ChangeRow, type Changes, mostChanges } from "./definition.ts"

const changeOf = (series: HistoryColumn): ChangeRow | undefined => {
  const [from, to] = [series.values.at(-2), series.values.at(-1)]
  const [from_date, to_date] = [series.dates.at(-2), series.dates.at(-1)]
  if (from === undefined || to === undefined || from_date === undefined || to_date === undefined)
    return undefined
  const change_pct = changeOver(series.unit, [
    { date: from_date, value: from },
    { date: to_date, value: to }
  ])?.relative
  if (change_pct === undefined || change_pct === null) return undefined
  if (Date.parse(to_date) - Date.parse(from_date) !== day) return undefined
  const { dates: _, open_from, values: __, ...names } = series
  const open = open_from !== undefined && to_date >= open_from
  return {
    ...names,
    from_date,
    to_date,
    ...(open ? { open } : {}),
    from_value: from,
    to_value: to,
    change_pct
  }
}

export const dailyChanges = Effect.gen(function* () {
  const { now, series, ...rest } = yield* recentColumns(3, headline)
  const compared = series.flatMap((column) => changeOf(column) ?? [])
  const changes = compared
    .toSorted((a, b) => Math.abs(b.change_pct) - Math.abs(a.change_pct))
    .slice(0, mostChanges)
  return {
    generated_utc: isoTime(now),
    ...rest,
    n_compared: compared.length,
    n_left_out: compared.length - changes.length,
    changes,
    methodology: {
      formula: "change_pct = 100 × (to_value - from_value) / |from_value|",
      fields: headline,
      rules: [
        "Compares the two newest days of each series if they are consecutive and not older than the day before yesterday; other series are absent.",
        "`open` marks a later day that is not closed yet: its value can still change.",
        "What has no change in percent is absent: percentages, ranks, flags, dates, block heights and scores, a change of sign, and a change from 0.",
        depinRule
      ]
    }
  } satisfies Changes
})

export default { view: viewed(definition, () => dailyChanges) }
