/** Whether the service can answer, seen from inside it or from another process. */
import { Effect, Schema } from "effect"
import { FetchHttpClient, HttpClient, HttpClientResponse } from "effect/http"
import { readiness } from "../../core/log/record/readiness.ts"
import { Reason, Warning } from "../../core/wire/log/readiness.ts"
import type { Settings } from "../settings/Settings.ts"

export interface Probe {
  readonly reasons: ReadonlyArray<Reason>
  readonly warnings: ReadonlyArray<Warning>
}

/** The body of `/readyz`, for both 200 and 503. */
const Answer = Schema.Struct({
  reasons: Schema.optionalKey(Schema.Array(Reason)),
  warnings: Schema.Array(Warning)
})

/** In the process of the service. */
export const probeHere: Effect.Effect<Probe, never, Effect.Services<typeof readiness>> = readiness

/** Over HTTP, at the address the service listens on; undefined if nothing answers. */
export const probeOver = ({ host, port }: Pick<Settings["Service"], "host" | "port">) =>
  HttpClient.get(`http://${addressOf(host)}:${port}/readyz`).pipe(
    Effect.flatMap(HttpClientResponse.schemaBodyJson(Answer)),
    Effect.map(({ reasons = [], warnings }): Probe => ({ reasons, warnings })),
    Effect.timeout("5 seconds"),
    Effect.orElseSucceed((): undefined => undefined),
    Effect.provide(FetchHttpClient.layer)
  )

/** A wildcard address is reached through loopback. */
const addressOf = (host: string): string =>
  host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "[::1]" : host.includes(":") ? `[${host}]` : host
