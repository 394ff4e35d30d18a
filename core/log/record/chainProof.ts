/** `/v1/attest?format=chain-proof`: the chain's own proof of a value, made of what the run read. */
import { Effect, Option, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { unproved } from "../../plugin/notes.ts"
import { Refusal } from "../../plugin/Plugin.ts"
import { Malformed } from "../../proof/bytes.ts"
import { chainChecks, isNumberOf, numberIn } from "../../proof/chain/checkEvidence.ts"
import type { View } from "../../proof/chain/evmRead.ts"
import { proofOfRead } from "../../proof/chain/proofOfRead.ts"
import { provedState } from "../../proof/chain/readProof.ts"
import { runtimeKey, timestampKey } from "../../proof/chain/substrateKeys.ts"
import type { ChainEvidence, NumberRead } from "../../proof/chainEvidence.ts"
import type { RowLeaf } from "../../proof/leaf.ts"
import { parseRunLeaf } from "../../proof/runLeaf.ts"
import { rowsOf } from "../../sql/rows.ts"
import { NotAttested } from "../../wire/problems/request.ts"
import { Log } from "../Log.ts"
import { type ChainRead, chainReads } from "./chainReads.ts"
import { evidenceOfViews, type Proved } from "./evidenceOfViews.ts"
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

const Item = Schema.Struct({
  method: Schema.Literal("state_getStorage"),
  params: Schema.Array(Schema.String)
})
const itemIn = Schema.decodeUnknownOption(Schema.fromJsonString(Item))

const CallItem = Schema.Struct({
  method: Schema.Literal("eth_call"),
  params: Schema.TupleWithRest(Schema.Tuple([Schema.Struct({ to: Schema.String, data: Schema.String })]), [
    Schema.Unknown
  ])
})
const callsIn = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Union([Schema.Array(CallItem), CallItem]))
)

/** What a reader has to post to see a value, by the address that a collector gives for it. */
const postedIn = (address: string): string => {
  const [, fragment = ""] = address.split("#", 2)
  try {
    return decodeURIComponent(fragment)
  } catch {
    return ""
  }
}

/** The key of storage in an address that a collector gives for a value; undefined where it has none. */
const keyIn = (address: string): string | undefined =>
  Option.getOrUndefined(itemIn(postedIn(address)))?.params[0]?.toLowerCase()

/** The views of contracts in such an address; none where it has none. */
const viewsIn = (address: string): ReadonlyArray<View> =>
  [Option.getOrElse(callsIn(postedIn(address)), () => [])].flat().map(({ params: [view] }) => view)

/** The address of the newest value of a series: the proof of an older one says whether it was read in the same way. */
const addressOf = Effect.fnUntraced(function* ({ metric, source, symbol }: RowLeaf) {
  const sql = yield* SqlClient.SqlClient
  const [latest] = yield* sql`
    select coalesce(l.read_url, l.verify_url) as read_url from latest l join series s on s.id = l.series
    where s.symbol = ${symbol} and s.metric = ${metric} and s.source = ${source}`.pipe(latestRows)
  return latest?.read_url ?? ""
})

const decimals = Array.from({ length: 25 }, (_, n) => n)

/** How numbers are read of storage, the likeliest first. */
const numberReads: ReadonlyArray<NumberRead> = [
  { as: "unsigned", decimals: 0 },
  { as: "flags", decimals: 0 },
  { as: "entries", width: 32, decimals: 0 },
  ...decimals.slice(1).map((n): NumberRead => ({ as: "unsigned", decimals: n })),
  ...[8, 16].flatMap((width) => decimals.map((n): NumberRead => ({ as: "halves", width, decimals: n })))
]

/** The proof of one value in what a node told; undefined where it does not prove it. */
const evidenceIn = (read: ChainRead, key: string, leaf: RowLeaf): Proved | undefined => {
  try {
    const value = provedState(read).valueAt(key) ?? null
    const form = numberReads.find((one) => {
      const number = numberIn(one, value)
      return number !== undefined && isNumberOf(number, leaf)
    })
    if (form === undefined) return undefined
    const proof = proofOfRead(read, [key, `0x${timestampKey}`, `0x${runtimeKey}`], leaf.simulated === true)
    const evidence: ChainEvidence = { proof, key: key.slice(2), ...form }
    const [state] = chainChecks(evidence, leaf)
    return state?.ok === true ? { evidence, proof } : undefined
  } catch (error) {
    if (error instanceof Malformed) return undefined
    throw error
  }
}

/** Why there is no proof of a value where answers of its run prove something. */
const missing = (forgotten: boolean) => ({
  missing: forgotten
    ? "the answers of the run that gave it are no longer kept"
    : "no node gave the run a proof of it"
})

const noProof = { missing: "no answer of the run that gave it is a proof of a chain's state" }

/** The proof of a value that stands in the storage of a Substrate chain. */
const findItem = Effect.fnUntraced(function* (run: string, leaf: RowLeaf, key: string | undefined) {
  const { forgotten, hasProof, reads } = yield* chainReads(run)
  if (!hasProof) return noProof
  if (key === undefined) return { missing: "its collector names no key of a chain's state for it" }
  for (const read of reads.filter(({ keys }) => keys.includes(key))) {
    const proved = evidenceIn(read, key, leaf)
    if (proved !== undefined) return proved
  }
  return missing(forgotten)
})

/** The proof of a value that views of contracts give. */
const findViews = Effect.fnUntraced(function* (run: string, leaf: RowLeaf, views: ReadonlyArray<View>) {
  const { forgotten, hasProof, reads } = yield* evmReads(run, views)
  if (!hasProof) return noProof
  for (const read of reads) {
    const proved = evidenceOfViews(read, views, leaf)
    if (proved !== undefined) return proved
  }
  return missing(forgotten)
})

/** The chain's own proof of a published value that a run gave, or why there is none. */
const find = Effect.fn("chainProof.find")(function* (run: string, leaf: RowLeaf) {
  const note = yield* noteOf(run, leaf.symbol)
  if (note !== undefined) return { missing: note }
  const address = yield* addressOf(leaf)
  const views = viewsIn(address)
  return views.length > 0 ? yield* findViews(run, leaf, views) : yield* findItem(run, leaf, keyIn(address))
})

const cached = recordCache<Effect.Success<ReturnType<typeof find>>>(500)

/** The same, from memory, of the run whose leaf this is. */
const evidenceOf = (runText: string, leaf: RowLeaf) => {
  const run = parseRunLeaf(runText)
  if (run.outcome === "skipped") return Effect.succeed({ missing: "no run gave it" })
  return cached(
    JSON.stringify([run.run, leaf.symbol, leaf.metric, leaf.source, leaf.as_of, leaf.version]),
    find(run.run, leaf)
  ).pipe(
    Effect.catchTag("BlobsUnavailable", () =>
      Effect.succeed({ missing: "the answers of the run that gave it cannot be read now" })
    )
  )
}

/** The evidence `chain` of a value that the run with this leaf gave; undefined where there is none. */
export const chainEvidence = (runText: string, leaf: RowLeaf) =>
  Effect.map(evidenceOf(runText, leaf), (outcome) => ("evidence" in outcome ? outcome.evidence : undefined))

/** The proof of a day's value by its chain. Fails like `attest`, and with `NotAttested` where there is none. */
export const chainProof = Effect.fn("Log.chainProof")(function* (params: AttestParams) {
  const valueName = yield* valueNameOf(params)
  const head = yield* (yield* Log).served
  const { leaf, row } = yield* publishedDay(valueName, head, "value")
  const observed = yield* observedValue(leaf.series, row, head.size)
  const outcome = Option.isNone(observed)
    ? { missing: "the log does not have the run that gave it" }
    : yield* evidenceOf(observed.value.leaf, row)
  if ("evidence" in outcome) return outcome.proof
  return yield* new NotAttested({
    reason: "unproved",
    message: `${valueName.metric} of ${valueName.symbol} on ${valueName.day} is not proved by a chain: ${outcome.missing}.`
  })
})
