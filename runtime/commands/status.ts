import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import * as SqlClient from "effect/sql/SqlClient"
import { Feeds } from "../../core/data/Feeds.ts"
import { Current } from "../../core/data/read/Current.ts"
import { Log } from "../../core/log/Log.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { operate } from "../admin/run.ts"
import { asJson } from "../cli/arguments.ts"

/** `plumbline status`: how each feed fares, and what is published. */
export const status = Command.make("status", { json: asJson }, ({ json }) =>
  operate(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { manifests, states } = yield* Feeds
      const known = yield* states
      const runs = new Map(
        (yield* sql<{ plugin: string; last: Date; error: string | null }>`
            select distinct on (plugin) plugin, finished_at as last, error_message as error
            from run order by plugin, id desc limit 10000`).map((run) => [run.plugin, run])
      )
      const { rows, version } = yield* (yield* Current).snapshot
      const head = yield* (yield* Log).head
      const feeds = manifests.map(({ disabled, id }) => {
        const run = runs.get(id)
        const state = known.get(id)
        return {
          plugin: id,
          state: state?.state ?? (disabled === undefined ? "not running" : "disabled"),
          reason: state?.reason ?? disabled ?? null,
          last_run: run === undefined ? null : isoTime(run.last.getTime()),
          last_error: run?.error ?? null
        }
      })
      if (json) {
        return yield* Console.log(
          JSON.stringify({ series: rows.length, snapshot_version: version, log_size: head.size, feeds })
        )
      }
      yield* Console.log(`${rows.length} series, ${head.size} entries in the log, ${feeds.length} feeds`)
      for (const { last_error, last_run, plugin, reason, state } of feeds) {
        const why = reason ?? (last_error === null ? "" : last_error.slice(0, 100))
        yield* Console.log(
          `${plugin.padEnd(20)} ${state.padEnd(12)} ${(last_run ?? "never").padEnd(25)} ${why}`
        )
      }
    })
  )
).pipe(Command.withDescription("How each feed fares, and what is published"))
