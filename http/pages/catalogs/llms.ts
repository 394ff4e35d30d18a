/** `/llms.txt` (https://llmstxt.org): what language models read first. Its operations and skills are those of the running service. */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { symbols } from "../../../core/readings/read/symbols.ts"
import { assurances, headsInWords } from "../../assurances.ts"
import { type Summary, summaries } from "../../description/summaries.ts"
import { places } from "../../explorer/html/nav.ts"
import { networkPath } from "../../explorer/html/values.ts"
import { HttpSettings } from "../../HttpSettings.ts"
import { orProblem } from "../../problems/fromCore.ts"
import { skillPaths } from "./skills.ts"

/** What describes the service, or leads on. */
const documents: ReadonlyArray<readonly [path: string, name: string, says: string]> = [
  ["/docs", "API documentation", "every endpoint with parameters and limits"],
  ["/openapi.json", "OpenAPI", "the same for machines"],
  ["/v1", "Index", "where to begin, as JSON"],
  ["/mcp", "MCP", "tools for language models"],
  ["/.well-known/mcp.json", "Tools of MCP", "each with its description"],
  ["/x402/openapi.json", "OpenAPI of what is sold per request", "by x402 or MPP, without an account"],
  ["/.well-known/x402", "x402 list", "the addresses that sell by x402"],
  ["/.well-known/agent-card.json", "Agent card", "what this service does for agents"],
  ["/.well-known/agent-skills/index.json", "Skills", "the list of those below"],
  ["/.well-known/api-catalog", "API catalog", "the interfaces of this host (RFC 9727)"],
  ["/docs/recipes", "Recipes", "DuckDB, pandas, R, Excel, Grafana and dbt"],
  ["/docs/test-mode", "Test mode", "buy before you pay, with test keys"],
  ["/changelog", "Changelog", "what changed in the API"]
]

const operation = ({ method, path, summary }: Summary, baseUrl: string): string =>
  `- [${summary}](${baseUrl}${path})${method === "GET" ? "" : `: ${method}`}`

export const llms = Effect.gen(function* () {
  const { baseUrl, mode } = yield* HttpSettings
  const here = yield* orProblem(assurances)
  const { symbols: all } = yield* symbols()
  const measured = all.filter(({ telemetry_tier }) => telemetry_tier === "first_party")
  const link = (path: string, name: string, says: string): string => `- [${name}](${baseUrl}${path}): ${says}`
  const text = `# Plumbline

> Measured values of ${measured.length} decentralized infrastructure networks and of the physical world. Every value names its source, its time and the upstream URL where anyone can check it; every closed day is in a public log, whose head is signed${here.isCosigned || here.isAnchored ? " and " : ", "}${headsInWords(here)}.
${mode === "live" ? "" : "\nThis service is a demonstration: its values are simulated.\n"}
What was not measured is absent, never 0. Cite a value with its day, its source and its proof. Reading needs no key: 30 days of daily history, and every network's own values.

## For programs

${documents.map(([path, name, says]) => link(path, name, says)).join("\n")}

## Skills

${skillPaths.map(({ description, name, path }) => link(path, name, description)).join("\n")}

${summaries()
  .map(
    ({ name, operations }) => `## ${name}\n\n${operations.map((one) => operation(one, baseUrl)).join("\n")}`
  )
  .join("\n\n")}

## For people

${places.map(({ name, path }) => `- [${name}](${baseUrl}${path})`).join("\n")}

## Measured networks

${measured.map(({ category, headline, name, symbol }) => link(networkPath(symbol), name, `${category}${headline === undefined ? "" : `, ${headline}`}`)).join("\n")}

## Optional

- [Terms](${baseUrl}/terms)
- [Sitemap](${baseUrl}/sitemap.xml)
`
  return HttpServerResponse.text(text, { contentType: "text/plain; charset=utf-8" })
})
