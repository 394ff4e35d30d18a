/** A stored run as the tape that its plugin can read again. */
import { promisify } from "node:util"
import { zstdDecompress } from "node:zlib"
import { Effect, Option, Schema } from "effect"
import { derivationOf } from "../../core/log/record/derivation.ts"
import { type Exchange, Target } from "../../core/plugin/Upstream.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import type { RunExchange } from "../../core/readings/ingest/Run.ts"
import type { Tape } from "../upstream/replay.ts"

const decompress = promisify(zstdDecompress)

/** A stored run as a tape; undefined where one of its bodies is no longer stored. */
export const tapeOf = Effect.fnUntraced(function* (run: Stored) {
  const blobs = yield* Blobs
  const bodies = new Map<string, Uint8Array>()
  for (const sha256 of new Set([run.targets_sha256, ...run.exchanges.map((exchange) => exchange.sha256)])) {
    const blob = yield* blobs.get(sha256)
    if (Option.isNone(blob)) return undefined
    bodies.set(sha256, yield* Effect.orDie(Effect.tryPromise(() => decompress(blob.value))))
  }
  const bytes = (sha256: string) => bodies.get(sha256) ?? new Uint8Array()
  const targets = yield* Effect.orDie(
    Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Array(Target)))(
      new TextDecoder().decode(bytes(run.targets_sha256))
    )
  )
  return {
    now: Date.parse(run.now),
    targets,
    settings: run.settings,
    exchanges: run.exchanges.map(
      ({ at, confirmed, headers, method, request_body, sha256, status, url }): Exchange => ({
        request: { method, url, ...(request_body === undefined ? {} : { body: request_body }) },
        at: Date.parse(at),
        status,
        headers,
        sha256,
        body: bytes(sha256),
        confirmed
      })
    )
  } satisfies Tape
})

/** A run as it is stored. */
export type Stored = Omit<Effect.Success<ReturnType<typeof storedRun>>, never>

/** A run by its id, with its exchanges. */
export const storedRun = Effect.fnUntraced(function* (id: string) {
  const { exchanges, ...run } = yield* derivationOf(id)
  return {
    ...run,
    exchanges: exchanges.map(({ body_kept: _, headers, method, ...exchange }): RunExchange => {
      const named = method === "POST" || method === "LISTEN" ? method : "GET"
      return { ...exchange, method: named, headers: headers ?? {} }
    })
  }
})
