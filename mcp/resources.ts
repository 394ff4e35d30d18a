/** Resources that help an agent understand the service. */
import type { Resource, ResourceTemplateType } from "@modelcontextprotocol/server"
import { Effect } from "effect"
import { publishedKeys } from "../core/log/read/keys.ts"
import { bundleTag } from "../core/proof/bundle.ts"
import { verifier } from "../core/proof/command.ts"
import { payloadFormat, signatureFormat } from "../core/proof/keys.ts"
import { leafTag } from "../core/proof/leaf.ts"
import { documentOf, editionOf } from "../core/publications/Brief.ts"
import { markdown } from "../core/publications/edition/markdown.ts"
import { dataDictionary } from "../core/readings/read/dataDictionary.ts"
import { network } from "../core/readings/read/network.ts"
import { knownSymbol } from "../core/readings/read/parameters.ts"
import { sanitize } from "./sanitize.ts"

const json = "application/json"
const text = "text/markdown"

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
  }
]

const formats = (baseUrl: string) => `# Formats

- A value row has symbol, metric, value, unit, source, verify_url (the upstream address that was read) and as_of (when
  the value was true, ISO 8601 in UTC). What was not measured is absent or null; it is never 0.
- A row with \`simulated: true\` was made by the demo and is not a measurement.
- A row with \`unconfirmed: true\` is of a feed that nothing but its author has compared with its upstream yet: use it with care.
  Computed figures leave it out and list it under \`left_out\`.
- Every response, including this one, is signed with Ed25519: \`X-Service-Signature\` is \`${signatureFormat}\` over
  \`${payloadFormat}\`. The path of a tool call is \`/mcp\`. Keys: ${baseUrl}/.well-known/service-signing-key.json
- A day's value becomes a leaf (canonical JSON, tag \`${leafTag}\`) of that day's batch at 08:00 UTC of the next day.
  Batch roots are entries of an append-only log (RFC 9162) with signed checkpoints (C2SP), stamped into Bitcoin.
- A bundle (\`${bundleTag}\`) contains everything needed to prove one value: ${baseUrl}/v1/attest?symbol=&metric=&date=YYYYMMDD&format=bundle
- To verify offline: \`${verifier} bundle <file> --key LOG_KEY\`.
- REST: ${baseUrl}/docs
`

/** The most characters in one string of a resource; a whole Markdown page is one string. */
const longestText = 200_000

/** The cleaned content of a URI; undefined if there is none. Fails with `BriefUnknown`. */
export const readResource = Effect.fnUntraced(function* (uri: string, baseUrl: string) {
  switch (uri) {
    case "plumbline://data-dictionary": {
      const { generated_utc, metrics } = yield* dataDictionary
      return { mimeType: json, value: sanitize({ generated_utc, metrics }) }
    }
    case "plumbline://signing-key": {
      return { mimeType: json, value: yield* publishedKeys }
    }
    case "plumbline://formats":
      return { mimeType: text, value: formats(baseUrl) }
    case "plumbline://brief/latest": {
      const { body } = yield* editionOf(undefined)
      return { mimeType: text, value: sanitize(markdown(yield* documentOf(body)), { longest: longestText }) }
    }
  }
  const symbol = /^plumbline:\/\/network\/([A-Za-z0-9._-]{1,40})$/.exec(uri)?.[1]
  if (symbol === undefined) return undefined
  return yield* knownSymbol("symbol", symbol).pipe(
    Effect.flatMap((symbol) => Effect.map(network(symbol), (rows) => ({ symbol, rows }))),
    Effect.map((value) => ({ mimeType: json, value: sanitize(value) })),
    Effect.catchTag("UnknownSymbol", () => Effect.succeed(undefined))
  )
})
