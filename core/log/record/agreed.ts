/** What other operators have of a published value: the comparison, the path to its day's document, and the entry of that. */
import { Effect, Option, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { LRUCache } from "lru-cache"
import { isComparable, parseAgreementLeaf, seenBy } from "../../proof/agreementLeaf.ts"
import { equalBytes, toHex, utf8 } from "../../proof/bytes.ts"
import type { RowLeaf } from "../../proof/leaf.ts"
import { buildTree, hashLength, inclusionProof, leafHash } from "../../proof/merkle.ts"
import { rowsOf } from "../../sql/rows.ts"
import type { AgreedValue } from "../../wire/log/attest.ts"
import { Log } from "../Log.ts"
import { sha256 } from "../leaves.ts"
import { storedAgreementLeaves } from "./files.ts"
import { recordCache } from "./recordCache.ts"

const placeRows = rowsOf({
  place: Schema.Int,
  differing: Schema.NullOr(Schema.String),
  hashes: Schema.Uint8Array,
  document: Schema.String,
  log_index: Schema.Int,
  entry: Schema.String
})

/** The comparisons of few days, one text each: those that nobody differs in are in the day's file alone. */
const files = new LRUCache<string, ReadonlyArray<string>>({ max: 4 })

const lineOf = Effect.fnUntraced(function* (day: string, document: string, place: number) {
  const before = files.get(document)
  if (before !== undefined) return before[place]
  const lines = (yield* storedAgreementLeaves(day)).split("\n")
  files.set(document, lines)
  return lines[place]
})

/**
 * The comparison of a series on a day, proved in the log of `size` entries. None where the day was not compared, and where its file
 * cannot be read or is not what the log commits to: the value is proved all the same.
 */
const agreedValue = Effect.fn("Log.agreedValue")(
  function* (series: number, day: string, size: number) {
    const sql = yield* SqlClient.SqlClient
    const log = yield* Log
    const [at] = yield* sql`
      select v.place, v.differing, a.hashes, d.body as document, a.log_index, e.text as entry
      from agreement_value v join agreement_day a on a.day = v.day
        join document d on d.sha256 = a.document join log_entry e on e.place = a.log_index
      where v.series = ${series} and v.day = ${day}::date and a.log_index < ${size}`.pipe(placeRows)
    if (at === undefined) return Option.none<AgreedValue>()
    const leaf = at.differing ?? (yield* lineOf(day, at.document, at.place)) ?? ""
    const stored = at.hashes.subarray(at.place * hashLength, (at.place + 1) * hashLength)
    if (!equalBytes(leafHash(utf8(leaf), sha256), stored)) return Option.none<AgreedValue>()
    const tree = buildTree(at.hashes, sha256)
    return Option.some<AgreedValue>({
      ...seenBy(parseAgreementLeaf(leaf)),
      leaf,
      index: at.place,
      size: tree.size,
      path: inclusionProof(tree, at.place).map(toHex),
      document: at.document,
      log: {
        index: at.log_index,
        size,
        path: yield* log.inclusion(at.log_index, size),
        entry: at.entry
      }
    })
  },
  Effect.catchTags({
    BlobsUnavailable: () => Effect.succeed(Option.none<AgreedValue>()),
    NotFound: () => Effect.succeed(Option.none<AgreedValue>())
  })
)

const cachedAgreed = recordCache<Effect.Success<ReturnType<typeof agreedValue>>>(500)

/** That of a published leaf: only the version of its day's own batch was compared. */
export const agreedOf = (series: number, leaf: RowLeaf, batchDay: string, size: number) =>
  isComparable(leaf, batchDay)
    ? cachedAgreed(JSON.stringify([series, leaf.day, size]), agreedValue(series, leaf.day, size))
    : Effect.succeed(Option.none<AgreedValue>())
