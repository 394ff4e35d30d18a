/** Numbers in what calls of contracts give, beside a value. */
import { fromHex, Malformed } from "../bytes.ts"
import type { NumberRead } from "../chainEvidence.ts"
import { decimalText, mostDecimals } from "./decimalText.ts"
import type { ClaimDocument } from "./document.ts"
import type { View } from "./evmRead.ts"
import { bare } from "./hexes.ts"
import { unsignedOf } from "./rlp.ts"

/** Between the keys of calls whose sum is the number. */
const plus = "+"

/** The key of calls in a bundle: of each the account and what it is called with, hex. */
export const keyOfViews = (views: ReadonlyArray<View>): string =>
  views.map(({ data, to }) => bare(to) + bare(data)).join(plus)

/** The length of an array as contracts give it: where it begins, its length, and a word for each entry; undefined for other bytes. */
const lengthOf = (bytes: Uint8Array): bigint | undefined => {
  const [begins, length] = [bytes.subarray(0, 32), bytes.subarray(32, 64)].map(unsignedOf)
  return begins === 32n && length !== undefined && BigInt(bytes.length) === 64n + length * 32n
    ? length
    : undefined
}

/** The number in what a call gave; undefined where the bytes are none of this form. */
const unitsIn = ({ as }: Pick<NumberRead, "as">, bytes: Uint8Array): bigint | undefined => {
  if (as === "entries") return lengthOf(bytes)
  return as === "unsigned" && bytes.length === 32 ? unsignedOf(bytes) : undefined
}

/** The sum of the numbers in what calls gave, hex, in decimal digits; undefined where one of them is none of this form. */
export const numberOfCalls = (read: NumberRead, results: ReadonlyArray<string>): string | undefined => {
  const units = results.map((result) => unitsIn(read, fromHex(result)))
  if (read.decimals > mostDecimals || !units.every((one) => one !== undefined)) return undefined
  return decimalText(
    units.reduce((sum, one) => sum + one, 0n),
    read.decimals
  )
}

/** What the calls of a key give by the claims of a proof, hex. Throws `Malformed` where it has no claim of one. */
export const resultsUnder = (claims: ReadonlyArray<ClaimDocument>, key: string): ReadonlyArray<string> =>
  key.split(plus).map((one) => {
    const claim = claims.find(
      (claim) =>
        claim.kind === "evm-call" &&
        "account" in claim &&
        "data" in claim &&
        `${claim.account}${claim.data}` === one
    )
    if (claim === undefined || !("value" in claim) || typeof claim.value !== "string")
      throw new Malformed("the proof has no claim of this key", "missing")
    return claim.value
  })
