/** Verifies the Bitcoin timestamp of a checkpoint. */
import { sha256 } from "@noble/hashes/sha2.js"
import type { BundleAnchor } from "./anchor.ts"
import { fromBase64, toHex, utf8 } from "./bytes.ts"
import { type Check, demand, failed, notChecked, notProved, reading } from "./check.ts"
import type { BitcoinNetwork } from "./ots/bitcoin.ts"
import { parseDetached } from "./ots/codec.ts"
import type { Timestamp } from "./ots/timestamp.ts"
import { heightsOf, type TimestampVerdict, verifyTimestamp } from "./ots/verify.ts"

export interface AnchorOptions {
  /** Block headers the caller trusts, by height, in addition to the anchor's own. */
  readonly headers?: ReadonlyMap<number, string>
  /** The network whose blocks count. */
  readonly network?: BitcoinNetwork
  /** The caller requires a block, by a header that he trusts; with nothing but the anchor's own, it is not proved. */
  readonly anchored?: boolean
  /** Wall clock in epoch milliseconds: no block and no cosignature is of a later time. */
  readonly now?: number
}

/** By the headers that the caller trusts, whatever block the anchor's own names; else by the anchor's own too. */
const verify = (
  timestamp: Timestamp,
  anchor: BundleAnchor,
  { headers, network }: AnchorOptions
): TimestampVerdict => {
  const trusted = verifyTimestamp(timestamp, headers ?? new Map(), network)
  if (trusted.status !== "unchecked" || anchor.header === undefined) return trusted
  const all = new Map([[anchor.header.height, anchor.header.hex], ...(headers ?? [])])
  return verifyTimestamp(timestamp, all, network)
}

const twoHours = 7_200_000

/**
 * Checks that the anchor is of this note, and that no block is older than `notOlderThan` (ISO 8601), a time that the note
 * cannot be older than.
 */
export const verifyAnchor = (
  anchor: BundleAnchor,
  note: string,
  notOlderThan: string | undefined,
  options: AnchorOptions
): { readonly check: Check; readonly outcome: TimestampVerdict | undefined } => {
  const name = "timestamp"
  const open = options.anchored === true ? notProved : notChecked
  if (anchor.ots === undefined) {
    const check =
      anchor.status === "none"
        ? open(name, `not anchored: ${anchor.reason ?? "no reason given"}`)
        : failed(name, `the bundle claims the anchor is ${anchor.status}, but contains no proof`, "missing")
    return { check, outcome: undefined }
  }
  const ots = anchor.ots
  const network = options.network ?? "bitcoin"
  const read = reading(
    name,
    () => {
      demand(
        anchor.network === network,
        `the anchor is on ${anchor.network}, not ${network}; a test network proves no time`,
        "origin"
      )
      const detached = parseDetached(fromBase64(ots))
      const digest = toHex(sha256(utf8(note)))
      demand(
        detached.fileHash === 0x08 && toHex(detached.timestamp.message) === digest,
        `the timestamp covers ${toHex(detached.timestamp.message)}, but the checkpoint's hash is ${digest}`,
        "hash"
      )
      const heights = heightsOf(detached.timestamp, network)
      const outcome = verify(detached.timestamp, anchor, options)
      demand(outcome.status !== "failed", outcome.detail, "hash")
      demand(
        outcome.status !== "verified" ||
          notOlderThan === undefined ||
          outcome.block.header.time * 1000 >= Date.parse(notOlderThan) - twoHours,
        "the block is older than the checkpoint it should contain",
        "time"
      )
      demand(
        outcome.status !== "verified" ||
          options.now === undefined ||
          outcome.block.header.time * 1000 <= options.now + twoHours,
        "the block is of a time that has not come yet",
        "time"
      )
      demand(
        anchor.header === undefined || heights.length === 0 || heights.includes(anchor.header.height),
        `the bundle has the header of block ${anchor.header?.height}, which its proof does not name`,
        "contradiction"
      )
      return outcome
    },
    (outcome) =>
      outcome.status === "verified" && !options.headers?.has(outcome.block.height)
        ? `${outcome.detail}; the header comes from the bundle; compare its hash with a block explorer, or pass it: --header`
        : outcome.detail
  )
  if (read.value === undefined) return { check: read.check, outcome: undefined }
  if (read.value.status === "verified") {
    const own = options.headers?.has(read.value.block.height) !== true
    const check = own && options.anchored === true ? notProved(name, read.check.detail) : read.check
    return { check, outcome: read.value }
  }
  const claim = anchor.status === "confirmed" || anchor.status === "final"
  const detail = claim ? `the bundle claims ${anchor.status}, but ${read.value.detail}` : read.value.detail
  return {
    check: !claim
      ? open(name, detail)
      : read.value.status === "unchecked"
        ? notProved(name, detail, "unavailable")
        : failed(name, detail, "contradiction"),
    outcome: read.value
  }
}
