/** Calls by JSON-RPC 2.0. */
import { Effect, type Result, Schema } from "effect"
import { bareErrorIn, errorIn, type StatedError } from "../statedErrors.ts"
import { type Answer, statedBy } from "./answers.ts"
import { UpstreamChanged, type UpstreamError } from "./errors.ts"
import { decode, parsedBody } from "./json.ts"
import { nameOf, post } from "./requests.ts"
import { maybe } from "./values.ts"

/** One JSON-RPC call; `result` decodes its result. */
export interface Call<S extends Schema.Constraint> {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
  readonly result: S
}

/** The id is null if the server could not read the request and refused it as a whole. */
const RpcAnswer = Schema.Struct({
  id: maybe(Schema.Union([Schema.Int, Schema.String])),
  result: Schema.optionalKey(Schema.Unknown),
  error: maybe(Schema.Unknown)
})

/** The request of these calls: several are one batch, a single one is one object. */
export const rpcRequest = (url: string, calls: ReadonlyArray<Pick<Call<never>, "method" | "params">>) => {
  const envelopes = calls.map(({ method, params }, index) => ({
    jsonrpc: "2.0",
    id: index + 1,
    method,
    params
  }))
  return post(url, envelopes.length === 1 ? envelopes[0] : envelopes)
}

type Calls = ReadonlyArray<Call<Schema.ConstraintDecoder<unknown>>>

type Reply = Result.Result<unknown, UpstreamError>

/** What each call gave, in their order: its result, or why it gave none. Fails where the batch was not answered. */
export const rpcEach = Effect.fnUntraced(function* <const All extends Calls>(url: string, calls: All) {
  const request = rpcRequest(url, calls)
  const answer = yield* parsedBody(request)
  const refusal = ({ code, detail }: StatedError, method = "") =>
    statedBy(`${nameOf(request)} ${method}`, {
      detail: `JSON-RPC error${code === undefined ? "" : ` ${code}`}: ${detail}`,
      ...(code === undefined ? {} : { code })
    })
  const whole = bareErrorIn(answer.body)
  if (whole !== undefined) return yield* refusal(whole, calls[0]?.method)
  const body = yield* decode(request, Schema.Union([Schema.Array(RpcAnswer), RpcAnswer]), answer.body)
  const replies = Array.isArray(body) ? body : [body as typeof RpcAnswer.Type]
  const results = yield* Effect.forEach(calls as Calls, (call, index): Effect.Effect<Reply> => {
    const reply =
      // The one answer to the one call, whatever id a proxy gave it.
      (calls.length === 1 && replies.length === 1 ? replies[0] : undefined) ??
      replies.find(({ id }) => String(id) === String(index + 1)) ??
      replies.find(({ error, id }) => (id ?? undefined) === undefined && (error ?? undefined) !== undefined)
    const error = errorIn(reply)
    if (error !== undefined) return Effect.result(Effect.fail(refusal(error, call.method)))
    if (reply === undefined || !("result" in reply)) {
      const missing = new UpstreamChanged({
        request: `${nameOf(request)} ${call.method}`,
        path: `[${index}]`,
        detail: "no result for this call"
      })
      return Effect.result(Effect.fail(missing))
    }
    return Effect.result(decode({ ...request, url: `${url} ${call.method}` }, call.result, reply.result))
  })
  return {
    ...answer,
    body: results as { -readonly [K in keyof All]: Result.Result<All[K]["result"]["Type"], UpstreamError> }
  }
})

/**
 * JSON-RPC 2.0: several calls travel as one batch, a single call as one object. Gives the results in the order of
 * the calls; an `error` member of any is `UpstreamRefused`.
 */
export const rpc = Effect.fnUntraced(function* <const All extends Calls>(url: string, calls: All) {
  const answer = yield* rpcEach(url, calls)
  const results = yield* Effect.forEach(answer.body as ReadonlyArray<Reply>, Effect.fromResult)
  return { ...answer, body: results as { -readonly [K in keyof All]: All[K]["result"]["Type"] } }
})

/** One JSON-RPC call: its result as the answer's body. */
export const call = <S extends Schema.ConstraintDecoder<unknown>>(
  url: string,
  method: string,
  params: ReadonlyArray<unknown>,
  result: S
) =>
  Effect.map(
    rpc(url, [{ method, params, result }]),
    (answer): Answer<S["Type"]> => ({
      ...answer,
      body: answer.body[0]
    })
  )
