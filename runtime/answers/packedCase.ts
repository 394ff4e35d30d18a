/** A tape as the service keeps it, and its name by the shape of its answers. */
import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { zstdCompress, zstdDecompress } from "node:zlib"
import { Effect, Schema } from "effect"
import { type Exchange, Target } from "../../core/plugin/Upstream.ts"
import { shapesOf } from "../../core/readings/ingest/shapes/addresses.ts"
import type { AnswerCase } from "../../core/readings/ingest/shapes/cases.ts"
import type { Tape } from "../upstream/replay.ts"

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

/** Larger cases are not kept. */
export const mostBytes = 1_000_000

const PackedExchange = Schema.Struct({
  method: Schema.Literals(["GET", "POST", "LISTEN"]),
  url: Schema.String,
  request_body: Schema.optionalKey(Schema.String),
  at: Schema.Finite,
  status: Schema.Int,
  headers: Schema.Record(Schema.String, Schema.String),
  confirmed: Schema.optionalKey(Schema.Boolean),
  body: Schema.String
})

/** What is compressed. `mapped`: stand-ins answered, so that it is no captured case. */
const Packed = Schema.fromJsonString(
  Schema.Struct({
    now: Schema.Finite,
    mapped: Schema.Boolean,
    targets: Schema.Array(Target),
    settings: Schema.Record(Schema.String, Schema.String),
    exchanges: Schema.Array(PackedExchange)
  })
)

const shapeName = (tape: Tape): string =>
  createHash("sha256")
    .update(
      JSON.stringify(
        shapesOf(tape.exchanges)
          .map(({ address, shape }) => [
            address,
            // How often a member is there, and how long lists are, differ from run to run.
            Object.entries(shape)
              .map(([path, { kinds }]) => [path, kinds])
              .sort()
          ])
          .sort()
      )
    )
    .digest("hex")

/** Undefined of a tape that is too large. */
export const packed = Effect.fnUntraced(function* (tape: Tape, mapped: boolean) {
  const exchanges = tape.exchanges.map(({ at, body, confirmed, headers, request, status }) => ({
    method: request.method,
    url: request.url,
    ...(request.body === undefined ? {} : { request_body: request.body }),
    at,
    status,
    headers,
    ...(confirmed === undefined ? {} : { confirmed }),
    body: Buffer.from(body).toString("base64")
  }))
  const { now, settings, targets } = tape
  const text = yield* Schema.encodeEffect(Packed)({ now, mapped, targets, settings, exchanges })
  const bytes = yield* Effect.orDie(Effect.tryPromise(() => compress(text)))
  return bytes.length > mostBytes ? undefined : ({ shape: shapeName(tape), tape: bytes } satisfies AnswerCase)
})

/** What was packed. */
export const unpacked = Effect.fnUntraced(function* (bytes: Uint8Array) {
  const text = yield* Effect.orDie(Effect.tryPromise(() => decompress(bytes)))
  const { exchanges, mapped, ...tape } = yield* Schema.decodeEffect(Packed)(text.toString())
  return {
    mapped,
    tape: {
      ...tape,
      exchanges: exchanges.map(({ body, method, request_body, url, ...answer }): Exchange => {
        const bytes = new Uint8Array(Buffer.from(body, "base64"))
        return {
          ...answer,
          request: { method, url, ...(request_body === undefined ? {} : { body: request_body }) },
          sha256: createHash("sha256").update(bytes).digest("hex"),
          body: bytes
        }
      })
    } satisfies Tape
  }
})
