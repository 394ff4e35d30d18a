/** `SqlClient` on a Postgres server. Nothing waits for it without an end: see `Waits`. */
import * as PgClient from "@effect/sql-pg/PgClient"
import type * as PgConnection from "@effect/sql-pg/PgConnection"
import { Duration, Effect, Layer, Redacted } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { chunkRows } from "../../core/readings/ingest/Registry.ts"
import { longTransactions } from "./longTransactions.ts"
import { connectWithSilenceTimeout } from "./silenceTimeout.ts"

/** Listeners, transactions and streams each hold a connection; with fewer than four they can deadlock. */
export const leastConnections = 4

/**
 * A process that is frozen in a transaction holds its locks, and with them every writer of the others: the server ends the
 * session of one that says nothing for so long.
 */
const longestPause = "30s"

/** A statement that waits longer than this for a lock fails, and whoever asked says so: a wait without an end is silent. */
const longestWait = "2min"

/** How long to wait for the server, on a connection. */
export interface Waits {
  /** The server ends a statement that takes longer, waits for locks included. */
  readonly statement: Duration.Input
  /**
   * A connection on which nothing was heard for so long is destroyed, and whoever waits for it gets an error. Longer than
   * `statement`: a server that can be heard has said by then that it ended the statement.
   */
  readonly silence: Duration.Input
}

/** For what a service does all the time. Longer than the pause after which the server frees what a frozen process locked. */
export const usual: Waits = { statement: "45 seconds", silence: "50 seconds" }

/** For heartbeats and locks, whose statements take no time: who gets no answer learns it soon. */
export const brisk: Waits = { statement: "5 seconds", silence: "10 seconds" }

/** For the few statements of a service that go over many rows: those of the close. */
export const patient: Waits = { statement: "15 minutes", silence: "16 minutes" }

/** For migrations and commands, which an operator watches: building an index, a backup, a restore. */
export const unhurried: Waits = { statement: "6 hours", silence: "7 hours" }

/** How to connect to the server at this address. */
export const connection = (url: Redacted.Redacted, { silence, statement }: Waits) =>
  ({
    url,
    stream: () => connectWithSilenceTimeout(addressIn(Redacted.value(url)), Duration.toMillis(silence)),
    startupParameters: {
      idle_in_transaction_session_timeout: longestPause,
      lock_timeout: longestWait,
      statement_timeout: String(Duration.toMillis(statement))
    }
  }) satisfies PgConnection.Config

export interface Options {
  /** Default: `usual`. */
  readonly waits?: Waits
  /** For transactions that may take long (`core/sql/mayTakeLong.ts`). Default: `patient`. */
  readonly long?: Waits
  /** The most connections; at least four. Default: 10. */
  readonly connections?: number
  /** Keep them all open, whether they are used or not. Default: as many as are used. */
  readonly allOpen?: boolean
}

/** The most transactions at once that may take long. */
const longConnections = 4

/**
 * Statements that may share a connection. Where a connection is lost that somebody had for himself, whoever waits for another can be
 * forgotten (`Pool` of effect 4.1.0: what he waits for was wanted for two, and is no longer), until so many more wait. Where all
 * connections are always open, nobody is.
 */
const sharing = 16

export const layer = (
  url: Redacted.Redacted,
  { allOpen = false, connections = 10, long = patient, waits = usual }: Options = {}
): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, SqlError> => {
  const most = Math.max(leastConnections, connections)
  const pool = (
    waits: Waits,
    sizes: Pick<PgClient.PgPoolConfig, "maxConnections" | "minConnections" | "multiplexConcurrency">
  ) => PgClient.make({ ...connection(url, waits), ...sizes, multiplex: true, applicationName: "plumbline" })
  return Layer.merge(
    PgClient.layerFrom(
      Effect.zipWith(
        pool(waits, {
          maxConnections: most,
          minConnections: allOpen ? most : 0,
          multiplexConcurrency: sharing
        }),
        // Each has a connection for itself.
        pool(long, { maxConnections: longConnections, multiplexConcurrency: 1 }),
        longTransactions
      )
    ),
    Layer.succeed(chunkRows, 100_000)
  )
}

/** Where the server of an address listens, which the driver has found to be valid. */
const addressIn = (url: string) => {
  const { hostname, port, searchParams } = new URL(url)
  const host =
    searchParams.get("host") ?? (decodeURIComponent(hostname).replace(/^\[(.*)\]$/, "$1") || "localhost")
  const number = Number(searchParams.get("port") ?? (port || "5432"))
  return host.startsWith("/") ? { path: `${host}/.s.PGSQL.${number}` } : { host, port: number }
}
