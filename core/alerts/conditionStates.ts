/** Whether the conditions of alerts were true of their series at the last look: a crossing is the change of that. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { booleans, ints, texts } from "../readings/ingest/arrays.ts"
import { rowsOf } from "../sql/rows.ts"

interface ConditionState {
  readonly alert: string
  readonly series: number
  readonly holds: boolean
}

const stateRows = rowsOf({ alert: Schema.String, series: Schema.Int, holds: Schema.Boolean })

const nameOf = (alert: string, series: number): string => `${alert} ${series}`

/** The states that one pass needs: read once and written once. */
export class ConditionStates {
  readonly #holds: Map<string, boolean>
  readonly #changed = new Map<string, ConditionState>()

  constructor(stored: ReadonlyArray<ConditionState>) {
    this.#holds = new Map(stored.map(({ alert, holds, series }) => [nameOf(alert, series), holds]))
  }

  /** Notes a look; true if the condition became true with it. */
  note(alert: string, series: number, holds: boolean): boolean {
    const name = nameOf(alert, series)
    const before = this.#holds.get(name) ?? false
    if (before === holds) return false
    this.#holds.set(name, holds)
    this.#changed.set(name, { alert, series, holds })
    return holds
  }

  changes(): ReadonlyArray<ConditionState> {
    return [...this.#changed.values()]
  }
}

export const readConditionStates = Effect.fnUntraced(function* (
  alerts: ReadonlyArray<string>,
  series: ReadonlyArray<number>
) {
  const sql = yield* SqlClient.SqlClient
  if (alerts.length === 0) return new ConditionStates([])
  const rows = yield* sql`
    select alert, series, holds from alert_standing
    where alert = any(${texts(alerts)}) and series = any(${ints(series)})`.pipe(stateRows)
  return new ConditionStates(rows)
})

export const writeConditionStates = Effect.fnUntraced(function* (states: ConditionStates) {
  const rows = states.changes()
  if (rows.length === 0) return
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into alert_standing (alert, series, holds)
    select alert, series, holds from unnest(${texts(rows.map(({ alert }) => alert))},
      ${ints(rows.map(({ series }) => series))}, ${booleans(rows.map(({ holds }) => holds))}) as t(alert, series, holds)
    on conflict (alert, series) do update set holds = excluded.holds`
})
