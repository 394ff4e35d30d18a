/** The first page of the documentation: a quick start, the sections, errors, limits and verification. */
import { verifier } from "../../../core/proof/command.ts"
import type { Document } from "../../description/document.ts"
import type { Samples } from "../../description/samples.ts"
import { escapeXml } from "../../explorer/charts/xml.ts"
import { prose } from "../../explorer/html/prose.ts"
import type { ExtraRoute } from "../../routing/ExtraRoutes.ts"
import { row, sampleTabs } from "./columns.ts"
import { block, code, slug } from "./html.ts"
import { placesOf } from "./section.ts"

/** What the page shows besides the API description. */
interface Context {
  readonly baseUrl: string
  readonly limits: ReadonlyArray<string>
  readonly extraRoutes: ReadonlyArray<Pick<ExtraRoute, "method" | "path" | "summary">>
}

/** HTML of the page's body. */
export const overview = (document: Document, { baseUrl, extraRoutes, limits }: Context): string => `
${row(`<h1>API documentation</h1>
<p class="lede">${escapeXml(document.info.title)}, version ${escapeXml(document.info.version)} of its interface</p>
<p>${prose(document.info.description ?? "")}</p>
<p>Base URL ${code(baseUrl)} · <a href="/openapi.json">OpenAPI description</a> ·
<a href="/docs/recipes">Recipes for DuckDB, pandas, R, Excel, Grafana and dbt</a> ·
<a href="/docs/test-mode">test mode</a> ·
<a href="/.well-known/service-signing-key.json">public keys</a> · <a href="/terms">terms</a></p>`)}
${quickStart(baseUrl)}
${row(
  `<h2>Endpoints</h2>
${document.tags.map((tag) => listed(document, tag.name, tag.description ?? "")).join("\n")}
${extraRoutes.length === 0 ? "" : others(extraRoutes)}`,
  "",
  "endpoints"
)}
${row(conventions, "", "conventions")}
${row(
  `<h2>Errors</h2>
<p>Every error is an RFC 9457 problem (${code("application/problem+json")}): its ${code("type")} is the path of a page on
this service that explains it. ${code("error")} and ${code("message")} are always present; ${code("field")},
${code("valid_values")} and other members are included where they help.</p>`,
  "",
  "errors"
)}
${row(`<h2>Limits</h2>${limits.map((text) => `<p>${prose(text)}</p>`).join("\n")}`, "", "limits")}
${verifying(baseUrl)}`

/** The same step in three languages. */
const step = (id: string, title: string, explanation: string, samples: Samples) =>
  row(`<h3>${escapeXml(title)}</h3><p>${prose(explanation)}</p>`, sampleTabs(id, samples), id)

const quickStart = (baseUrl: string): string => `
${row(
  `<h2>Quick start</h2>
<p>The clients are not published to a registry yet. From a checkout of Plumbline:
${code("npm pack --workspace @plumbline/client")} makes a file for ${code("npm install")}, and
${code("pip install ./http/client/python")} installs the one for Python.</p>`,
  "",
  "start"
)}
${step("read", "1. Read", "Reading needs no key. The clients verify each answer before you get it.", {
  curl: `curl -s '${baseUrl}/v1/history?network=FIL&metric=active_storage_providers&days=7'`,
  TypeScript: `import { createClient } from "@plumbline/client"

const plumbline = createClient({ baseUrl: "${baseUrl}" })
const { data } = await plumbline.GET("/v1/history", { params: { query: { network: "FIL", days: 7 } } })`,
  Python: `from plumbline_client import Plumbline

plumbline = Plumbline("${baseUrl}")
rows = plumbline.rows("/v1/history", network="FIL", metric="active_storage_providers", days=7)`
})}
${step(
  "key",
  "2. Get a key",
  "A key is free. It is shown once, and has its own limits; a subscription gives it more.",
  {
    curl: `curl -s -X POST '${baseUrl}/v1/credits/register' -H 'Content-Type: application/json' -d '{"agent_name":"my-agent"}'`,
    TypeScript: `const { data } = await plumbline.POST("/v1/credits/register", { body: { agent_name: "my-agent" } })
const mine = createClient({ baseUrl: "${baseUrl}", apiKey: data.api_key })`,
    Python: `key = plumbline.post("/v1/credits/register", {"agent_name": "my-agent"})["api_key"]
mine = Plumbline("${baseUrl}", api_key=key)`
  }
)}
${step(
  "pin",
  "3. Verify",
  "An answer is as good as the key that signs it. Obtain the operator's key independently of this service, and " +
    "pass it to the client (`--key`, `keys`): an answer by another key is then refused.",
  {
    curl: `${verifier} response '${baseUrl}/v1/network/FIL' --key <kid>   # in a checkout of Plumbline`,
    TypeScript: `const pinned = createClient({ baseUrl: "${baseUrl}", keys: ["<kid>"] })   // throws ForgedAnswer`,
    Python: `pinned = Plumbline("${baseUrl}", keys=["<kid>"])   # raises ForgedAnswer`
  }
)}
${step(
  "pay",
  "4. Pay",
  "With credits of a key, or per request without an account (x402): then your wallet signs the offer, and the client sends " +
    "what `pay` returns.",
  {
    curl: `curl -s -X POST '${baseUrl}/v1/credits/purchase' -H 'X-API-Key: <your key>' -H 'Idempotency-Key: order-1' \\
  -H 'Content-Type: application/json' -d '{"product_key":"depin_provenance"}'`,
    TypeScript: `const paying = createClient({ baseUrl: "${baseUrl}", pay: async (offer) => sign(offer) })
const { data } = await paying.GET("/x402/v1/data/{product}", { params: { path: { product: "depin_provenance" } } })`,
    Python: `paying = Plumbline("${baseUrl}", pay=sign)
bought = paying.get("/x402/v1/data/depin_provenance")`
  }
)}`

const listed = (document: Document, name: string, description: string): string => `
<h3><a href="/docs/${slug(name)}">${escapeXml(name)}</a></h3>
<p>${prose(description)}</p>
<ul>
${placesOf(document, name)
  .map(
    ({ method, operation, path }) =>
      `<li>${code(`${method} ${path}`)} ${escapeXml(operation.summary ?? "")}</li>`
  )
  .join("\n")}
</ul>`

const others = (extraRoutes: Context["extraRoutes"]): string => `
<h3>Other endpoints</h3>
<ul>
${extraRoutes
  .map(({ method, path, summary }) => {
    const name = code(`${method} ${path}`)
    return `<li>${method === "GET" ? `<a href="${escapeXml(path)}">${name}</a>` : name} ${escapeXml(summary)}</li>`
  })
  .join("\n")}
</ul>`

const conventions = `
<h2>Conventions</h2>
<ul>
<li>What was not measured is absent or null, never 0. A measured zero is 0.</li>
<li>Answers evolve by addition: ignore members and values that you do not know. Nothing that was released goes away.</li>
<li>Lists are paged by ${code("limit")} and ${code("cursor")}. The ${code("Link")} header has the URL of the next page, also
where the body is a plain array (${code("/v1/market")}, ${code("/v1/revenue")}). ${code("/v1/network/{symbol}")} is a plain
array without pages. New lists are objects with ${code("next_cursor")}.</li>
<li>The unit ${code("percent")} is a share of a whole: 62.5 means 62.5 of 100 parts. ${code("pct")} is a change against an
earlier value: -3 means that it fell by 3 percent. Names that end in ${code("_pct")} follow the same rule, apart from the
shares ${code("share_pct")} and ${code("utilisation_pct")}.</li>
<li>Sizes are in ${code("bytes")}; only ${code("memory_gib")} and ${code("disk_gib")}, which are older, are in GiB.</li>
<li>${code("verify_url")} is where anyone can compare a value with its source. ${code("verify_yourself")} is the exact URL
that the collector read, which may be one page of many.</li>
<li>${code("format=csv")} gives the rows of a list as CSV (RFC 4180): what is absent is an empty cell, and a text that a
spreadsheet would run as a formula begins with an apostrophe.</li>
</ul>`

const verifying = (baseUrl: string): string =>
  row(
    `<h2>Verifying a response</h2>
<p>Every response carries ${code("X-Service-Timestamp")}, ${code("X-Service-Signature")} and
${code("X-Service-Signing-Key")}. The signature is Ed25519 over the text</p>
${block("service-v1|<sha256 of the body, lower-case hex>|<X-Service-Timestamp>|<path without the query>")}
<p>where the body is the bytes after content decoding and the path is exactly as you sent it. In addition,
${code("Signature-Input")} and ${code("Signature")} (RFC 9421) cover the query, the method and the status, the
digest of the body in ${code("Unencoded-Digest")}. The newest head of the log at that time is in
${code("X-Service-Log-Head")}, with a signature of its own over that time: keep answers, and two of them show if the log was shown in two versions. A 304 carries only the first three headers, for the body that it
confirms, and no RFC 9421 signature.</p>`,
    block(`curl -si '${baseUrl}/v1/world'`),
    "verify"
  )
