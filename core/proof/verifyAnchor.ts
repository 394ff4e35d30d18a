/** Verifies the Bitcoin timestamp of a checkpoint. */
import { sha256 } from "@noble/hashes/sha2.js"
import type { BundleAnchor } from "./bundle.ts"
import { fromBase64, toHex, utf8 } from "./bytes.ts"
import { type Check, demand, notChecked, reading } from "./check.ts"
import type { Network } from "./ots/bitcoin.ts"
import { parseDetached } from "./ots/codec.ts"
import { type Outcome, verifyTimestamp } from "./ots/verify.ts"

export interface AnchorOptions {
  /** Block headers the caller trusts, by height, in addition to the anchor's own. */
  readonly headers?: ReadonlyMap<number, string>
  /** The network whose blocks count. */
  readonly network?: Network
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
): { readonly check: Check; readonly outcome: Outcome | undefined } => {
  const name = "timestamp"
  if (anchor.ots === undefined) {
    const check =
      anchor.status === "none"
        ? notChecked(name, `not anchored: ${anchor.reason ?? "no reason given"}`)
        : {
            name,
            ok: false,
            detail: `the bundle claims the anchor is ${anchor.status}, but contains no proof`
          }
    return { check, outcome: undefined }
  }
  const ots = anchor.ots
  const network = options.network ?? "bitcoin"
  const read = reading(
    name,
    () => {
      demand(
        anchor.network === network,
        `the anchor is on ${anchor.network}, not ${network}; a test network proves no time`
      )
      const detached = parseDetached(fromBase64(ots))
      const digest = toHex(sha256(utf8(note)))
      demand(
        detached.fileHash === 0x08 && toHex(detached.timestamp.message) === digest,
        `the timestamp covers ${toHex(detached.timestamp.message)}, but the checkpoint's hash is ${digest}`
      )
      const headers = new Map(anchor.header === undefined ? [] : [[anchor.header.height, anchor.header.hex]])
      for (const [height, hex] of options.headers ?? []) headers.set(height, hex)
      const outcome = verifyTimestamp(detached.timestamp, headers, network)
      demand(outcome.status !== "failed", outcome.detail)
      demand(
        outcome.status !== "verified" ||
          notOlderThan === undefined ||
          outcome.block.header.time * 1000 >= Date.parse(notOlderThan) - twoHours,
        "the block is older than the checkpoint it should contain"
      )
      return outcome
    },
    (outcome) =>
      outcome.status === "verified" && !options.headers?.has(outcome.block.height)
        ? `${outcome.detail}; the header comes from the bundle; compare its hash with a block explorer`
        : outcome.detail
  )
  if (read.value === undefined || read.value.status === "verified") {
    return { check: read.check, outcome: read.value }
  }
  const claim = anchor.status === "confirmed" || anchor.status === "final"
  return {
    check:
      claim && (read.value.status === "pending" || read.value.status === "unknown")
        ? { name, ok: false, detail: `the bundle claims ${anchor.status}, but ${read.value.detail}` }
        : notChecked(name, read.value.detail),
    outcome: read.value
  }
}
