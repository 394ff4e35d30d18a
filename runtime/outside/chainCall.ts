/** What is asked, by JSON-RPC and by GET, of nodes whose operators are asked which blocks they have. */
import { Effect, Option, Schema } from "effect"
import { utf8 } from "../../core/proof/bytes.ts"
import { type ChainNode, NodeSilent } from "../../core/publications/looks/ChainNodes.ts"
import { sendBounded } from "./boundedRequest.ts"

/** For one answer. */
const timeout = "15 seconds"

/** Bytes of an answer: a commit has a signature of each validator. */
const most = 4 * 1024 * 1024

export const silent = (why: string) => new NodeSilent({ why })

const Reply = Schema.fromJsonString(
  Schema.Struct({
    result: Schema.optionalKey(Schema.Unknown),
    error: Schema.optionalKey(Schema.NullOr(Schema.Struct({ message: Schema.optionalKey(Schema.String) })))
  })
)
const replyIn = Schema.decodeUnknownOption(Reply)

const Data = Schema.Struct({ data: Schema.Unknown })
const dataIn = Schema.decodeUnknownOption(Schema.fromJsonString(Data))
const listIn = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Array(Data)))

const headers = { "user-agent": "plumbline", "accept-encoding": "gzip" }

/** One call by JSON-RPC, alone: not every node takes batches. */
export const call = Effect.fnUntraced(function* <S extends Schema.ConstraintDecoder<unknown>>(
  { url }: ChainNode,
  method: string,
  params: ReadonlyArray<unknown> | Readonly<Record<string, unknown>>,
  result: S
) {
  const { body, status } = yield* sendBounded({
    method: "POST",
    url,
    headers: { ...headers, "content-type": "application/json" },
    body: utf8(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })),
    most,
    timeout
  }).pipe(Effect.mapError(({ message }) => silent(message)))
  const reply = replyIn(new TextDecoder().decode(body))
  if (Option.isSome(reply) && reply.value.error !== undefined && reply.value.error !== null)
    return yield* silent(`${method}: ${reply.value.error.message ?? "an error without words"}`)
  if (status !== 200) return yield* silent(`${method} answered ${status}`)
  const value = Option.flatMap(reply, (one) => Schema.decodeUnknownOption(result)(one.result))
  return Option.isSome(value) ? value.value : yield* silent(`${method} answered something else`)
})

/** The text that an API answers at a path below an address. */
const textAt = Effect.fnUntraced(function* (address: string, path: string) {
  const { body, status } = yield* sendBounded({
    method: "GET",
    url: address.replace(/\/+$/, "") + path,
    headers: { ...headers, accept: "application/json" },
    most,
    timeout
  }).pipe(Effect.mapError(({ message }) => silent(message)))
  return status === 200 ? new TextDecoder().decode(body) : yield* silent(`${path} answered ${status}`)
})

/** What is there under `data`. */
export const get = Effect.fnUntraced(function* <S extends Schema.ConstraintDecoder<unknown>>(
  address: string,
  path: string,
  data: S
) {
  const reply = dataIn(yield* textAt(address, path))
  const value = Option.flatMap(reply, (one) => Schema.decodeUnknownOption(data)(one.data))
  return Option.isSome(value) ? value.value : yield* silent(`${path} answered something else`)
})

/** The same of the first of a list; none where it is empty. */
export const getFirst = Effect.fnUntraced(function* <S extends Schema.ConstraintDecoder<unknown>>(
  address: string,
  path: string,
  data: S
) {
  const reply = listIn(yield* textAt(address, path))
  if (Option.isNone(reply)) return yield* silent(`${path} answered something else`)
  const [first] = reply.value
  return first === undefined ? Option.none() : Schema.decodeUnknownOption(data)(first.data)
})

export const demandChain = (isIt: boolean) =>
  isIt ? Effect.void : Effect.fail(silent("it is a node of another chain"))
