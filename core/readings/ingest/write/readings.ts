/** Writes new readings, with their exclusions and revisions. */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { doubles, ints, texts, times } from "../arrays.ts"
import type { Classified } from "../compare/classify.ts"
import { Registry } from "../Registry.ts"
import { originsOf } from "./origins.ts"

export const keepReadings = Effect.fnUntraced(function* (fresh: ReadonlyArray<Classified>) {
  if (fresh.length === 0) return
  const sql = yield* SqlClient.SqlClient
  const { from, recordedAt, runs } = originsOf(fresh)
  yield* sql`
    insert into observation (series, as_of, version, value, value_text, recorded_at, run)
    select series, as_of, version, value, value_text, ${recordedAt}[origin], ${runs}[origin]
    from unnest(${ints(fresh.map(({ series }) => series))}, ${times(fresh.map(({ asOf }) => asOf))},
      ${ints(fresh.map(({ version }) => version))}, ${doubles(fresh.map(({ row }) => row.value))},
      ${texts(fresh.map(({ row }) => row.value_text ?? null))}, ${from})
      as t(series, as_of, version, value, value_text, origin)`

  const { firstRows } = yield* Registry
  const others = fresh.filter(({ row: { unit, verify_url }, series }) => {
    const first = firstRows.get(series)
    return first?.unit !== unit || first.verify_url !== verify_url
  })
  if (others.length > 0) {
    yield* sql`
      insert into reading_row (series, as_of, version, unit, verify_url)
      select * from unnest(${ints(others.map(({ series }) => series))}, ${times(others.map(({ asOf }) => asOf))},
        ${ints(others.map(({ version }) => version))}, ${texts(others.map(({ row }) => row.unit))},
        ${texts(others.map(({ row }) => row.verify_url))})`
  }

  const excluded = fresh.filter(({ incident }) => incident > 0)
  if (excluded.length > 0) {
    yield* sql`
      insert into exclusion (series, as_of, version, incident, reason)
      select * from unnest(${ints(excluded.map(({ series }) => series))},
        ${times(excluded.map(({ asOf }) => asOf))}, ${ints(excluded.map(({ version }) => version))},
        ${ints(excluded.map(({ incident }) => incident))}, ${texts(excluded.map(({ reason }) => reason ?? null))})`
  }
  for (const { asOf, before, from, row, series, version } of fresh) {
    if (before === undefined) continue
    yield* sql`insert into revision ${sql.insert({
      series,
      as_of: new Date(asOf),
      version,
      before_value: before.value,
      before_text: before.value_text,
      after_value: row.value,
      after_text: row.value_text ?? null,
      recorded_at: from.recordedAt,
      run: from.run,
      method: from.rederives !== undefined,
      why:
        from.rederives === undefined
          ? "the upstream restated it"
          : `the run ${from.rederives} was derived again with other code`
    })}`
  }
})
