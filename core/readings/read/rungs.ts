/** On which rung of evidence latest values of flows stand: as the manifest says, or better where their run has the chain's proof. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { type Flow, flowOf, isFlowName, type Rung } from "../../plugin/flows.ts"
import { metricNamed } from "../../plugin/Manifest.ts"
import { unproved } from "../../plugin/notes.ts"
import { rowsOf } from "../../sql/rows.ts"
import { Feeds } from "../Feeds.ts"
import { ints } from "../ingest/arrays.ts"
import { carriesProof } from "../ingest/runs/chainExchanges.ts"
import type { CurrentRow } from "./Current.ts"

const provedRows = rowsOf({ series: Schema.Int, as_of: Schema.Date })

/**
 * When the value was true that a run proved by its chain, by series, of those whose latest value is proved: the proof is among the
 * answers of its run, and no note says that it lacks.
 */
const provedOf = Effect.fnUntraced(function* (series: ReadonlyArray<number>) {
  if (series.length === 0) return new Map<number, number>()
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    select l.series, l.as_of from latest l join series s on s.id = l.series join run r on r.id = l.run
    where l.series = any(${ints(series)})
      and exists (select from exchange x where x.run = l.run and x.status = 200 and ${sql.literal(carriesProof("x"))})
      and not exists (
        select from jsonb_array_elements(r.refused) note
        where starts_with(note->>'reason', ${unproved}) and note->>'symbol' in ('*', s.symbol)
      )`.pipe(
    provedRows,
    // A database that does not answer proves nothing: the figures stand on what their manifests say.
    Effect.catchTag("SqlError", () => Effect.succeed([]))
  )
  return new Map(rows.map(({ as_of, series }) => [series, as_of.getTime()]))
})

export interface FlowEvidence {
  readonly rung: Rung
  readonly flow: Flow
}

/** What is said of the evidence of each of these rows that is a flow. */
export const flowEvidence = Effect.fn("Data.flowEvidence")(function* (rows: ReadonlyArray<CurrentRow>) {
  const { manifests } = yield* Feeds
  const flows = new Map(
    rows.flatMap((current) => {
      const { metric, symbol } = current.row
      if (!isFlowName(metric)) return []
      const manifest = manifests.find(({ id }) => id === current.plugin)
      const flow =
        manifest === undefined ? undefined : flowOf(metricNamed(manifest.metrics, metric)?.flow, symbol)
      return flow === undefined ? [] : [[current.series, flow] as const]
    })
  )
  const read = [...flows].flatMap(([series, { rung }]) => (rung === "chain_read" ? [series] : []))
  const proved = yield* provedOf(read)
  const asOf = new Map(rows.map(({ asOf, series }) => [series, asOf]))
  return new Map<number, FlowEvidence>(
    [...flows].map(([series, flow]) => [
      series,
      {
        flow,
        rung: proved.get(series) === asOf.get(series) && proved.has(series) ? "chain_proved" : flow.rung
      }
    ])
  )
})

/** The member `rung` of each row that is a flow; nothing of all others. */
export const rungsOf = (rows: ReadonlyArray<CurrentRow>) =>
  Effect.map(
    flowEvidence(rows),
    (of) =>
      ({ series }: Pick<CurrentRow, "series">): { readonly rung?: Rung } => {
        const one = of.get(series)
        return one === undefined ? {} : { rung: one.rung }
      }
  )
