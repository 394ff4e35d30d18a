/** How a process becomes the owner of feeds. SQL says who the owner is; the cluster only says who should be. */
import { randomUUID } from "node:crypto"
import { hostname } from "node:os"
import { Context, Effect, Layer, Option, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { claimFeeds } from "../../core/readings/ingest/accept/fence.ts"
import { texts } from "../../core/readings/ingest/arrays.ts"
import { rowsOf } from "../../core/sql/rows.ts"
import type { Owned } from "../collector/Owned.ts"
import { RunState } from "../collector/RunState.ts"

const leftRows = rowsOf({
  plugin: Schema.String,
  run_state: Schema.NullOr(Schema.Unknown),
  last: Schema.NullOr(Schema.String)
})

export class Claims extends Context.Service<
  Claims,
  {
    /** Makes this process the owner of these feeds. A run that began under an earlier ownership is refused from then on. */
    readonly claim: (plugins: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Owned>, SqlError>
    /** The epoch of this process's last ownership of a feed. */
    readonly epochOf: (plugin: string) => number | undefined
  }
>()("runtime/cluster/Claims") {
  /** One process on the embedded engine: nobody else can own a feed. */
  static readonly layerAlone = Layer.succeed(
    Claims,
    Claims.of({
      claim: (plugins) => Effect.succeed(plugins.map((plugin) => ({ plugin }))),
      epochOf: () => undefined
    })
  )

  static readonly layer = Layer.effect(
    Claims,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const runner = `${hostname()} pid ${process.pid} ${randomUUID().slice(0, 8)}`
      const epochs = new Map<string, number>()

      const claim = Effect.fn("Claims.claim")(function* (plugins: ReadonlyArray<string>) {
        const owners = yield* Effect.provideService(claimFeeds(plugins, runner), SqlClient.SqlClient, sql)
        for (const { epoch, plugin } of owners) epochs.set(plugin, epoch)
        // Read after the claim: what the last owner was still writing is stored now.
        const left = yield* sql`
          select asked.id as plugin, s.standing as run_state,
            (select r.id from run r where r.plugin = asked.id order by r.id desc limit 1) as last
          from unnest(${texts(plugins)}) as asked(id) left join feed_state s on s.plugin = asked.id`.pipe(
          leftRows
        )
        return left.map(({ last, plugin, run_state }): Owned => {
          const epoch = epochs.get(plugin)
          const before = decodeRunState(run_state)
          return {
            plugin,
            ...(epoch === undefined ? {} : { epoch }),
            ...(last === null ? {} : { lastRun: last }),
            ...(Option.isNone(before) ? {} : { before: before.value })
          }
        })
      })

      return Claims.of({ claim, epochOf: (plugin) => epochs.get(plugin) })
    })
  )
}

/** None for what another version of this code wrote, if it is no longer readable. */
const decodeRunState = Schema.decodeUnknownOption(RunState)
