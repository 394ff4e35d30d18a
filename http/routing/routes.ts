/**
 * Facts about each path, read from the API definition so they always match the router: its methods, the names and valid
 * values of its parameters, and how to call it.
 */
import { Context } from "effect"
import { FindMyWay } from "effect/http"
import { HttpApi, type HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import type { Hint } from "../../core/wire/problems/request.ts"
import { AccountKey } from "../api/Account.ts"
import {
  ByTier,
  DependsOn,
  ForPeople,
  LargestBody,
  Sample,
  TakesLong,
  WaitsItsTurn
} from "../api/Contract.ts"
import type { ExtraRoute } from "./ExtraRoutes.ts"
import { lazily } from "./lazy.ts"

/** A JSON Schema of the OpenAPI document. */
type JsonSchema = Readonly<Record<string, unknown>>

export interface Parameter {
  readonly name: string
  readonly in: string
  readonly valid_values?: ReadonlyArray<string>
  /** A description, where there is no list. */
  readonly valid?: string
}

/** What a request to a route may say. */
export interface Takes {
  readonly parameters: ReadonlyArray<Parameter>
  /** The names of those in the query. */
  readonly query: ReadonlyArray<string>
  /** The members of a JSON body that has no others. */
  readonly members?: ReadonlyArray<string>
  readonly hint: (baseUrl: string) => Hint
}

export interface Route {
  readonly method: string
  readonly path: string
  /** Read from the OpenAPI document of this endpoint alone, when a request first needs it: that of all takes a tenth of a second. */
  readonly takes: () => Takes
  /** True if the tier of a key changes the response. */
  readonly byTier: boolean
  /** True if its responses may be kept, so that requests for the same one can share it. */
  readonly cacheable: boolean
  /** True if what it answers is made one after another. */
  readonly waits: boolean
  /** True if that takes long. */
  readonly takesLong: boolean
  /** The most bytes of a body. */
  readonly largestBody: number
  /** True if a request without a valid key is refused before anything else. */
  readonly needsKey: boolean
  /** True if people open it in a browser: its refusals are pages (`explorer/Site.ts`). */
  readonly forPeople: boolean
  /** True if its errors keep the format of another protocol (`ExtraRoutes.ts`). */
  readonly foreign: boolean
  readonly preflight?: ExtraRoute["preflight"]
  readonly refusal?: ExtraRoute["refusal"]
}

export interface Routes {
  readonly all: ReadonlyArray<Route>
  readonly ofEndpoint: (endpoint: HttpApiEndpoint.Top) => Route | undefined
  /** Every route of a request target's path, for any method. */
  readonly at: (url: string) => ReadonlyArray<Route>
}

/** The router matches paths exactly, so each resource has one URL to sign and to limit. */
export const routerConfig = {
  ignoreTrailingSlash: false,
  ignoreDuplicateSlashes: false,
  caseSensitive: true,
  maxParamLength: 400
}

export const makeRoutes = <
  Id extends string,
  Groups extends HttpApiGroup.Constraint,
  PagesId extends string,
  Pages extends HttpApiGroup.Constraint
>(
  api: HttpApi.HttpApi<Id, Groups>,
  extraRoutes: ReadonlyArray<Pick<ExtraRoute, "method" | "path" | "preflight" | "refusal" | "takes">> = [],
  site?: HttpApi.HttpApi<PagesId, Pages>
): Routes => {
  const byEndpoint = new Map<string, Route>()
  const byPath = new Map<string, Array<Route>>()
  const router = FindMyWay.make<ReadonlyArray<Route>>(routerConfig)

  const add = (path: `/${string}`, route: Route) => {
    const routes = byPath.get(path)
    if (routes !== undefined) {
      routes.push(route)
      return
    }
    const added = [route]
    byPath.set(path, added)
    router.on("GET", path, added)
  }

  const addAll = <OfId extends string, Of extends HttpApiGroup.Constraint>(of: HttpApi.HttpApi<OfId, Of>) => {
    HttpApi.reflect(of, {
      onGroup: () => {},
      onEndpoint: ({ endpoint, mergedAnnotations }) => {
        const path = endpoint.path as `/${string}`
        const route: Route = {
          method: endpoint.method,
          path,
          takes: lazily(() => takesOf(endpoint, Context.get(mergedAnnotations, Sample))),
          byTier: Context.get(mergedAnnotations, ByTier),
          cacheable: Context.get(mergedAnnotations, DependsOn) !== neverKept,
          waits:
            Context.get(mergedAnnotations, WaitsItsTurn) ||
            (endpoint.method === "GET" && Context.get(mergedAnnotations, DependsOn) !== neverKept),
          takesLong: Context.get(mergedAnnotations, TakesLong),
          largestBody: Context.get(mergedAnnotations, LargestBody),
          needsKey: endpoint.middlewares.has(AccountKey),
          forPeople: Context.get(mergedAnnotations, ForPeople),
          foreign: false
        }
        byEndpoint.set(`${endpoint.method} ${path}`, route)
        add(path, route)
      }
    })
  }
  addAll(api)
  if (site !== undefined) addAll(site)
  for (const { method, path, preflight, refusal, takes } of extraRoutes) {
    const inputs = {
      parameters: [],
      query: [],
      hint: hintOf(method, path, takes?.body ?? {}, takes?.sample, false)
    }
    add(path, {
      method,
      path,
      takes: () => inputs,
      byTier: false,
      cacheable: false,
      waits: false,
      takesLong: false,
      largestBody: Context.get(Context.empty(), LargestBody),
      needsKey: false,
      forPeople: false,
      foreign: true,
      ...(preflight === undefined ? {} : { preflight }),
      ...(refusal === undefined ? {} : { refusal })
    })
  }

  return {
    all: [...byEndpoint.values()],
    ofEndpoint: (endpoint) => byEndpoint.get(`${endpoint.method} ${endpoint.path}`),
    at: (url) => router.find("GET", url)?.handler ?? []
  }
}

/** What endpoints without the annotation have. */
const neverKept = Context.get(Context.empty(), DependsOn)

/** Converts the router's `:symbol` to OpenAPI's `{symbol}`. */
export const openApiPath = (path: string): string => path.replace(/:(\w+)/g, "{$1}")

const operationOf = (document: OpenApi.OpenAPISpec, endpoint: HttpApiEndpoint.Top) => {
  const item = document.paths[openApiPath(endpoint.path)]
  const method = endpoint.method.toLowerCase()
  return method === "get" ||
    method === "post" ||
    method === "put" ||
    method === "delete" ||
    method === "patch"
    ? item?.[method]
    : undefined
}

/** What the document says of an endpoint. */
const takesOf = (endpoint: HttpApiEndpoint.Top, sample: unknown): Takes => {
  const document = OpenApi.fromApi(HttpApi.make("alone").add(HttpApiGroup.make("alone").add(endpoint)))
  const schemas: Readonly<Record<string, unknown>> = document.components.schemas
  const operation = operationOf(document, endpoint)
  const parameters = (operation?.parameters ?? []).map(
    (parameter): Parameter => ({
      name: parameter.name,
      in: parameter.in,
      ...validOf(resolve(schemas, parameter.schema))
    })
  )
  const body = resolve(schemas, operation?.requestBody?.content["application/json"]?.schema)
  const keyed = (operation?.security ?? []).length > 0
  return {
    parameters: [...parameters, ...membersOf(schemas, body)],
    query: parameters.flatMap((parameter) => (parameter.in === "query" ? [parameter.name] : [])),
    ...(body["additionalProperties"] === false ? { members: Object.keys(body["properties"] ?? {}) } : {}),
    hint: hintOf(endpoint.method, endpoint.path, body, sample, keyed)
  }
}

const isSchema = (value: unknown): value is JsonSchema => typeof value === "object" && value !== null

const resolve = (schemas: Readonly<Record<string, unknown>>, schema: unknown): JsonSchema => {
  if (!isSchema(schema)) return {}
  const reference = schema["$ref"]
  return typeof reference === "string" ? resolve(schemas, schemas[reference.split("/").at(-1) ?? ""]) : schema
}

/** What a parameter accepts: its list of values or its description. */
const validOf = (schema: JsonSchema): Pick<Parameter, "valid" | "valid_values"> => {
  const { description, enum: values } = schema
  if (Array.isArray(values)) return { valid_values: values.map(String) }
  return typeof description === "string" ? { valid: description } : {}
}

const typeWords: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object"
}

/** A description begins with a capital letter where it stands alone. */
const afterColon = (type: string, description: string | undefined): string =>
  description === undefined
    ? type
    : `${type}: ${description.replace(/^[A-Z](?![A-Z])/, (first) => first.toLowerCase())}`

/** The types that a member may have, in words. One that may be null may as well be absent. */
const typesOf = ({ anyOf, type }: JsonSchema): string | undefined => {
  const types: ReadonlyArray<unknown> = Array.isArray(anyOf)
    ? anyOf.map((each: unknown) => (isSchema(each) ? each["type"] : undefined))
    : [type]
  const names = types.flatMap((each) => typeWords[String(each)] ?? [])
  return names.length === 0 ? undefined : names.join(" or ")
}

/** The members of a JSON body, and the body as a whole. */
const membersOf = (
  schemas: Readonly<Record<string, unknown>>,
  body: JsonSchema
): ReadonlyArray<Parameter> => {
  const { properties } = body
  if (!isSchema(properties)) return []
  const members = Object.entries(properties).map(([name, schema]): Parameter => {
    const resolved = resolve(schemas, schema)
    const { valid, valid_values } = validOf(resolved)
    const type = typesOf(resolved)
    return valid_values !== undefined
      ? { name, in: "body", valid_values }
      : { name, in: "body", valid: type === undefined ? (valid ?? "") : afterColon(type, valid) }
  })
  const names = members.map(({ name }) => name).join(", ")
  return [...members, { name: "body", in: "body", valid: `a JSON object with the members ${names}` }]
}

/** A function of its own, because one inside of `takesOf` would keep the whole document in memory. */
const hintOf =
  (method: string, path: string, body: JsonSchema, sample: unknown, keyed: boolean) =>
  (baseUrl: string): Hint => {
    const key = keyed ? " -H 'X-API-Key: <your key>'" : ""
    const data =
      sample === undefined ? "" : ` -H 'Content-Type: application/json' -d '${JSON.stringify(sample)}'`
    return {
      method,
      path: openApiPath(path),
      ...(Object.keys(body).length === 0 ? {} : { content_type: "application/json", body }),
      sample: `curl -X ${method} '${baseUrl}${openApiPath(path)}'${key}${data}`
    }
  }
