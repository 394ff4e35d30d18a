/** A live service with its test service behind it, each over a database of its own. */
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { Context, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { CardProcessor } from "../../core/credits/card/CardProcessor.ts"
import { Ledger } from "../../core/credits/Ledger.ts"
import type { Settler } from "../../core/credits/x402/Settler.ts"
import type { postgres } from "./database.ts"
import { Service } from "./service.ts"

interface Outside {
  readonly cards?: CardProcessor
  readonly settler?: Settler
}

/** What each side sells, which tells the sides apart. */
const productsOf = (side: "live" | "test") => [
  { key: "depin_provenance" as const, build: () => Effect.succeed({ side }) },
  { key: "dilution_risk_map" as const, build: () => Effect.succeed({ side }) }
]

/** A hash of the rows of each table. */
const contentOf = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const tables = yield* sql<{ readonly name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = current_schema() and table_type = 'BASE TABLE' order by table_name`
  const content: Record<string, string | null> = {}
  for (const { name } of tables) {
    const [row] = yield* sql<{ readonly hash: string | null }>`
      select md5(string_agg(t::text, '|' order by t::text)) as hash from ${sql(name)} t`
    content[name] = row?.hash ?? null
  }
  return content
})

/** A service over a database of its own. */
export const started = Effect.fnUntraced(function* (options: Parameters<typeof Service.layer>[0]) {
  const context = yield* Layer.build(Layer.fresh(Service.layer(options)))
  return {
    ...Context.get(context, Service),
    ledger: Context.get(context, Ledger),
    /** Everything that the database holds. */
    content: contentOf(Context.get(context, SqlClient.SqlClient))
  }
})

/** The address of a server that stands in for the test service. */
export const standIn = (listener: RequestListener) =>
  Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const server = createServer(listener)
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.sync(() => server.close().closeAllConnections())
  ).pipe(Effect.map((server) => new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)))

/** Starts both; `port` is the live one's public port, any without it. */
export const bothSides = Effect.fnUntraced(function* (
  options: {
    readonly database?: typeof postgres
    readonly port?: number
    readonly live?: Outside
    readonly test?: Outside
  } = {}
) {
  const shared = {
    ...(options.database === undefined ? {} : { database: Layer.fresh(options.database) }),
    ...(options.port === undefined ? {} : { port: options.port })
  }
  const test = yield* started({
    ...shared,
    ...options.test,
    mode: "replay",
    // As a replay names its log: its keys sign nothing that passes for live.
    origin: "plumbline.test/test/demo",
    testMode: { keys: "test" },
    trustProxy: 1,
    products: productsOf("test")
  })
  const live = yield* started({
    ...shared,
    ...options.live,
    testMode: { keys: "live", service: new URL(`http://127.0.0.1:${test.port}`) },
    trustProxy: 1,
    products: productsOf("live")
  })
  return { live, test }
})
