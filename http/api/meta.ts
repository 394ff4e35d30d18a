/** Health, signing keys, the API description and the HTML pages. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { dependenciesOf } from "../../core/wire/data/dependency.ts"
import { HealthData } from "../../core/wire/data/health.ts"
import { UptimeResponse } from "../../core/wire/data/uptime.ts"
import { BundleAnchor } from "../../core/wire/log/bundle.ts"
import { Readiness, Warning } from "../../core/wire/log/readiness.ts"
import { NotFound } from "../../core/wire/problems/request.ts"
import { NotReady } from "../../core/wire/problems/service.ts"
import { always, DependsOn, ForPeople } from "./Contract.ts"
import { text } from "./parameters.ts"

const says = (description: string) => ({ description })

export const HealthResponse = Schema.Struct({
  status: Schema.Literal("ok").annotate(
    says("The process responds; /readyz says whether its database does too")
  ),
  version: Schema.String.annotate(says("Version of the service")),
  mode: Schema.Literals(["live", "replay", "mapped"]).annotate(
    says(
      "`live`; `replay`: recorded and simulated data; `mapped`: upstream hosts are redirected to stand-ins"
    )
  ),
  mode_note: Schema.optionalKey(
    Schema.String.annotate(says("What the mode means for the data; absent in live mode"))
  ),
  data: HealthData
}).annotate({ identifier: "HealthResponse", description: "Liveness probe" })
export interface HealthResponse extends Schema.Schema.Type<typeof HealthResponse> {}

export const ReadyResponse = Schema.Struct({
  status: Schema.Literal("ready").annotate(says("This process can serve requests")),
  generated_utc: Readiness.fields.generated_utc,
  warnings: Schema.Array(Warning).annotate(
    says(
      "Issues an operator should look at; empty if all is well. None of them stops the service from responding"
    )
  )
}).annotate({ identifier: "ReadyResponse", description: "Readiness probe" })

const KeyMember = Schema.Struct({
  kty: Schema.Literal("OKP").annotate(says("JWK key type (RFC 8037)")),
  crv: Schema.Literal("Ed25519").annotate(says("JWK curve")),
  alg: Schema.Literal("EdDSA").annotate(says("JWK algorithm")),
  use: Schema.Literal("sig").annotate(says("JWK use: signatures only")),
  kid: Schema.String.annotate(says("RFC 7638 thumbprint of the key")),
  x: Schema.String.annotate(says("Public key, base64url")),
  public_key_hex: Schema.String.annotate(says("The same 32 bytes in lower-case hex")),
  purpose: Schema.Literals(["answers", "log"]).annotate(
    says("`answers`: signs responses; `log`: signs the log's checkpoints")
  ),
  vkey: Schema.optionalKey(
    Schema.String.annotate(
      says("A log key only: the same key as a verifier key for checkpoints (C2SP signed note)")
    )
  ),
  announced_at: Schema.String.annotate({
    format: "date-time",
    ...says("First published: ISO 8601 in UTC")
  }),
  not_before: Schema.String.annotate({ format: "date-time", ...says("First use: ISO 8601 in UTC") }),
  not_after: Schema.NullOr(Schema.String).annotate({
    format: "date-time",
    ...says("Last use: ISO 8601 in UTC; null while no end is set")
  }),
  status: Schema.Literals(["announced", "current", "retired"]).annotate(
    says(
      "`announced`: not in use yet; `current`: in use; `retired`: signs nothing new, but its old signatures still verify"
    )
  )
}).annotate({ identifier: "SigningKey", description: "One public key" })

const Rotation = Schema.Struct({
  document: Schema.String.annotate(says("The rotation's note, signed by the old key and the new")),
  entry: Schema.String.annotate(says("The log entry that commits to the note")),
  index: Schema.Int.annotate(says("Index of the entry in the log")),
  size: Schema.Int.annotate(says("Size of the log under the checkpoint")),
  path: Schema.Array(Schema.String).annotate(says("Inclusion proof of the entry (RFC 9162)")),
  checkpoint: Schema.String.annotate(says("A checkpoint that both keys signed")),
  cosignatures: Schema.optionalKey(
    Schema.Array(Schema.String).annotate(says("Signature lines of witnesses on the checkpoint"))
  ),
  anchor: BundleAnchor
}).annotate({ identifier: "KeyRotation", description: "One rotation of the log's key, with its proof" })

export const KeysResponse = Schema.Struct({
  keys: Schema.Array(KeyMember).annotate(says("The current key first; retired keys stay listed forever")),
  payload_format: Schema.String.annotate(says("The text that X-Service-Signature covers")),
  signature_format: Schema.String.annotate(says("Format of X-Service-Signature")),
  checkpoint_origin: Schema.String.annotate(says("Origin of the log, and the key name in its checkpoints")),
  rotations: Schema.Array(Rotation).annotate(says("Rotations of the log's key, oldest first")),
  promise: Schema.Struct({
    batch_within_hours: Schema.Int.annotate(
      says("A day's batch is in the log at most this many hours after the day's end")
    )
  }).annotate(says("What the operator promises"))
}).annotate({
  identifier: "SigningKeys",
  description: "The public keys of the service as a JWK set (RFC 7517)"
})

export const IndexResponse = Schema.Struct({
  name: Schema.Literal("Plumbline").annotate(says("Name of the service")),
  version: Schema.String.annotate(says("Version of the interface")),
  description: Schema.String.annotate(says("What the service is, in one sentence")),
  docs: Schema.String.annotate(says("This API as a web page")),
  openapi: Schema.String.annotate(says("This API as OpenAPI 3.1")),
  explorer: Schema.String.annotate(says("The same data for people")),
  keys: Schema.String.annotate(says("Public keys, to verify answers and the log")),
  start: Schema.Array(Schema.String).annotate(says("Paths to start with; none needs a key"))
}).annotate({ identifier: "IndexResponse", description: "The index of the service" })

const Page = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/html; charset=utf-8" }))

export const Meta = HttpApiGroup.make("meta")
  .add(
    HttpApiEndpoint.get("health", "/health", { success: HealthResponse })
      .annotate(DependsOn, always(...dependenciesOf.health))
      .annotateMerge(
        OpenApi.annotations({
          summary: "Liveness probe and data health",
          description:
            "Returns 200 as long as the process responds; `/readyz` says whether it should receive traffic. No rate limit."
        })
      ),
    HttpApiEndpoint.get("ready", "/readyz", {
      query: {
        for: Schema.optionalKey(
          Schema.Literals(["reads", "writes"]).annotate({
            description:
              "`reads`: whether this process can serve data; `writes`: whether it can serve purchases and accounts as well, which need the database. Default `reads`"
          })
        )
      },
      success: ReadyResponse,
      error: NotReady
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Readiness probe",
        description:
          "Returns 503 with `reasons` while this process cannot answer, or others answer better. What all processes share is in " +
          "the `warnings` of a 200, and so is what only an operator should look at: published data can still be read. While " +
          "the database is away, `for=writes` returns 503. No rate limit."
      })
    ),
    HttpApiEndpoint.get("uptime", "/v1/uptime", { success: UptimeResponse })
      .annotate(DependsOn, always("clock"))
      .annotateMerge(
        OpenApi.annotations({
          summary: "Uptime of the last 30 days",
          description:
            "Measured by the service itself over the last 30 days: the share of the time in which it answered and in which it " +
            "collected, with every gap. What nobody recorded counts as down. It says nothing of whether the service could be reached."
        })
      ),
    HttpApiEndpoint.get("keys", "/.well-known/service-signing-key.json", {
      success: KeysResponse
    })
      // Keys are announced before they sign anything, and change their status with the clock.
      .annotate(DependsOn, always("log", "anchors", "keys", "second"))
      .annotateMerge(
        OpenApi.annotations({
          summary: "Public keys of the service",
          description:
            "Verify `X-Service-Signature` with Ed25519 over `service-v1|<sha256 of the body, lower-case hex>|" +
            "<X-Service-Timestamp>|<path without query>`; the body is the bytes after content decoding. The standard " +
            "headers `Signature-Input` and `Signature` (RFC 9421) also cover the query. These keys sign statements, never transactions."
        })
      ),
    HttpApiEndpoint.get("openapi", "/openapi.json", {
      query: {
        form: Schema.optionalKey(
          Schema.Literals(["short", "examples"]).annotate(
            says("`short`: without descriptions and headers; `examples`: the examples alone")
          )
        ),
        section: text("only the operations of a section, by its page of /docs, such as `history`")
      },
      success: Schema.Record(Schema.String, Schema.Unknown).annotate({ description: "OpenAPI 3.1 document" })
    })
      .annotate(DependsOn, always("setup"))
      .annotateMerge(OpenApi.annotations({ summary: "This API as OpenAPI 3.1" })),
    HttpApiEndpoint.get("index", "/v1", { success: IndexResponse })
      .annotate(DependsOn, always("setup"))
      .annotateMerge(OpenApi.annotations({ summary: "Index of the service" })),
    HttpApiEndpoint.get("home", "/", {
      query: {
        q: text("words from a symbol, name, category or metric"),
        show: text("`network`, `subnet`, `reference` or `all`; networks by default, everything in a search"),
        category: text("only networks of this category"),
        telemetry: text("only networks with this kind of telemetry, as in /v1/networks"),
        columns: text("`supply`, `market`, `fees`, `development` or `data`; supply by default"),
        sort: text(
          "`name`, `series`, `change`, `week`, `age` or the name of a market, fee or developer metric, largest first; by market value by default"
        ),
        page: text("number of the page, from 1")
      },
      success: Page
    })
      .annotate(DependsOn, always("clock", "incidents", "log"))
      .annotate(ForPeople, true)
      .annotateMerge(
        OpenApi.annotations({
          summary: "The explorer: a web page for people",
          description: "Always HTML. /v1 is the index for programs."
        })
      ),
    HttpApiEndpoint.get("docs", "/docs", { success: Page })
      .annotate(DependsOn, always("setup"))
      .annotateMerge(OpenApi.annotations({ summary: "This API as a web page" })),
    HttpApiEndpoint.get("docsPage", "/docs/:page", {
      params: {
        page: Schema.String.annotate({
          description: "a section of /docs in lower case, `recipes` or `test-mode`",
          examples: ["recipes"]
        })
      },
      success: Page,
      error: NotFound
    })
      .annotate(DependsOn, always("setup"))
      .annotateMerge(
        OpenApi.annotations({
          summary: "One section of this API as a web page, recipes for analysts, or test mode"
        })
      ),
    HttpApiEndpoint.get("terms", "/terms", { success: Page })
      .annotate(DependsOn, always("setup"))
      .annotateMerge(OpenApi.annotations({ summary: "Terms of use" })),
    HttpApiEndpoint.get("problem", "/problems/:id", {
      params: {
        id: Schema.String.annotate({
          description: "the last segment of a problem's `type`",
          examples: ["bad-parameter"]
        })
      },
      success: Page,
      error: NotFound
    })
      .annotate(DependsOn, always("setup"))
      .annotateMerge(OpenApi.annotations({ summary: "What a problem means and what to do about it" }))
  )
  .annotateMerge(
    OpenApi.annotations({ title: "Meta", description: "Health, keys, documentation and terms." })
  )
