/** A process that serves the database of its environment and prints what it says of one product, as JSON. */
import { Effect, Layer, Redacted } from "effect"
import { Accounts } from "../../../core/credits/Accounts.ts"
import { skus } from "../../../core/credits/card/sku.ts"
import { products } from "../../../core/products/builds.ts"
import { Current } from "../../../core/readings/read/Current.ts"
import * as Postgres from "../../../runtime/database/Postgres.ts"
import { callTool } from "../../support/mcp.ts"
import { latestRow, Service } from "../../support/service.ts"
import { ask } from "../../support/serviceCall.ts"
import { json } from "../../support/signed.ts"

const [key = "", rest = ""] = process.argv.slice(2)
const database = Postgres.layer(Redacted.make(process.env["DATABASE_URL"] ?? "")).pipe(Layer.orDie)

const report = Effect.gen(function* () {
  yield* (yield* Current).apply([latestRow(1, { value: 7, as_of: new Date(), confirmed_at: new Date() })])
  const accounts = yield* Accounts
  const { api_key } = yield* accounts.register({}, "192.0.2.1")
  const headers = { "x-api-key": api_key }
  const read = (path: string, more: Record<string, string> = {}) =>
    Effect.map(ask({ path, headers: more }), json)
  const page = (path: string) =>
    Effect.map(ask({ path, headers: { accept: "text/html" } }), ({ body }) => body.toString("utf8"))
  const pricing = yield* read("/v1/credits/pricing")
  const openapi = yield* read("/openapi.json")
  const closed = yield* read(rest)
  yield* accounts.setTier(String((yield* read("/v1/credits/balance", headers))["account"]), "enterprise")
  return {
    pricing,
    operation: (openapi["paths"] as Record<string, Record<string, unknown>>)[rest]?.["get"],
    purchase: JSON.stringify((openapi["paths"] as Record<string, unknown>)["/v1/credits/purchase"]),
    closed,
    open: yield* read(rest, headers),
    datasets: (yield* callTool("list_datasets", {})).data,
    fetched: (yield* callTool("fetch_dataset", { dataset: rest.slice("/v1/".length), api_key })).data,
    listed: yield* page("/products"),
    page: yield* page(`/products/${key}`),
    sitemap: yield* page("/sitemap.xml"),
    skus: Object.entries(skus).map(([name, { amount }]) => [name, Number(amount)])
  }
})

process.stdout.write(
  JSON.stringify(
    await Effect.runPromise(report.pipe(Effect.provide(Service.layer({ products, database })), Effect.scoped))
  )
)
