/** A request in the languages of the documentation: with a shell, with this project's client, with Python's own library. */
import { type DescribedRequest, placeholder, targetOf, type Values } from "./requests.ts"

export const languages = ["curl", "TypeScript", "Python"] as const
export type Language = (typeof languages)[number]
export type Samples = Readonly<Record<Language, string>>

const yourKey = "<your key>"
const anOrder = "order-1"

const jsonType = "application/json"

/** In single quotes of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A value of JSON as an expression of TypeScript. */
const scriptOf = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(scriptOf).join(", ")}]`
  if (!isObject(value)) return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([name, member]) => `${/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)}: ${scriptOf(member)}`
  )
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`
}

/** The same as one of Python. */
const pythonOf = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(pythonOf).join(", ")}]`
  if (isObject(value)) {
    return `{${Object.entries(value)
      .map(([name, member]) => `${JSON.stringify(name)}: ${pythonOf(member)}`)
      .join(", ")}}`
  }
  if (typeof value === "boolean") return value ? "True" : "False"
  return value === null ? "None" : JSON.stringify(value)
}

const headersOf = ({
  body,
  key,
  takesIdempotencyKey
}: DescribedRequest): ReadonlyArray<readonly [string, string]> => [
  ...(key === "required" ? ([["X-API-Key", yourKey]] as const) : []),
  ...(takesIdempotencyKey ? ([["Idempotency-Key", anOrder]] as const) : []),
  ...(body === undefined ? [] : ([["Content-Type", jsonType]] as const))
]

const curl = (baseUrl: string, request: DescribedRequest, values: Values): string =>
  [
    "curl",
    ...(request.answer === "stream" ? ["-N"] : []),
    ...(request.answer === "bytes" ? ["-O"] : []),
    ...(request.method === "GET" ? [] : ["-X", request.method]),
    ...headersOf(request).flatMap(([name, value]) => ["-H", quoted(`${name}: ${value}`)]),
    quoted(`${baseUrl}${targetOf(request, values)}`),
    ...(request.body === undefined ? [] : ["-d", quoted(JSON.stringify(request.body))])
  ].join(" ")

/** What the client takes for the parameters of one place. */
const argumentsFor = (
  { parameters }: DescribedRequest,
  place: "path" | "query",
  values: Values
): Readonly<Record<string, string | number>> =>
  Object.fromEntries(
    parameters.flatMap(({ in: where, isNumber, name, required }) => {
      const value = values[name] ?? (required ? placeholder(name) : undefined)
      return where !== place || value === undefined ? [] : [[name, isNumber ? Number(value) : value]]
    })
  )

const parsed = { json: undefined, text: "text", bytes: "arrayBuffer", stream: "stream" } as const

const typescript = (baseUrl: string, request: DescribedRequest, values: Values): string => {
  const options = [
    `baseUrl: ${JSON.stringify(baseUrl)}`,
    ...(request.key === "required" ? [`apiKey: ${JSON.stringify(yourKey)}`] : [])
  ]
  const [path, query] = [argumentsFor(request, "path", values), argumentsFor(request, "query", values)]
  const params = {
    ...(request.takesIdempotencyKey ? { header: { "idempotency-key": anOrder } } : {}),
    ...(Object.keys(path).length === 0 ? {} : { path }),
    ...(Object.keys(query).length === 0 ? {} : { query })
  }
  const parseAs = parsed[request.answer]
  const members = [
    ...(Object.keys(params).length === 0 ? [] : [`params: ${scriptOf(params)}`]),
    ...(request.body === undefined ? [] : [`body: ${scriptOf(request.body)}`]),
    ...(parseAs === undefined ? [] : [`parseAs: ${JSON.stringify(parseAs)}`])
  ]
  const init = members.length === 0 ? "" : `, {\n${members.map((member) => `  ${member}`).join(",\n")}\n}`
  return `import { createClient } from "@plumbline/client"

const plumbline = createClient({ ${options.join(", ")} })
const { data, error } = await plumbline.${request.method}(${JSON.stringify(request.path)}${init})
console.log(error ?? data)`
}

/** The client verifies whole answers, and this one has no end. */
const typescriptStream = (baseUrl: string, request: DescribedRequest, values: Values): string =>
  `const answer = await fetch(${JSON.stringify(`${baseUrl}${targetOf(request, values)}`)})
for await (const bytes of answer.body ?? []) console.log(new TextDecoder().decode(bytes))`

const pythonRead = {
  json: ["import json", "    print(json.load(answer))"],
  text: [undefined, "    print(answer.read().decode())"],
  bytes: [undefined, '    open("answer", "wb").write(answer.read())'],
  stream: [undefined, "    for line in answer:\n        print(line.decode())"]
} as const

const python = (baseUrl: string, request: DescribedRequest, values: Values): string => {
  const [module, read] = pythonRead[request.answer]
  const headers = headersOf(request)
  const isPlain = request.method === "GET" && headers.length === 0
  const address = JSON.stringify(`${baseUrl}${targetOf(request, values)}`)
  const members = [
    address,
    ...(headers.length === 0 ? [] : [`headers=${pythonOf(Object.fromEntries(headers))}`]),
    ...(request.body === undefined ? [] : [`data=json.dumps(${pythonOf(request.body)}).encode()`]),
    ...(request.method === "GET" ? [] : [`method=${JSON.stringify(request.method)}`])
  ]
  return [
    ...(module === undefined ? [] : [module]),
    `from urllib.request import ${isPlain ? "urlopen" : "Request, urlopen"}`,
    "",
    ...(isPlain
      ? [`with urlopen(${address}) as answer:`]
      : [
          `request = Request(\n${members.map((member) => `    ${member},`).join("\n")}\n)`,
          "with urlopen(request) as answer:"
        ]),
    read
  ].join("\n")
}

/** `baseUrl` has no slash at its end. */
export const samplesOf = (baseUrl: string, request: DescribedRequest, values: Values): Samples => ({
  curl: curl(baseUrl, request, values),
  TypeScript:
    request.answer === "stream"
      ? typescriptStream(baseUrl, request, values)
      : typescript(baseUrl, request, values),
  Python: python(baseUrl, request, values)
})
