/** `/v1/attest`: the value of one day with its proof. */
import { Context, Effect, Option } from "effect"
import { rowOf } from "../../proof/bundle.ts"
import { toHex } from "../../proof/bytes.ts"
import { verifier } from "../../proof/command.ts"
import { parseLeaf, type RowLeaf } from "../../proof/leaf.ts"
import { definitionOfDay } from "../../readings/read/byDefinition.ts"
import { rightsBySource, withRights } from "../../readings/read/rights.ts"
import { definitionOf } from "../../readings/read/valueRow.ts"
import type { AttestResponse } from "../../wire/log/attest.ts"
import { Log } from "../Log.ts"
import { agreedOf } from "./agreed.ts"
import { anchorFrom } from "./anchor.ts"
import { besideLeaf } from "./leafMarks.ts"
import { observedValue } from "./observedValue.ts"
import { type AttestParams, publishedDay, valueNameOf } from "./publishedDay.ts"
import { recordCache } from "./recordCache.ts"

/** The public URL of this service, for the commands in a response. */
export const PublicAddress = Context.Reference<string>("core/log/record/PublicAddress", {
  defaultValue: () => "<address of the service>"
})

const cachedDay = recordCache<Effect.Success<ReturnType<typeof publishedDay>>>(2000)

const cachedBeside = recordCache<Effect.Success<ReturnType<typeof besideLeaf>>>(2000)

/** A source's label as one word of a shell. */
const shellWord = (text: string): string =>
  /^[\w.:@/+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

/** A leaf's value as served. */
export const valueOf = (leaf: RowLeaf): AttestResponse["value"] => ({
  ...rowOf(leaf),
  // Written by `Ingest` from a manifest, whose type holds the units.
  unit: leaf.unit as AttestResponse["value"]["unit"]
})

/** The value of a day and its proof. Fails with `BadParameter`, `UnknownSymbol` and `NotAttested`. */
export const attest = Effect.fn("Log.attest")(function* (params: AttestParams) {
  const valueName = yield* valueNameOf(params)
  const { day, metric, symbol } = valueName
  const log = yield* Log
  const head = yield* log.served
  const { excluded, leaf, path, row, versions } = yield* cachedDay(
    JSON.stringify([valueName, head.size]),
    publishedDay(valueName, head, "value")
  )
  const observed = yield* observedValue(leaf.series, row, head.size)
  const agreement = yield* agreedOf(leaf.series, row, leaf.batch_day, head.size)
  const beside = yield* cachedBeside(
    JSON.stringify([leaf.series, leaf.text, head.size]),
    besideLeaf(leaf.series, row)
  )
  const response: AttestResponse = {
    value: {
      ...withRights(yield* rightsBySource)(valueOf(row)),
      ...definitionOf(yield* definitionOfDay({ series: leaf.series, date: day, value: row.value }))
    },
    date: day,
    ...(excluded === undefined ? {} : { excluded }),
    ...beside,
    leaf: leaf.text,
    leaf_hash: toHex(leaf.hash),
    batch: {
      day: leaf.batch_day,
      index: leaf.place,
      tree_size: leaf.tree_size,
      hash_algorithm: "sha-256, RFC 9162",
      proof: path,
      root: leaf.root,
      entry: leaf.entry
    },
    log: {
      index: leaf.log_index,
      tree_size: head.size,
      hash_algorithm: "sha-256, RFC 9162",
      proof: yield* log.inclusion(leaf.log_index, head.size),
      root: head.root
    },
    checkpoint: head.note ?? "",
    anchor: yield* anchorFrom(leaf),
    ...(Option.isNone(observed) ? {} : { observed: observed.value }),
    ...(Option.isNone(agreement) ? {} : { agreement: agreement.value }),
    versions: versions.map((version) => {
      const published = parseLeaf(version.text)
      return {
        version: version.version,
        kind: published.kind === "absent" ? "reading" : published.kind,
        value: published.kind === "absent" ? row.value : published.value,
        as_of: published.kind === "absent" ? row.as_of : published.as_of,
        leaf: version.text,
        leaf_hash: toHex(version.hash),
        batch_day: version.batch_day
      }
    }),
    how_to_check:
      `${verifier} value --symbol ${symbol} --metric ${metric} --date ${day.replaceAll("-", "")} ` +
      `--source ${shellWord(row.source)} --url ${yield* PublicAddress} --key=LOG_KEY`
  }
  return response
})
