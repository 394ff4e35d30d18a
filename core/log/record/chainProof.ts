/** `/v1/attest?format=chain-proof`: the chain's own proof of a value, made of what the run read. */
import { Effect, Option, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { unproved } from "../../plugin/notes.ts"
import { Refusal } from "../../plugin/Plugin.ts"
import type { View } from "../../proof/chain/evmRead.ts"
import type { RowLeaf } from "../../proof/leaf.ts"
import { parseRunLeaf } from "../../proof/runLeaf.ts"
import { rowsOf } from "../../sql/rows.ts"
import { NotAttested } from "../../wire/problems/request.ts"
import { Log } from "../Log.ts"
import { chainReads } from "./chainReads.ts"
import { evidenceOfViews } from "./evidenceOfViews.ts"
import { evmReads } from "./evmReads.ts"
import { observedValue } from "./observedValue.ts"
import { type AttestParams, publishedDay, valueNameOf } from "./publishedDay.ts"
import { recordCache } from "./recordCache.ts"

const noteRows = rowsOf({ refused: Schema.Array(Refusal) })

/** Why the run itself says that a value of this network is not proved. */
const noteOf = Effect.fnUntraced(function* (run: string, symbol: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql`select refused from run where id = ${run}`.pipe(noteRows)
  const note = row?.refused.find(
    (one) => one.reason.startsWith(unproved) && (one.symbol === "*" || one.symbol === symbol)
  )
  return note?.reason.slice(unproved.length)
})

const latestRows = rowsOf({ read_url: Schema.String })

/** The address that a series is read at: it is that of its newest value, and the proof of an older one says whether it was then. */
const addressOf = Effect.fnUntraced(function* ({ metric, source, symbol }: RowLeaf) {
  const sql = yield* SqlClient.SqlClient
  const [latest] = yield* sql`
    select coalesce(l.read_url, l.verify_url) as read_url from latest l join series s on s.id = l.series
    where s.symbol = ${symbol} and s.metric = ${metric} and s.source = ${source}`.pipe(latestRows)
  return latest?.read_url ?? ""
})

/** One call, or calls of one contract that differ in what it is called with. */
const Called = Schema.Struct({
  to: Schema.String,
  data: Schema.Union([Schema.String, Schema.Array(Schema.String)])
})
const CallItem = Schema.Struct({
  method: Schema.Literal("eth_call"),
  params: Schema.TupleWithRest(Schema.Tuple([Called]), [Schema.Unknown])
})
const callsIn = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Union([Schema.Array(CallItem), CallItem]))
)

/** The views of contracts in an address that a collector gives for a value; none where it has none. */
const viewsIn = (address: string): ReadonlyArray<View> => {
  const [, fragment = ""] = address.split("#", 2)
  try {
    return [Option.getOrElse(callsIn(decodeURIComponent(fragment)), () => [])]
      .flat()
      .flatMap(({ params: [{ data, to }] }) => [data].flat().map((one) => ({ to, data: one })))
  } catch {
    return []
  }
}

/** The proofs in a run's answers that may be of a value. */
const readsFor = Effect.fnUntraced(function* (run: string, address: string, leaf: RowLeaf) {
  const views = viewsIn(address)
  if (views.length === 0) {
    const { reads, ...rest } = yield* chainReads(run)
    return { ...rest, proofs: reads.map((read) => () => read.prove(address, leaf)) }
  }
  const { reads, ...rest } = yield* evmReads(run, views)
  return { ...rest, proofs: reads.map((read) => () => evidenceOfViews(read, views, leaf)) }
})

/** The chain's own proof of a published value that a run gave, or why there is none. */
export const findProof = Effect.fn("chainProof.findProof")(function* (run: string, leaf: RowLeaf) {
  const { forgotten, hasProof, proofs } = yield* readsFor(run, yield* addressOf(leaf), leaf)
  for (const proof of proofs) {
    const proved = proof()
    if (proved !== undefined) return proved
  }
  const note = yield* noteOf(run, leaf.symbol)
  if (note !== undefined) return { missing: note }
  if (!hasProof) return { missing: "no answer of the run that gave it is a proof of a chain's state" }
  return {
    missing: forgotten
      ? "the answers of the run that gave it are no longer kept"
      : "no node gave the run a proof of it"
  }
})

const cached = recordCache<Effect.Success<ReturnType<typeof findProof>>>(500)

/** The chain's own proof of a value that a run gave, from memory, or why there is none. */
const evidenceOfRun = (run: string, leaf: RowLeaf) =>
  cached(
    JSON.stringify([run, leaf.symbol, leaf.metric, leaf.source, leaf.as_of, leaf.version]),
    findProof(run, leaf)
  ).pipe(
    Effect.catchTag("BlobsUnavailable", () =>
      Effect.succeed({ missing: "the answers of the run that gave it cannot be read now" })
    )
  )

/** The proof of a value by its chain, and the evidence `chain` of it, by the run whose leaf this is; or why there is none. */
export const chainEvidence = (runText: string, leaf: RowLeaf) => {
  const run = parseRunLeaf(runText)
  return run.outcome === "skipped"
    ? Effect.succeed({ missing: "no run gave it" })
    : evidenceOfRun(run.run, leaf)
}

/** The proof of a day's value by its chain. Fails like `attest`, and with `NotAttested` where there is none. */
export const chainProof = Effect.fn("Log.chainProof")(function* (params: AttestParams) {
  const valueName = yield* valueNameOf(params)
  const head = yield* (yield* Log).served
  const { leaf, row } = yield* publishedDay(valueName, head, "value")
  const observed = yield* observedValue(leaf.series, row, head.size)
  const outcome = Option.isNone(observed)
    ? { missing: "the log does not have the run that gave it" }
    : yield* chainEvidence(observed.value.leaf, row)
  if ("evidence" in outcome) return outcome.proof
  return yield* new NotAttested({
    reason: "unproved",
    message: `${valueName.metric} of ${valueName.symbol} on ${valueName.day} is not proved by a chain: ${outcome.missing}.`
  })
})
