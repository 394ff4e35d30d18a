/** How many live series carry their chain's own proof, by feed: `proofs` of `/v1/data-dictionary`. */
import { Context, Effect, Layer, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as DataClock from "../../clock/DataClock.ts"
import { unproved } from "../../plugin/notes.ts"
import { compare } from "../../plugin/Value.ts"
import { rowsOf } from "../../sql/rows.ts"
import { ChainProofs } from "../../wire/data/dataDictionary.ts"
import { Changes } from "../Changes.ts"
import { carriesProof } from "../ingest/runs/chainExchanges.ts"
import { staticAge } from "./freshness.ts"
import { storedFigure } from "./sharedValue.ts"

/** Reasons of one feed: nodes that refuse do so for each of its networks. */
const mostReasons = 5

const proofRows = rowsOf({
  plugin: Schema.String,
  family: ChainProofs.fields.family,
  series: Schema.Int,
  proved: Schema.Int,
  reasons: Schema.Array(Schema.String)
})

/** By plugin id; a feed that reads nothing from a chain is absent. */
export type ProofsByFeed = Readonly<Record<string, ReadonlyArray<ChainProofs>>>

const asks = (...methods: ReadonlyArray<string>) =>
  `address ~ 'method(%22|")(%3A|:)(%22|")(${methods.join("|")})(%22|")'`
const asksCosmos = asks("abci_query", "validators")

/**
 * The kind of chain at which an address asks; null where it asks none. Of a value that could have been proved and was not, it is Cosmos:
 * the others give theirs over JSON-RPC all the same, and Cosmos over its gateways.
 */
const familyOf = `case
  when ${asks("state_getStorage")} then 'substrate'
  when ${asks("eth_call")} then 'evm'
  when ${asksCosmos} or reason is not null then 'cosmos'
end`

/** Of a Cosmos chain each value is read by its own proof, or not over JSON-RPC; of the others the notes of a run say what is not proved. */
const isProved = `proves and (reason is null or ${asksCosmos})`

export class ProvedSeries extends Context.Service<
  ProvedSeries,
  {
    /** From memory, at most ten minutes old; the same on every process. */
    readonly byFeed: Effect.Effect<ProofsByFeed>
    /** Counts now. */
    readonly refresh: Effect.Effect<void, SqlError>
  }
>()("core/readings/ProvedSeries") {
  static readonly layer = Layer.effect(
    ProvedSeries,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const count = Effect.gen(function* () {
        const since = new Date((yield* DataClock.now) - staticAge)
        const rows = yield* sql`
          with live as materialized (
            select l.run, s.plugin, s.symbol, coalesce(l.read_url, l.verify_url) as address
            from latest l join series s on s.id = l.series where l.as_of > ${since}
          ), noted as materialized (
            select r.id as run, n.note->>'symbol' as symbol, substr(n.note->>'reason', ${unproved.length + 1}) as reason
            from run r cross join lateral jsonb_array_elements(r.refused) as n(note)
            where r.id in (select run from live) and starts_with(n.note->>'reason', ${unproved})
          ), proving as materialized (
            select r.run from (select distinct run from live) r
            where exists (select from exchange x where x.run = r.run and x.status = 200 and ${sql.literal(carriesProof("x"))})
          ), judged as (
            select live.plugin, live.address, live.run in (select run from proving) as proves,
              (select min(n.reason) from noted n where n.run = live.run and n.symbol in ('*', live.symbol)) as reason
            from live
          ), of_family as (
            select judged.*, ${sql.literal(familyOf)} as family from judged
          )
          select plugin, family, count(*)::int as series, (count(*) filter (where ${sql.literal(isProved)}))::int as proved,
            coalesce(jsonb_agg(distinct reason) filter (where reason is not null), '[]'::jsonb) as reasons
          from of_family where family is not null group by plugin, family order by plugin, family`.pipe(
          proofRows
        )
        return Object.fromEntries(
          [...Map.groupBy(rows, ({ plugin }) => plugin)].map(([plugin, of]) => [
            plugin,
            of.map(
              ({ family, proved, reasons, series }): ChainProofs => ({
                family,
                series,
                proved,
                ...(reasons.length === 0 ? {} : { unproved: reasons.slice(0, mostReasons) })
              })
            )
          ])
        )
      })

      const { read, refresh } = yield* storedFigure({
        name: "proofs",
        every: "5 minutes",
        schema: Schema.Record(Schema.String, Schema.Array(ChainProofs)),
        compute: count
      })
      return ProvedSeries.of({ byFeed: read, refresh })
    })
  ).pipe(Layer.provide(Changes.layer))
}

/** The sums over all feeds, by kind of chain, the most series first. */
export const byFamily = (byFeed: ProofsByFeed): ReadonlyArray<Omit<ChainProofs, "unproved">> =>
  [...Map.groupBy(Object.values(byFeed).flat(), ({ family }) => family)]
    .map(([family, of]) => ({
      family,
      series: of.reduce((sum, { series }) => sum + series, 0),
      proved: of.reduce((sum, { proved }) => sum + proved, 0)
    }))
    .sort((a, b) => b.series - a.series || compare(a.family, b.family))
