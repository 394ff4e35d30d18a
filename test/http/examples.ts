/**
 * Takes the examples of `http/description/examples.json` from a running demo, shortens them, and leaves the ones that a
 * demo cannot give (cards, stablecoins) as they are. Needs an account with credits and the highest tier:
 *
 *     PLUMBLINE_API_KEY=... node test/http/examples.ts http://127.0.0.1:8000 [operation ...]
 */
import { readFileSync, writeFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { productKeys } from "../../core/products/index.ts"
import { description } from "../../http/description/description.ts"
import { isObject, nameOf, operationsOf, responseOf } from "../../http/description/document.ts"

const file = new URL("../../http/description/examples.json", import.meta.url)
const example = "https://plumbline.example"
const shownKey = `plk_${"0".repeat(43)}`

const [base = "", ...only] = process.argv.slice(2)
const apiKey = process.env["PLUMBLINE_API_KEY"] ?? ""

/** The most items of a list, members of a map, and lines of a text that an example shows. */
const most = 2

const schemaOf = (schema: unknown, value: unknown): Readonly<Record<string, unknown>> => {
  if (!isObject(schema)) return {}
  const { $ref, allOf, anyOf } = schema
  if (typeof $ref === "string") return schemaOf(description.components.schemas[nameOf($ref)], value)
  if (Array.isArray(allOf)) return Object.assign({}, schema, ...allOf.map((each) => schemaOf(each, value)))
  if (!Array.isArray(anyOf)) return schema
  const members = isObject(value) ? Object.keys(value) : []
  const match = anyOf
    .map((each) => schemaOf(each, value))
    .find(({ properties, type }) =>
      isObject(value)
        ? isObject(properties) && members.every((name) => name in properties)
        : Array.isArray(value)
          ? type === "array"
          : false
    )
  return match ?? {}
}

/** Lists and maps cut to a few members, inner ones to one. A map is an object whose schema does not list its members. */
const shortened = (schema: unknown, value: unknown, depth = 0): unknown => {
  const { additionalProperties, items, properties } = schemaOf(schema, value)
  const left = depth > 2 ? 1 : most
  if (Array.isArray(value)) return value.slice(0, left).map((each) => shortened(items, each, depth + 1))
  if (typeof value === "string") return anonymize(value)
  if (!isObject(value)) return value
  const listed = isObject(properties) ? properties : {}
  const declared = Object.entries(value).filter(([name]) => name in listed)
  const rest = Object.entries(value).filter(([name]) => !(name in listed))
  return Object.fromEntries(
    [...declared, ...rest.slice(0, left)].map(([name, each]) => [
      name,
      shortened(name in listed ? listed[name] : additionalProperties, each, depth + 1)
    ])
  )
}

/** Lists cut to a few members. */
const fewer = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.slice(0, most).map(fewer)
  if (typeof value === "string") return anonymize(value)
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, fewer(each)]))
    : value
}

const anonymize = (text: string): string =>
  text
    .replaceAll(base, example)
    .replaceAll(new URL(base).host, new URL(example).host)
    .replaceAll(apiKey, shownKey)

/** A busy database answers 503 with `Retry-After`; the examples are of quiet ones. */
const ask = async (
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {}
): Promise<Response> => {
  for (let tried = 0; ; tried++) {
    const response = await askOnce(method, path, body, headers)
    if (response.headers.get("retry-after") === null || tried === 9) return response
    await sleep(2000)
  }
}

const askOnce = (method: string, path: string, body: unknown, headers: Record<string, string>) =>
  fetch(base + path, {
    method,
    headers: {
      // The encoder has keys of its own.
      ...(path.startsWith("/v1/manifold/") ? {} : { "x-api-key": apiKey }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
  })

const text = (path: string) => ask("GET", path).then((response) => response.text())
const json = async (path: string) => JSON.parse(await text(path))

const day: string = (await json("/v1/attestations")).attestations[0].day
const date = day.replaceAll("-", "")
const [year, month, dayOfMonth] = day.split("-")
const { runs } = await json("/v1/derivation")
const code = runs[0]
const size = Number((await text("/v1/log/checkpoint")).split("\n")[1])
const document = /"kind":"revisions"[^}]*"sha256":"([0-9a-f]{64})"/.exec(
  await text(`/v1/log/tile/entries/000.p/${size}`)
)?.[1]
const metric = "active_storage_providers"

/** What is asked of each operation; the ones that are not here have no parameters or no example from a demo. */
const calls: Readonly<Record<string, string>> = {
  "keyless.networks": "/v1/networks?limit=2",
  "keyless.network": "/v1/network/FIL",
  "keyless.supply": "/v1/supply?limit=1",
  "keyless.market": "/v1/market?limit=2",
  "keyless.revenue": "/v1/revenue?limit=2",
  "keyless.provenance": "/v1/provenance?network=FIL&limit=2",
  "keyless.history": `/v1/history?network=FIL&metric=${metric}&days=7`,
  "measures.measure": "/v1/measures/gpu-supply",
  "keyless.difference": `/v1/diff?network=FIL&metric=${metric}&from=${day}T12:00:00Z`,
  "log.attest": `/v1/attest?symbol=FIL&metric=${metric}&date=${date}`,
  "log.checkpointAt": `/v1/log/checkpoints/${size}`,
  "log.leaves": `/v1/log/batches/${day}/leaves`,
  "log.origin": `/v1/log/batches/${day}/origin`,
  "log.runLeaves": "/v1/log/runs/2026-09-05T07/leaves",
  "log.absent": `/v1/log/batches/${day}/absent`,
  "log.document": `/v1/log/documents/${document}`,
  "archive.archivedDay": `/v1/archive/daily/${year}/${month}/${dayOfMonth}.parquet`,
  "derivation.derivationOf": `/v1/derivation/${runs[0]?.id}`,
  "derivation.inputOf": `/v1/derivation/inputs/${runs[0]?.targets_sha256}`,
  "derivation.codeOf": `/v1/derivation/code/${code?.code_hash}`,
  "export.export": "/v1/export?dataset=networks",
  "gated.compare": "/v1/compare?metric=nodes_online",
  "gated.healthProfile": "/v1/health-profile/FIL"
}

const cut = (type: string, body: string): string =>
  anonymize(
    type.startsWith("text/markdown")
      ? `${body.slice(0, 400)}...`
      : type === "application/x-ndjson" || type.startsWith("text/csv") || body.includes("  daily/")
        ? body
            .split("\n")
            .slice(0, most + 1)
            .join("\n")
        : body
  )

/** Files, of which there is one form alone. */
const files: ReadonlySet<string> = new Set(["log.leaves", "log.runLeaves"])

const withFormat = (path: string, format: string): string =>
  `${path}${path.includes("?") ? "&" : "?"}format=${format}`

const examples = JSON.parse(readFileSync(file, "utf8")) as {
  answers: Record<string, Record<string, unknown>>
  problems: Record<string, unknown>
}
const failures: Array<string> = []

const write = () => writeFileSync(file, `${JSON.stringify(examples, null, 2)}\n`)

const recordExample = async (id: string, type: string, schema: unknown, response: Response) => {
  if (response.status !== 200) {
    failures.push(`${id}: ${response.status} ${(await response.text()).slice(0, 200)}`)
    return
  }
  const body = await response.text()
  examples.answers[id] = {
    ...examples.answers[id],
    [type]: type === "application/json" ? shortened(schema, JSON.parse(body)) : cut(type, body)
  }
  write()
}

for (const { method, operation, path } of operationsOf(description)) {
  const { operationId, responses } = operation
  const content =
    responses["200"] === undefined ? {} : (responseOf(description, responses["200"]).content ?? {})
  for (const [type, { schema }] of Object.entries(content)) {
    if (only.length > 0 && !only.includes(operationId)) continue
    if (/html|octet-stream|parquet/.test(type) || operationId.endsWith("ySession")) continue
    if (operationId === "meta.openapi" || operationId === "x402.x402Openapi") {
      const { info, openapi } = await json(path)
      examples.answers[operationId] = {
        [type]: { openapi, info: { ...info, description: "..." }, paths: {} }
      }
    } else if (method === "GET" && (calls[operationId] !== undefined || !path.includes("{"))) {
      const accept = { accept: type }
      const at = calls[operationId] ?? path
      const format = type.startsWith("text/csv") ? "csv" : type.includes("ndjson") ? "ndjson" : undefined
      const target = format === undefined || files.has(operationId) ? at : withFormat(at, format)
      await recordExample(operationId, type, schema, await ask("GET", target, undefined, accept))
    }
  }
}

const recordProblem = async (response: Response) => {
  const body = JSON.parse(await response.text())
  if (typeof body.type !== "string") return
  examples.problems[nameOf(body.type)] = fewer(body)
  write()
}
const problemRequests: ReadonlyArray<
  readonly [method: string, path: string, body?: unknown, headers?: Record<string, string>]
> = [
  ["GET", "/v1/history?network=FIL&days=4000"],
  ["GET", "/v1/network/FILE"],
  ["GET", "/v1/nothing"],
  ["GET", "/v1/log/documents/00"],
  ["GET", `/v1/attest?symbol=FIL&metric=${metric}&date=20260801`],
  ["POST", "/v1/credits/purchase", { product_key: "depin_grades" }],
  ["POST", "/v1/credits/topup", { method: "stripe", amount: 20 }],
  ["POST", "/v1/credits/crypto/challenge", { wallet: "0x0000000000000000000000000000000000000001" }],
  ["GET", "/v1/credits/purchases/pur_unknown"],
  ["GET", "/v1/credits/by_session?session_id=cs_unknown"],
  ["GET", "/v1/export?dataset=digest&format=csv"],
  ["GET", "/v1/export?dataset=grades"],
  ["GET", "/x402/v1/data/depin_provenance"],
  ["POST", "/v1/credits/register", "x".repeat(70_000)],
  ["POST", "/v1/credits/register", "x", { "content-type": "text/plain" }],
  ["GET", "/v1/credits/balance", undefined, { "x-api-key": "unknown" }],
  ["GET", `/v1/archive/daily/${year}/${month}/${dayOfMonth}.parquet`, undefined, { range: "bytes=99999999-" }]
]
for (const [method, path, body, headers] of problemRequests)
  await recordProblem(await ask(method, path, body, headers))

const objectOf = async (response: Response): Promise<Record<string, unknown>> =>
  JSON.parse(await response.text())

const registered = await objectOf(await ask("POST", "/v1/credits/register", { agent_name: "my-agent" }))
examples.answers["creditsOpen.register"] = {
  "application/json": { ...registered, api_key: shownKey }
}
const free = { "x-api-key": String(registered["api_key"]) }
await recordProblem(await ask("GET", "/v1/compare?metric=nodes_online", undefined, free))
await recordProblem(await ask("GET", "/v1/archive/daily/2026/08/06.parquet", undefined, free))
const rotated = await objectOf(await ask("POST", "/v1/credits/keys/rotate", undefined, free))
examples.answers["credits.rotate"] = { "application/json": { ...rotated, api_key: shownKey } }
await recordProblem(
  await ask(
    "POST",
    "/v1/credits/purchase",
    { product_key: "depin_intel_bundle" },
    { "x-api-key": String(rotated["api_key"]) }
  )
)

const purchase = await objectOf(await ask("POST", "/v1/credits/purchase", { product_key: productKeys[0] }))
const schema = (id: string) =>
  operationsOf(description).find(({ operation }) => operation.operationId === id)?.operation.responses["200"]
const jsonSchema = (id: string) => {
  const response = schema(id)
  return response === undefined ? {} : responseOf(description, response).content?.["application/json"]?.schema
}
examples.answers["credits.purchase"] = {
  "application/json": shortened(jsonSchema("credits.purchase"), purchase)
}
for (const [id, path] of [
  ["credits.receipt", `/v1/credits/purchases/${purchase["purchase_id"]}?include=data`],
  ["credits.purchases", "/v1/credits/purchases?limit=1"],
  ["credits.balance", "/v1/credits/balance"]
] as const) {
  examples.answers[id] = { "application/json": shortened(jsonSchema(id), await json(path)) }
}
const matrix = [
  [2, 0],
  [0, 1]
]
await recordExample(
  "manifold.distance",
  "application/json",
  jsonSchema("manifold.distance"),
  await ask("POST", "/v1/manifold/distance", {
    points: [
      { matrix },
      {
        matrix: [
          [1, 0],
          [0, 1]
        ]
      }
    ]
  })
)

const ofAlerts = { "x-api-key": String(rotated["api_key"]) }
const alert = await objectOf(
  await ask(
    "POST",
    "/v1/alerts",
    { condition: { kind: "above", value: 4000 }, symbol: "FIL", metric, channel: { kind: "feed" } },
    ofAlerts
  )
)
for (const [id, method, path] of [
  ["alerts.listAlerts", "GET", "/v1/alerts"],
  ["alerts.alert", "GET", `/v1/alerts/${alert["id"]}`],
  ["alerts.alertCrossings", "GET", `/v1/alerts/${alert["id"]}/crossings`],
  ["alerts.removeAlert", "DELETE", `/v1/alerts/${alert["id"]}`]
] as const) {
  await recordExample(id, "application/json", jsonSchema(id), await ask(method, path, undefined, ofAlerts))
}
examples.answers["alerts.createAlert"] = { "application/json": fewer(alert) }
await recordProblem(await ask("GET", "/v1/alerts/al_unknown", undefined, ofAlerts))
for (let n = 0; n < 4; n++) {
  const body = { condition: { kind: "revised" }, symbol: "FIL", channel: { kind: "feed" } }
  const response = await ask("POST", "/v1/alerts", body, ofAlerts)
  if (response.status === 409) await recordProblem(response)
}

write()
console.log(failures.join("\n"))
