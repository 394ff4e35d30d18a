/** What a run asked chains by JSON-RPC and was answered, out of its kept answers. */
import { promisify } from "node:util"
import { zstdDecompress } from "node:zlib"
import { Effect, Option, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { texts } from "../../readings/ingest/arrays.ts"
import { Blobs } from "../../readings/ingest/Blobs.ts"
import { provesChain } from "../../readings/ingest/runs/chainExchanges.ts"
import { rowsOf } from "../../sql/rows.ts"
import { wherever } from "../runFiles/movedRuns.ts"

const decompress = promisify(zstdDecompress)

/** Of one answer, and more than any proof has. */
const largest = 32 * 1024 * 1024

/** Answers of one run that are looked through. */
const most = 256

const exchangeRows = rowsOf({ url: Schema.String, request_body: Schema.String, sha256: Schema.String })

const Text = Schema.String
const Request = Schema.Struct({ id: Schema.Unknown, method: Text, params: Schema.Array(Schema.Unknown) })
const Reply = Schema.Struct({ id: Schema.Unknown, result: Schema.Unknown })
const orList = <S extends Schema.ConstraintDecoder<unknown>>(one: S) =>
  Schema.fromJsonString(Schema.Union([Schema.Array(one), one]))
const requestsIn = Schema.decodeUnknownOption(orList(Request))
const repliesIn = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))
const replyIn = Schema.decodeUnknownOption(Reply)

/** One call with its result. */
export interface Called {
  readonly url: string
  readonly method: string
  readonly params: ReadonlyArray<unknown>
  readonly result: unknown
}

const listOf = <A>(read: Option.Option<A | ReadonlyArray<A>>): ReadonlyArray<A> =>
  Option.match(read, { onNone: () => [], onSome: (one) => (Array.isArray(one) ? one : [one as A]) })

/** The calls of an exchange that were answered. One of a batch may be refused beside the others. */
const callsOf = (url: string, request: string, body: string): ReadonlyArray<Called> => {
  const replies = listOf(repliesIn(body)).flatMap((one) => Option.toArray(replyIn(one)))
  return listOf(requestsIn(request)).flatMap(({ id, method, params }) => {
    const reply = replies.find((one) => String(one.id) === String(id))
    return reply === undefined ? [] : [{ url, method, params, result: reply.result }]
  })
}

/** The text of a kept answer; undefined where it is no longer kept, or larger than any proof. */
const textOf = Effect.fnUntraced(function* (sha256: string) {
  const stored = yield* (yield* Blobs).get(sha256)
  if (Option.isNone(stored)) return undefined
  // biome-ignore lint/plugin/promise: unpacks in memory; a body that is too large or damaged is caught inside
  return yield* Effect.promise(async () => {
    try {
      return new TextDecoder().decode(await decompress(stored.value, { maxOutputLength: largest }))
    } catch {
      return undefined
    }
  })
})

/**
 * The calls of each answer that proves what a run read of chains; `forgotten` if one may be missing because it is no longer kept. With
 * `contracts`, only the batches that call one of them, and what was asked for beside batches.
 */
export const calledBy = Effect.fn("Log.calledBy")(function* (
  run: string,
  contracts: ReadonlyArray<string> = []
) {
  const sql = yield* SqlClient.SqlClient
  const mentioned = contracts.map((contract) => `%${contract.toLowerCase()}%`)
  const exchanges = yield* wherever(
    [run],
    ({ exchange }) =>
      sql`
        select url, request_body, sha256 from ${exchange} x
        where run = ${run} and status = 200 and size <= ${largest} and ${sql.literal(provesChain("x"))}
          and (${mentioned.length === 0} or request_body !~ '"eth_call"' or lower(request_body) like any(${texts(mentioned)}))
        order by n limit ${most}`.pipe(exchangeRows),
    () => run
  )
  const answers: Array<ReadonlyArray<Called>> = []
  let forgotten = false
  for (const { request_body, sha256, url } of exchanges) {
    const body = yield* textOf(sha256)
    if (body === undefined) forgotten = true
    else answers.push(callsOf(url, request_body, body))
  }
  return { answers, forgotten }
})
