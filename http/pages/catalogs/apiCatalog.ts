/** `/.well-known/api-catalog` (RFC 9727): which interfaces this host has, as a linkset (RFC 9264). */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { catalogs } from "../../../core/log/archive/catalogs.ts"
import { HttpSettings } from "../../HttpSettings.ts"

const path = "/.well-known/api-catalog"

interface Target {
  readonly href: string
  readonly type: string
}

const link = (href: string, type: string): ReadonlyArray<Target> => [{ href, type }]

/** The interfaces with what describes each; relations are those of RFC 8631, and `terms-of-service` of RFC 8288's registry. */
const linkset = (baseUrl: string) => {
  const at = (place: string, type: string) => link(`${baseUrl}${place}`, type)
  const common = {
    status: at("/readyz", "application/json"),
    "terms-of-service": at("/terms", "text/html")
  }
  return [
    {
      anchor: `${baseUrl}${path}`,
      item: ["/v1", "/mcp", "/x402"].map((place) => ({ href: `${baseUrl}${place}` }))
    },
    {
      anchor: `${baseUrl}/v1`,
      "service-desc": at("/openapi.json", "application/openapi+json"),
      "service-doc": at("/docs", "text/html"),
      "service-meta": [
        ...at("/.well-known/service-signing-key.json", "application/json"),
        ...at("/.well-known/agent-skills/index.json", "application/json"),
        ...at("/changelog/atom.xml", "application/atom+xml"),
        ...at("/changes/atom.xml", "application/atom+xml"),
        ...at("/llms.txt", "text/plain"),
        ...at("/postman.json", "application/json"),
        ...at("/widgets.json", "application/json"),
        ...at(catalogs.croissant, "application/ld+json")
      ],
      ...common
    },
    {
      anchor: `${baseUrl}/mcp`,
      "service-desc": at("/.well-known/mcp.json", "application/json"),
      "service-doc": at("/docs", "text/html"),
      "service-meta": [
        ...at("/server.json", "application/json"),
        ...at("/.well-known/agent-card.json", "application/json")
      ],
      ...common
    },
    {
      anchor: `${baseUrl}/x402`,
      "service-desc": at("/x402/openapi.json", "application/openapi+json"),
      "service-doc": at("/products", "text/html"),
      "service-meta": at("/.well-known/x402", "application/json"),
      ...common
    }
  ]
}

export const apiCatalog = Effect.map(HttpSettings, ({ baseUrl }) =>
  HttpServerResponse.text(JSON.stringify({ linkset: linkset(baseUrl) }), {
    contentType: 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
    // RFC 9727, section 2, wants it of HEAD, which answers with the headers of GET.
    headers: { link: `<${baseUrl}${path}>; rel="api-catalog"` }
  })
)
