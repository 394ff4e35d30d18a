/** Resources that help an agent understand the service. */
import type { Resource, ResourceTemplateType } from "@modelcontextprotocol/server"
import { Effect, type Redacted, Stream } from "effect"
import { Accounts } from "../core/credits/Accounts.ts"
import { Callers } from "../core/credits/Callers.ts"
import { requireScope } from "../core/credits/keys/ApiKey.ts"
import { Purchases } from "../core/credits/Purchases.ts"
import { bundle } from "../core/log/record/bundle.ts"
import { publishedKeys } from "../core/log/record/keys.ts"
import { bundle4Tag } from "../core/proof/bundle.ts"
import { verifier } from "../core/proof/command.ts"
import { payloadFormat, signatureFormat } from "../core/proof/keys.ts"
import { leafTag } from "../core/proof/leaf.ts"
import { documentOf, editionOf } from "../core/publications/Brief.ts"
import { markdown } from "../core/publications/edition/markdown.ts"
import { csv } from "../core/readings/csv.ts"
import { bulk } from "../core/readings/read/bulk.ts"
import { dataDictionary } from "../core/readings/read/dataDictionary.ts"
import { history } from "../core/readings/read/history.ts"
import { historyColumns, historyRowsOf } from "../core/readings/read/historyRows.ts"
import { network } from "../core/readings/read/network.ts"
import { knownSymbol } from "../core/readings/read/parameters.ts"
import type { HistorySeries } from "../core/wire/data/history.ts"
import { addressOf } from "./links.ts"
import { escaped, sanitize } from "./sanitize.ts"
import type { Edition } from "./Tool.ts"

const json = "application/json"
const text = "text/markdown"
const table = "text/csv"

export const resources: ReadonlyArray<Resource> = [
  {
    uri: "plumbline://data-dictionary",
    name: "data-dictionary",
    title: "Data dictionary",
    description: "Every metric: unit, meaning, feed, source. Large; get_data_dictionary returns it in pages.",
    mimeType: json
  },
  {
    uri: "plumbline://signing-key",
    name: "signing-key",
    title: "Signing keys",
    description: "Public keys of the service, current and retired.",
    mimeType: json
  },
  {
    uri: "plumbline://formats",
    name: "formats",
    title: "Formats",
    description: "How responses are signed, how values are proved, and how to read rows.",
    mimeType: text
  },
  {
    uri: "plumbline://brief/latest",
    name: "brief",
    title: "Weekly brief",
    description:
      "The newest edition, published Mondays at 08:00 UTC. For JSON, fetch_dataset with dataset brief.",
    mimeType: text
  }
]

export const templates: ReadonlyArray<ResourceTemplateType> = [
  {
    uriTemplate: "plumbline://network/{symbol}",
    name: "network",
    title: "Network",
    description: "The latest values of a network, by symbol or name.",
    mimeType: json
  },
  {
    uriTemplate: "plumbline://history/{symbol}/{metric}{?days,source,as_known_at}",
    name: "history",
    title: "Daily history",
    description: "Every day of a series, as CSV.",
    mimeType: table
  },
  {
    uriTemplate: "plumbline://bundle/{symbol}/{metric}/{date}{?source}",
    name: "bundle",
    title: "Proof of a value",
    description: "One file that proves a day's value offline. date is a UTC day.",
    mimeType: json
  }
]

const formats = (baseUrl: string) => `# Formats

- A value row has symbol, metric, value, unit, source, verify_url (the upstream address that was read) and as_of (when
  the value was true, ISO 8601 in UTC). What was not measured is absent or null; it is never 0.
- A row with \`simulated: true\` was made by the demo and is not a measurement.
- A row with \`unconfirmed: true\` is of a feed that nothing but its author has compared with its upstream yet: use it with care.
  Computed figures leave it out and list it under \`left_out\`.
- A row with \`by_definition: true\` is a 0 that its source's method states and nobody counted: do not add it up or call it measured.
- Every response, including this one, is signed with Ed25519: \`X-Service-Signature\` is \`${signatureFormat}\` over
  \`${payloadFormat}\`. The path of a tool call is \`/mcp\`. Keys: ${baseUrl}/.well-known/service-signing-key.json
- A day's value becomes a leaf (canonical JSON, tag \`${leafTag}\`) of that day's batch at 08:00 UTC of the next day.
  Batch roots are entries of an append-only log (RFC 9162) with signed checkpoints (C2SP). The proof of a value says which witnesses and which
  block of Bitcoin have its checkpoint, if any.
- A bundle (\`${bundle4Tag}\`) contains everything needed to prove one value: ${baseUrl}/v1/attest?symbol=&metric=&date=YYYYMMDD&format=bundle4
- To verify offline: \`${verifier} bundle <file> --key LOG_KEY\`.
- REST: ${baseUrl}/docs
`

/** The most characters in one string of a resource; a whole Markdown page is one string. */
const longestText = 200_000

/** The largest resource, in bytes: a model reads no more, and what is larger has an address over HTTP. */
export const largestResource = 1024 * 1024

/** Who reads a resource. */
export interface Reader {
  readonly baseUrl: string
  readonly edition: Edition
  /** From the header `X-API-Key`: `resources/read` has no arguments. */
  readonly key: Redacted.Redacted | undefined
}

/** The days of a series as CSV. */
export const historyCsv = Effect.fnUntraced(function* (
  symbol: string,
  metric: string,
  series: HistorySeries
) {
  const handedOn = yield* bulk
  const rows = historyRowsOf(symbol, metric, series).map(handedOn.row)
  return yield* Stream.mkString(csv(handedOn.columns(historyColumns))(Stream.fromIterable(rows)))
})

const historyOf = Effect.fnUntraced(function* (
  [named = "", metric = ""]: ReadonlyArray<string>,
  { as_known_at, days, source }: Readonly<Record<string, string>>,
  { key }: Reader
) {
  const { access } = yield* (yield* Callers).identify(key)
  const symbol = yield* knownSymbol("symbol", named)
  const { data } = yield* history({ network: symbol, metric, days, source, as_known_at, limit: 1, access })
  const series = data[symbol]?.[metric]
  return series && { mimeType: table, value: yield* historyCsv(symbol, metric, series) }
})

const purchaseOf = Effect.fnUntraced(function* ([id = ""]: ReadonlyArray<string>, { edition, key }: Reader) {
  if (edition === "public") return undefined
  const account = yield* (yield* Accounts).authenticate(key)
  yield* requireScope(account, "buy")
  const { bytes } = yield* (yield* Purchases).delivered(account, id)
  if (bytes.length <= largestResource)
    return { mimeType: json, value: escaped(new TextDecoder().decode(bytes)) }
  const message = `It has ${bytes.length} bytes; the most is ${largestResource}. GET /v1/credits/purchases/${id}?include=data has all of it.`
  return { message }
})

const ofKind = Effect.fnUntraced(function* (uri: string, reader: Reader) {
  const { kind, names, selection } = addressOf(uri) ?? { kind: "", names: [], selection: {} }
  const [first = "", metric = "", date = ""] = names
  switch (`${kind}/${names.length}`) {
    case "network/1": {
      const symbol = yield* knownSymbol("symbol", first)
      return { mimeType: json, value: sanitize({ symbol, rows: yield* network(symbol) }) }
    }
    case "history/2":
      return yield* historyOf(names, selection, reader)
    case "bundle/3":
      return {
        mimeType: json,
        value: yield* bundle({ symbol: first, metric, date, source: selection["source"] })
      }
    case "purchase/1":
      return yield* purchaseOf(names, reader)
  }
  return undefined
})

/** Errors that say what is wrong with a URI or its reader. */
const refusals = [
  ...["BriefUnknown", "UnknownSymbol", "BadParameter", "NotAttested"],
  ...["KeyUnknown", "ScopeMissing", "PurchaseUnknown"]
]

/** The content of a URI, or a message that says why there is none; undefined if it names nothing. */
export const readResource = (uri: string, reader: Reader) =>
  contentOf(uri, reader).pipe(
    Effect.catchIf(
      (error) => refusals.includes(error._tag),
      ({ message }) => Effect.succeed({ message })
    )
  )

const contentOf = Effect.fnUntraced(function* (uri: string, reader: Reader) {
  switch (uri) {
    case "plumbline://data-dictionary": {
      const { generated_utc, metrics } = yield* dataDictionary
      return { mimeType: json, value: sanitize({ generated_utc, metrics }) }
    }
    case "plumbline://signing-key":
      return { mimeType: json, value: yield* publishedKeys }
    case "plumbline://formats":
      return { mimeType: text, value: formats(reader.baseUrl) }
    case "plumbline://brief/latest": {
      const { body } = yield* editionOf(undefined)
      return { mimeType: text, value: sanitize(markdown(yield* documentOf(body)), { longest: longestText }) }
    }
  }
  return yield* ofKind(uri, reader)
})
