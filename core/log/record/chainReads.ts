/** What a run read of chains with their proofs, out of its kept answers. */
import { promisify } from "node:util"
import { zstdDecompress } from "node:zlib"
import { Effect, Option, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Blobs } from "../../readings/ingest/Blobs.ts"
import { provesChain } from "../../readings/ingest/runs/chainExchanges.ts"
import { rowsOf } from "../../sql/rows.ts"
import { wherever } from "../runFiles/movedRuns.ts"
import { type Called, callsOf } from "./chain/called.ts"
import { cosmosReads } from "./chain/cosmos.ts"
import type { ChainRead } from "./chain/read.ts"
import { substrateReads } from "./chain/substrate.ts"

const decompress = promisify(zstdDecompress)

/** Of one answer, and more than any proof has. */
const largest = 32 * 1024 * 1024

/** Answers of one run that are looked through. */
const most = 512

const exchangeRows = rowsOf({ url: Schema.String, request_body: Schema.String, sha256: Schema.String })

/** How the proofs of each kind of chain are found among the calls of a run. */
const families: ReadonlyArray<(calls: ReadonlyArray<Called>) => ReadonlyArray<ChainRead>> = [
  substrateReads,
  cosmosReads
]

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
  return { reads: families.flatMap((readsIn) => readsIn(calls)), forgotten, hasProof: exchanges.length > 0 }
})
