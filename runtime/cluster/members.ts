/** Shares the duties among the processes on a Postgres that can reach each other (Effect Cluster). */
import * as NodeClusterSocket from "@effect/platform-node/NodeClusterSocket"
import { Context, Effect, Exit, Layer, Option, type Redacted, Scope } from "effect"
import * as MessageStorage from "effect/cluster/MessageStorage"
import * as RunnerAddress from "effect/cluster/RunnerAddress"
import * as RunnerStorage from "effect/cluster/RunnerStorage"
import * as Sharding from "effect/cluster/Sharding"
import * as ShardingConfig from "effect/cluster/ShardingConfig"
import * as SqlRunnerStorage from "effect/cluster/SqlRunnerStorage"
import { inBackground } from "../../core/process/loop.ts"
import type { Warning } from "../../core/wire/log/readiness.ts"
import * as Postgres from "../database/Postgres.ts"
import { oncePer } from "../logging/oncePer.ts"
import { type Role, roles } from "../settings/roles.ts"
import { Duties, lockWarnings, releasable } from "./Duties.ts"
import { ServiceLock } from "./ServiceLock.ts"

export interface Membership {
  /** The Postgres that they share. The locks of the shards have connections of their own, which are given up soon. */
  readonly database: Redacted.Redacted
  /** Where the other processes reach this one. */
  readonly address: { readonly host: string; readonly port: number }
  /** The duties that this process may get; none for one that only answers. */
  readonly roles: ReadonlyArray<Role>
}

/** All processes must agree on the groups and on the number of shards in each. */
const configOf = ({ address, roles: own }: Membership) => {
  const runner = Option.some(RunnerAddress.make(address.host, address.port))
  return {
    runnerAddress: runner,
    runnerListenAddress: runner,
    availableShardGroups: roles,
    assignedShardGroups: own,
    shardsPerGroup: 32,
    // A process that is killed, frozen or cut off is replaced within these times.
    shardLockExpiration: "9 seconds",
    shardLockRefreshInterval: "2 seconds",
    runnerHealthCheckInterval: "2 seconds",
    refreshAssignmentsInterval: "1 second"
  } as const
}

/** No messages are stored: the processes only agree on who does what. */
const cluster = (membership: Membership) => {
  const shardingConfig = configOf(membership)
  return NodeClusterSocket.layer({
    storage: "byo",
    runnerHealth: "ping",
    serialization: "ndjson",
    shardingConfig
  }).pipe(
    Layer.provide(MessageStorage.layerNoop),
    Layer.provideMerge(
      SqlRunnerStorage.layer.pipe(
        Layer.provide(ShardingConfig.layer(shardingConfig)),
        Layer.provide(
          Postgres.layer(membership.database, {
            waits: Postgres.brisk,
            connections: Postgres.leastConnections,
            allOpen: true
          })
        )
      )
    ),
    // What is retried is logged for each of the shards.
    Layer.provide(oncePer("30 seconds", ["Shard lock storage is unhealthy"]))
  )
}

/** How often to look which roles somebody has. */
const looking = "2 seconds"

/** The duties of one process of several. */
export const layer = (membership: Membership) =>
  Layer.effect(
    Duties,
    Effect.gen(function* () {
      const lock = yield* ServiceLock
      const { release, released } = yield* releasable
      // Closed before the service's own scope: this process leaves while it still answers.
      const scope = yield* Scope.fork(yield* Effect.scope)
      const context = yield* Layer.buildWithScope(cluster(membership), scope)
      const sharding = Context.get(context, Sharding.Sharding)
      const { getRunners } = Context.get(context, RunnerStorage.RunnerStorage)

      let missing: ReadonlyArray<Role> = []
      yield* inBackground(
        "looking for processes without a role",
        looking,
        Effect.map(getRunners, (runners) => {
          const there = new Set(runners.flatMap(([{ groups }, healthy]) => (healthy ? groups : [])))
          missing = roles.filter((role) => !there.has(role))
        })
        // It ends before what it asks: the cluster is closed while this process still answers.
      ).pipe(Scope.provide(scope))

      return Duties.of({
        take: ({ name, role }, work) =>
          sharding.registerSingleton(`${role}/${name}`, released(lock.whileHeld(work)), { shardGroup: role }),
        release: Effect.andThen(release, Scope.close(scope, Exit.void)),
        refused: lock.refused,
        warnings: Effect.map(lockWarnings(lock), (warnings) => [
          ...warnings,
          ...missing.map(
            (role): Warning => ({
              code: "role_missing",
              message: `No running process has the role "${role}"; start one with it (ROLES).`
            })
          )
        ])
      })
    })
  )
