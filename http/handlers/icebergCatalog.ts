/**
 * The archive's table by the REST protocol of Apache Iceberg, read only: engines attach the service by its address, and find a namespace
 * with one table (https://github.com/apache/iceberg/blob/main/open-api/rest-catalog-open-api.yaml). Errors have that protocol's form.
 */
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { catalogs, restCatalogPath } from "../../core/log/archive/catalogs.ts"
import { newestMetadata } from "../../core/log/iceberg/files.ts"
import { HttpSettings } from "../HttpSettings.ts"
import type { ExtraRoute } from "../routing/ExtraRoutes.ts"

const namespace = "plumbline"
const table = "leaves"

const json = (body: object, status = 200) =>
  HttpServerResponse.jsonUnsafe(body, { status, contentType: "application/json" })

const absent = (type: "NoSuchNamespaceException" | "NoSuchTableException", message: string) =>
  json({ error: { message, type, code: 404 } }, 404)

const noNamespace = absent(
  "NoSuchNamespaceException",
  `There is one namespace: ${namespace}, with the table ${table}.`
)
const noTable = absent("NoSuchTableException", `The namespace ${namespace} has one table: ${table}.`)
const noDay = absent("NoSuchTableException", "The table has no day yet: it begins with the first close.")

/** Some clients take the name of a warehouse for the prefix where there is none; those that ask for no configuration use none. */
const prefix = namespace

const under = "/v1/{prefix}/namespaces"
const tablesUnder = `${under}/{namespace}/tables`
const config = json({
  defaults: {},
  overrides: { prefix },
  endpoints: [
    `GET ${under}`,
    `GET ${under}/{namespace}`,
    `HEAD ${under}/{namespace}`,
    `GET ${tablesUnder}`,
    `GET ${tablesUnder}/{table}`,
    `HEAD ${tablesUnder}/{table}`
  ]
})

const params = Effect.map(HttpRouter.params, (named) => ({
  isOurs: named["namespace"] === namespace,
  isTable: named["table"] === table
}))

const namespaces = Effect.map(HttpServerRequest.HttpServerRequest, ({ url }) => {
  const parent = new URL(url, "http://localhost").searchParams.get("parent") ?? ""
  if (parent === "") return json({ namespaces: [[namespace]] })
  return parent === namespace ? json({ namespaces: [] }) : noNamespace
})

const ofNamespace = (body: object) => Effect.map(params, ({ isOurs }) => (isOurs ? json(body) : noNamespace))

/** What is known of the table, with the metadata as they stand in their file. */
const loaded = Effect.gen(function* () {
  const { isOurs, isTable } = yield* params
  if (!isOurs) return noNamespace
  if (!isTable) return noTable
  const { baseUrl } = yield* HttpSettings
  const newest = yield* newestMetadata(baseUrl)
  if (newest === undefined) return noDay
  const location = `${baseUrl}${catalogs.iceberg}/metadata/${newest.name}`
  return HttpServerResponse.text(
    `{"metadata-location":${JSON.stringify(location)},"metadata":${newest.metadata},"config":{}}`,
    { contentType: "application/json" }
  )
})

type Needs = Effect.Services<ReturnType<typeof newestMetadata>> | HttpSettings

type Handler = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  Effect.Error<typeof loaded>,
  Effect.Services<typeof loaded> | HttpServerRequest.HttpServerRequest
>

const handlers: ReadonlyArray<readonly [path: string, summary: string, handler: Handler]> = [
  ["", "namespaces", namespaces],
  ["/:namespace", "a namespace", ofNamespace({ namespace: [namespace], properties: {} })],
  ["/:namespace/tables", "tables", ofNamespace({ identifiers: [{ namespace: [namespace], name: table }] })],
  ["/:namespace/tables/:table", "a table, to be attached", loaded]
]

const all: typeof handlers = [
  ["/v1/config", "its configuration", Effect.succeed(config)],
  ...["/v1/namespaces", `/v1/${prefix}/namespaces`].flatMap((base) =>
    handlers.map(([path, summary, handler]) => [base + path, summary, handler] as const)
  )
]

/** The routes, with the services in context when this runs. */
export const routes: Effect.Effect<ReadonlyArray<ExtraRoute>, never, Needs> = Effect.map(
  Effect.context<Needs>(),
  (context) =>
    all.map(([path, summary, handler]) => ({
      method: "GET" as const,
      path: `${restCatalogPath}${path}` as const,
      summary: `Iceberg REST catalog: ${summary}`,
      handler: Effect.provideContext(handler, context)
    }))
)
