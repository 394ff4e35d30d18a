/** What search engines and language models read first: robots.txt, the sitemap and llms.txt. */

import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { Category } from "../../../core/plugin/kinds.ts"
import { productKeys } from "../../../core/products/index.ts"
import { Brief } from "../../../core/publications/Brief.ts"
import { listing } from "../../../core/readings/read/listing.ts"
import { symbols } from "../../../core/readings/read/symbols.ts"
import { NotFound } from "../../../core/wire/problems/request.ts"
import { HttpSettings } from "../../HttpSettings.ts"
import { orProblem } from "../../problems/fromCore.ts"
import { escapeXml } from "../charts/xml.ts"
import { places } from "../html/nav.ts"
import { metricPath, networkPath } from "../html/values.ts"
import { categoryPath } from "./category.ts"
import { productPath } from "./products.ts"

const plain = { contentType: "text/plain; charset=utf-8" }

/** A service with made-up values is not for search engines. */
export const robots = Effect.gen(function* () {
  const { baseUrl, mode } = yield* HttpSettings
  const rules =
    mode === "live"
      ? ["Disallow: /v1/", "Disallow: /x402", "Disallow: /paid", "Disallow: /embed/"]
      : ["Disallow: /"]
  return HttpServerResponse.text(
    ["User-agent: *", ...rules, "", `Sitemap: ${baseUrl}/sitemap.xml`, ""].join("\n"),
    plain
  )
})

/** Addresses of one file; the protocol allows 50,000. */
const ofPart = 10_000

/** Every page that has a canonical address: the places, products and editions, then networks with their metrics. */
const addresses = Effect.gen(function* () {
  const { bySymbol } = yield* listing
  const { symbols: catalog } = yield* symbols()
  const editions = yield* orProblem((yield* Brief).editions)
  const names = [...new Set([...catalog.map(({ symbol }) => symbol), ...bySymbol.keys()])]
  return [
    ...places.map(({ path }) => path),
    ...productKeys.map(productPath),
    ...Category.literals.map(categoryPath),
    ...editions.map(({ date }) => `/brief/${date}`),
    ...names.flatMap((symbol) => {
      const metrics = new Set((bySymbol.get(symbol) ?? []).map(({ row }) => row.metric))
      return [networkPath(symbol), ...[...metrics].sort().map((metric) => metricPath(symbol, metric))]
    })
  ]
})

const xml = (element: string, entries: ReadonlyArray<string>) =>
  HttpServerResponse.text(
    `<?xml version="1.0" encoding="UTF-8"?>\n<${element} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries.join("\n")}\n</${element}>\n`,
    { contentType: "application/xml; charset=utf-8" }
  )

const urls = (paths: ReadonlyArray<string>, baseUrl: string) =>
  xml(
    "urlset",
    paths.map((path) => `<url><loc>${escapeXml(`${baseUrl}${path}`)}</loc></url>`)
  )

/** All addresses, or an index of parts where one file would be too long. */
export const sitemap = Effect.gen(function* () {
  const { baseUrl } = yield* HttpSettings
  const all = yield* addresses
  if (all.length <= ofPart) return urls(all, baseUrl)
  const parts = Array.from({ length: Math.ceil(all.length / ofPart) }, (_, n) => n + 1)
  return xml(
    "sitemapindex",
    parts.map((part) => `<sitemap><loc>${escapeXml(`${baseUrl}/sitemap/${part}.xml`)}</loc></sitemap>`)
  )
})

export const sitemapPart = Effect.fn("explorer.sitemapPart")(function* (name: string) {
  const { baseUrl } = yield* HttpSettings
  const part = Number(/^([1-9]\d{0,3})\.xml$/.exec(name)?.[1] ?? 0)
  const paths = part === 0 ? [] : (yield* addresses).slice((part - 1) * ofPart, part * ofPart)
  if (paths.length === 0) {
    return yield* new NotFound({ message: "The sitemap has no such part. /sitemap.xml lists its parts." })
  }
  return urls(paths, baseUrl)
})

export const llms = Effect.gen(function* () {
  const { baseUrl, mode } = yield* HttpSettings
  const { symbols: all } = yield* symbols()
  const measured = all.filter(({ telemetry_tier }) => telemetry_tier === "first_party")
  const text = `# Plumbline

> Measured values of ${measured.length} decentralized infrastructure networks and of the physical world. Every value names its source, its time and the upstream URL where anyone can check it; every closed day is in a public log that is anchored in Bitcoin.
${mode === "live" ? "" : "\nThis service is a demonstration: its values are simulated.\n"}
What was not measured is absent, never 0. Cite a value with its day, its source and its proof. Reading needs no key: 30 days of daily history, and every network's own values.

## For programs

- [API document](${baseUrl}/docs): every endpoint with parameters and limits
- [OpenAPI](${baseUrl}/openapi.json): the same for machines
- [Index](${baseUrl}/v1): where to begin, as JSON
- [MCP](${baseUrl}/mcp): tools for language models
- [Symbols](${baseUrl}/v1/symbols): every network and what is measured of it
- [Coverage](${baseUrl}/v1/coverage): which networks are not measured, and why
- [Latest values of a network](${baseUrl}/v1/network/FIL)
- [Daily history](${baseUrl}/v1/history?network=FIL&days=30)
- [Archive](${baseUrl}/v1/archive/): every closed day as a Parquet file
- [Croissant](${baseUrl}/v1/archive/croissant.json): the same files for programs that train models
- [Events](${baseUrl}/v1/events): new values, revisions, incidents, closed days and anchors of the last three days
- [Stream](${baseUrl}/v1/stream): the same as they happen, as server-sent events
- [Recipes](${baseUrl}/docs/recipes): DuckDB, pandas, R, Excel, Grafana and dbt
- [Test mode](${baseUrl}/docs/test-mode): buy before you pay, with test keys
- [Proof of a value](${baseUrl}/v1/attest): symbol, metric, date
- [Data dictionary](${baseUrl}/v1/data-dictionary): each metric and its collector

## For people

${places.map(({ name, path }) => `- [${name}](${baseUrl}${path})`).join("\n")}

## Networks

${measured.map(({ category, headline, name, symbol }) => `- [${name}](${baseUrl}${networkPath(symbol)}): ${category}${headline === undefined ? "" : `, ${headline}`}`).join("\n")}

## Optional

- [Terms](${baseUrl}/terms)
- [Sitemap](${baseUrl}/sitemap.xml)
`
  return HttpServerResponse.text(text, plain)
})
