/** Calls by JSON-RPC in the kept exchanges of a run. */
import { Option, Schema } from "effect"

const Request = Schema.Struct({ id: Schema.Unknown, method: Schema.String, params: Schema.Unknown })
const Reply = Schema.Struct({ id: Schema.Unknown, result: Schema.Unknown })
const orList = <S extends Schema.ConstraintDecoder<unknown>>(one: S) =>
  Schema.fromJsonString(Schema.Union([Schema.Array(one), one]))
const requestsIn = Schema.decodeUnknownOption(orList(Request))
const repliesIn = Schema.decodeUnknownOption(orList(Reply))

/** One call with its result. */
export interface Called {
  readonly url: string
  readonly method: string
  readonly params: unknown
  readonly result: unknown
}

const listOf = <A>(read: Option.Option<A | ReadonlyArray<A>>): ReadonlyArray<A> =>
  Option.match(read, { onNone: () => [], onSome: (one) => (Array.isArray(one) ? one : [one as A]) })

/** The calls of an exchange that were answered. */
export const callsOf = (url: string, request: string, body: string): ReadonlyArray<Called> => {
  const replies = listOf(repliesIn(body))
  return listOf(requestsIn(request)).flatMap(({ id, method, params }) => {
    const reply = replies.find((one) => String(one.id) === String(id))
    return reply === undefined ? [] : [{ url, method, params, result: reply.result }]
  })
}
