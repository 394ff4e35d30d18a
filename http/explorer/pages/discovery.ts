/** What search engines read first: robots.txt and the sitemap. */

import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { measurePath, measures } from "../../../core/catalog/Measures.ts"
import { Category } from "../../../core/plugin/kinds.ts"
import { productKeys } from "../../../core/products/index.ts"
import { Brief } from "../../../core/publications/Brief.ts"
import { listing } from "../../../core/readings/read/listing.ts"
import { symbols } from "../../../core/readings/read/symbols.ts"
import { NotFound } from "../../../core/wire/problems/request.ts"
import { HttpSettings } from "../../HttpSettings.ts"
import { orProblem } from "../../problems/fromCore.ts"
import { escapeXml } from "../charts/xml.ts"
import { morePlaces, places } from "../html/nav.ts"
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
    ...[...places, ...morePlaces].map(({ path }) => path),
    "/sources",
    ...productKeys.map(productPath),
    ...measures.map(measurePath),
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
