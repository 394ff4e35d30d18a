/** What a run read of Substrate chains with their proofs, out of its kept answers. */
import { promisify } from "node:util"
import { zstdDecompress } from "node:zlib"
import { Effect, Option, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { ReadOfChain } from "../../proof/chain/proofOfRead.ts"
import { Blobs } from "../../readings/ingest/Blobs.ts"
import { provesChain } from "../../readings/ingest/runs/chainExchanges.ts"
import { rowsOf } from "../../sql/rows.ts"
import { wherever } from "../runFiles/movedRuns.ts"

const decompress = promisify(zstdDecompress)

/** Of one answer, and more than any proof has. */
const largest = 32 * 1024 * 1024

/** Answers of one run that are looked through. */
const most = 64

const exchangeRows = rowsOf({ url: Schema.String, request_body: Schema.String, sha256: Schema.String })

const Text = Schema.String
const Request = Schema.Struct({ id: Schema.Unknown, method: Text, params: Schema.Array(Schema.Unknown) })
const Reply = Schema.Struct({ id: Schema.Unknown, result: Schema.Unknown })
const orList = <S extends Schema.ConstraintDecoder<unknown>>(one: S) =>
  Schema.fromJsonString(Schema.Union([Schema.Array(one), one]))
const requestsIn = Schema.decodeUnknownOption(orList(Request))
const repliesIn = Schema.decodeUnknownOption(orList(Reply))

const Header = Schema.Struct({
  parentHash: Text,
  number: Text,
  stateRoot: Text,
  extrinsicsRoot: Text,
  digest: Schema.Struct({ logs: Schema.Array(Text) })
})
const headerIn = Schema.decodeUnknownOption(Header)
const proofIn = Schema.decodeUnknownOption(Schema.Struct({ proof: Schema.Array(Text) }))
const keysIn = Schema.decodeUnknownOption(Schema.Tuple([Schema.Array(Text), Text]))

/** One call by JSON-RPC with its result. */
interface Called {
  readonly url: string
  readonly method: string
  readonly params: ReadonlyArray<unknown>
  readonly result: unknown
}

const listOf = <A>(read: Option.Option<A | ReadonlyArray<A>>): ReadonlyArray<A> =>
  Option.match(read, { onNone: () => [], onSome: (one) => (Array.isArray(one) ? one : [one as A]) })

/** The calls of an exchange that were answered. */
const callsOf = (url: string, request: string, body: string): ReadonlyArray<Called> => {
  const replies = listOf(repliesIn(body))
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

/** A proof that a node told, with the keys that it was asked for. */
export interface ChainRead extends ReadOfChain {
  readonly keys: ReadonlyArray<string>
}

const readOf = (proof: Called, calls: ReadonlyArray<Called>): ReadonlyArray<ChainRead> => {
  const named = keysIn(proof.params)
  const nodes = proofIn(proof.result)
  if (proof.method !== "state_getReadProof" || Option.isNone(named) || Option.isNone(nodes)) return []
  const [keys, hash] = named.value
  const beside = calls.filter(({ url }) => url === proof.url)
  const header = beside.flatMap(({ method, params, result }) =>
    method === "chain_getHeader" && params[0] === hash ? Option.toArray(headerIn(result)) : []
  )[0]
  const genesis = beside.find(
    ({ method, params }) => method === "chain_getBlockHash" && params[0] === 0
  )?.result
  return header === undefined || typeof genesis !== "string"
    ? []
    : [{ keys, hash, header, genesis, nodes: nodes.value.proof }]
}

/** The proofs that nodes told a run; `forgotten` if an answer that may have one is no longer kept. */
export const chainReads = Effect.fn("Log.chainReads")(function* (run: string) {
  const sql = yield* SqlClient.SqlClient
  const exchanges = yield* wherever(
    [run],
    ({ exchange }) =>
      sql`
        select url, request_body, sha256 from ${exchange} x
        where run = ${run} and status = 200 and size <= ${largest} and ${sql.literal(provesChain("x"))}
        order by n limit ${most}`.pipe(exchangeRows),
    () => run
  )
  const calls: Array<Called> = []
  let forgotten = false
  for (const { request_body, sha256, url } of exchanges) {
    const body = yield* textOf(sha256)
    if (body === undefined) forgotten = true
    else calls.push(...callsOf(url, request_body, body))
  }
  return { reads: calls.flatMap((call) => readOf(call, calls)), forgotten, hasProof: exchanges.length > 0 }
})
