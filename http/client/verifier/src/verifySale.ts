/** Checks what was sold: its hash, its receipt, its rows against the log, and the log's commitment to it. */
import { sha256 } from "@noble/hashes/sha2.js"
import { fromUtf8, Malformed, toHex, utf8 } from "../../../../core/proof/bytes.ts"
import { canonical, isRecord } from "../../../../core/proof/canonical.ts"
import { type Check, check, demand, notChecked, notProved } from "../../../../core/proof/check.ts"
import { isBatch, type LogEntry } from "../../../../core/proof/entry.ts"
import { parseJson } from "../../../../core/proof/json.ts"
import { commitmentOf } from "../../../../core/proof/sales.ts"
import * as s from "../../../../core/proof/shape.ts"
import { derivedProducts, type NoRow, soldParts } from "../../../../core/proof/soldRows.ts"
import type { Source } from "./monitor/source.ts"
import { checkSoldRows } from "./soldDays.ts"

/** What a buyer has: the answer to a purchase, as saved. */
export interface SavedSale {
  readonly product: string
  readonly payloadSha256: string
  readonly data: unknown
  readonly hasReceipt: boolean
  readonly commitment?: { readonly salt: string; readonly sha256: string }
}

const commitmentShape = { salt: s.hash, sha256: s.hash }

/** Reads the saved answer to a purchase, or to `GET` of it with its data. Throws `Malformed`. */
export const parseSale = (bytes: Uint8Array): SavedSale => {
  const sale = parseJson(fromUtf8(bytes))
  if (
    !isRecord(sale) ||
    !("data" in sale) ||
    !s.name.is(sale["product_key"]) ||
    !s.hash.is(sale["payload_sha256"])
  )
    throw new Malformed(
      "a saved sale must have product_key, payload_sha256 and data, as the service answered"
    )
  const { commitment } = sale
  return {
    product: sale["product_key"],
    payloadSha256: sale["payload_sha256"],
    data: sale["data"],
    hasReceipt: isRecord(sale["receipt"]),
    ...(commitment === undefined
      ? {}
      : { commitment: s.readShape("the commitment", commitment, commitmentShape) })
  }
}

/** Checks the hash of the data, and that the salt opens the commitment. */
export const checkPayload = (sale: SavedSale): ReadonlyArray<Check> => {
  const { commitment, data, payloadSha256 } = sale
  return [
    check("payload", () => {
      const hash = toHex(sha256(utf8(canonical(data))))
      demand(
        hash === payloadSha256,
        `the data has SHA-256 ${hash}, but payload_sha256 is ${payloadSha256}`,
        "hash"
      )
      return `SHA-256 ${hash}`
    }),
    commitment === undefined
      ? notProved("commitment", "the sale has none: it is from before the log committed to sales")
      : check("commitment", () => {
          demand(
            commitmentOf(commitment.salt, payloadSha256) === commitment.sha256,
            "the salt does not open the commitment to this payload",
            "hash"
          )
          return commitment.sha256
        })
  ]
}

/** A list that says how long it is must be as long. */
const countChecks = (data: unknown): ReadonlyArray<Check> => {
  if (!isRecord(data) || !Array.isArray(data["series"])) return []
  const series: ReadonlyArray<unknown> = data["series"]
  const points = series.reduce<number>(
    (sum, one) => sum + (isRecord(one) && Array.isArray(one["values"]) ? one["values"].length : 0),
    0
  )
  return [
    check("whole list", () => {
      demand(
        data["n_series"] === series.length && data["n_points"] === points,
        `the data says ${String(data["n_series"])} series and ${String(data["n_points"])} points, and has ${series.length} and ${points}`,
        "contradiction"
      )
      return `${series.length} series, ${points} points`
    })
  ]
}

/** Places that are named. */
const mostPlaces = 20

/** What of the data no leaf was compared with: a false value may hide in it. */
const uncomparedChecks = (noRows: ReadonlyArray<NoRow>, numbers: number): ReadonlyArray<Check> => [
  ...(noRows.length === 0
    ? []
    : [
        notChecked(
          "no rows",
          `${noRows.length} objects name a network or a metric and cannot be compared with a leaf: ${noRows
            .slice(0, mostPlaces)
            .map(({ place, why }) => `${place} has ${why}`)
            .join("; ")}${noRows.length > mostPlaces ? `; and ${noRows.length - mostPlaces} more` : ""}`,
          "unavailable"
        )
      ]),
  ...(numbers === 0
    ? []
    : [
        notChecked(
          "derived figures",
          `${numbers} numbers are in no row, so no leaf was compared with them: shares, scores, sums, counts and ranks are computed`,
          "unavailable"
        )
      ])
]

/** Checks the rows of closed days against the log. `entries` are those under a signed head that was checked. */
export const checkRows = async (
  { data, product }: SavedSale,
  log: { readonly source: Source; readonly entries: ReadonlyArray<LogEntry> }
): Promise<ReadonlyArray<Check>> => {
  const why = derivedProducts[product]
  if (why !== undefined) return [notChecked("rows", `${product} has no rows of values: ${why}`)]
  const { noRows, numbers, rows } = soldParts(data)
  const uncompared = uncomparedChecks(noRows, numbers)
  if (rows.length === 0)
    return [notChecked("rows", `${product}: no row of a value is in the data`, "unavailable"), ...uncompared]
  const batches = new Map(log.entries.filter(isBatch).map((entry) => [entry.days[0], entry] as const))
  return [
    ...countChecks(data),
    ...(await checkSoldRows({ source: log.source, batches }, rows)),
    ...uncompared
  ]
}
