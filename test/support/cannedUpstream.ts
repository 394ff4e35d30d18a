/** `Upstream` whose answers are JSON values at hand, for tests of what reads them. */
import { createHash } from "node:crypto"
import type { Request } from "../../core/plugin/Upstream.ts"
import * as Replay from "../../runtime/upstream/replay.ts"

const at = Date.parse("2026-09-05T11:00:00Z")

export interface CannedExchange {
  readonly request: Request | string
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: unknown
}

/** Answers these requests, each once, in the form of a recording; any other request is unreachable. */
export const answers = (exchanges: ReadonlyArray<CannedExchange>) =>
  Replay.layer({
    now: at,
    targets: [],
    settings: {},
    exchanges: exchanges.map(({ request, status = 200, headers = {}, body }) => {
      const bytes = new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body))
      return {
        request: typeof request === "string" ? { method: "GET", url: request } : request,
        at,
        status,
        headers,
        sha256: createHash("sha256").update(bytes).digest("hex"),
        body: bytes
      }
    })
  })
