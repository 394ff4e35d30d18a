/** An OpenTelemetry collector: what it is told of the service. Callers' addresses and secrets are not part of it. */
import { Effect, Layer, Option, Tracer } from "effect"
import { FetchHttpClient, HttpBody, UrlParams } from "effect/http"
import { OtlpExporter, OtlpLogger, OtlpMetrics, OtlpSerialization, OtlpTracer } from "effect/observability"
import packageJson from "../../package.json" with { type: "json" }

export interface Options {
  /** What is sent goes to `/v1/traces`, `/v1/logs` and `/v1/metrics` under this address, as JSON. */
  readonly endpoint: URL
  readonly headers?: Readonly<Record<string, string>>
  /** The share of traces that are sent, from 0 to 1. */
  readonly sample: number
  readonly scrub: (text: string) => string
  /** Picks the traces; uniform from 0 to 1. */
  readonly random?: () => number
}

/** Parameters of our addresses that are worth a key: no trace shows their values. */
const redacted = Layer.effect(
  UrlParams.CurrentRedactedNames,
  Effect.map(UrlParams.CurrentRedactedNames, (names) => [...names, "session_id"])
)

const ofCaller: ReadonlySet<string> = new Set(["client.address", "user_agent.original"])

/**
 * Decides for the first span of a trace whether it is sent: a caller who sends `traceparent` decides nothing. What
 * identifies a caller is left out.
 */
const sampling = (tracer: Tracer.Tracer, { random = Math.random, sample }: Options): Tracer.Tracer =>
  Tracer.make({
    ...tracer,
    span: (options) => {
      const { parent } = options
      const within = Option.isSome(parent) && parent.value._tag === "Span"
      const sampled = options.sampled && (within ? parent.value.sampled : random() < sample)
      const span = tracer.span({ ...options, sampled })
      const attribute = span.attribute.bind(span)
      span.attribute = (name, value) => {
        if (!ofCaller.has(name)) attribute(name, value)
      }
      return span
    }
  })

/** JSON without the secrets that reached it by mistake. */
const serialization = (scrub: Options["scrub"]) =>
  Layer.effect(
    OtlpSerialization.OtlpSerialization,
    Effect.map(OtlpSerialization.OtlpSerialization, ({ logs, metrics, traces }) => {
      const clean = (body: HttpBody.HttpBody): HttpBody.HttpBody =>
        body._tag === "Uint8Array"
          ? HttpBody.text(scrub(Buffer.from(body.body).toString("utf8")), body.contentType)
          : body
      return OtlpSerialization.OtlpSerialization.of({
        metrics,
        logs: (data) => clean(logs(data)),
        traces: (data) => clean(traces(data))
      })
    })
  ).pipe(Layer.provide(OtlpSerialization.layerJson))

export const layer = (options: Options) => {
  const { endpoint, headers: exportHeaders = {}, scrub } = options
  const to = (signal: "logs" | "metrics" | "traces") => ({
    url: `${endpoint.href.replace(/\/+$/, "")}/v1/${signal}`,
    headers: exportHeaders,
    resource: { serviceName: "plumbline", serviceVersion: packageJson.version }
  })
  const tracer = Layer.effect(
    Tracer.Tracer,
    Effect.map(OtlpTracer.make(to("traces")), (tracer) => sampling(tracer, options))
  ).pipe(Layer.provideMerge(OtlpExporter.layerFlusher))
  return Layer.mergeAll(tracer, OtlpLogger.layer(to("logs")), OtlpMetrics.layer(to("metrics"))).pipe(
    Layer.provide(serialization(scrub)),
    Layer.provide(FetchHttpClient.layer),
    Layer.merge(redacted)
  )
}
