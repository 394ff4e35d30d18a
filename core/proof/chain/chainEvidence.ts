/** A chain's own proof beside a value: that the state of a block says the number, and at which time. */
import { fromHex, Malformed } from "../bytes.ts"
import { demand } from "../check.ts"
import type { RowLeaf } from "../leaf.ts"
import * as s from "../shape.ts"
import { type ChainProof, type ClaimDocument, chainProofShape } from "./document.ts"
import { countTrue, lengthOf, sumOf, unsigned } from "./storageNumbers.ts"

/**
 * How a number stands in the bytes of a value: as an unsigned integer; as how many of a list of flags are true, or how many entries of
 * `width` bytes a list has, of both none where the state has no value; or as the sum of two integers of `width` bytes.
 */
export type NumberForm = "unsigned" | "flags" | "entries" | "halves"

export interface NumberRead {
  readonly as: NumberForm
  /** Bytes of an entry, or of a half. */
  readonly width?: number
  /** The number is of units of which 10 to this power are one. */
  readonly decimals: number
}

export interface ChainEvidence extends NumberRead {
  readonly proof: ChainProof
  /** The key of the claim that says the number, hex. */
  readonly key: string
}

export const chainEvidenceShape: s.Shape<ChainEvidence> = {
  proof: s.nested("the proof of a chain", chainProofShape),
  key: s.text,
  as: s.oneOf("unsigned", "flags", "entries", "halves"),
  width: s.optional(s.ordinal),
  decimals: s.count
}

/** `Timestamp.Now`: when the block was made, in milliseconds. */
export const timestampKey = "f0c365c3cf59d671eb72da0e7a4113c49f1f0515f462cdcf84e0f1d6045dfcbb"

/** More than any token has. */
const mostDecimals = 36

const codecOf = ({ as, width = 0 }: NumberRead) => {
  if (as === "unsigned") return unsigned(1, 2, 4, 8, 16)
  if (as === "flags") return countTrue
  return as === "entries" ? lengthOf(width) : sumOf(width)
}

/** A whole number of such units as a decimal number, without zeros at its end. */
const decimalText = (units: bigint, decimals: number): string => {
  const digits = units.toString().padStart(decimals + 1, "0")
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "")
  const whole = digits.slice(0, digits.length - decimals)
  return decimals === 0 || fraction === "" ? whole : `${whole}.${fraction}`
}

/** The number in a value of the state, in decimal digits; undefined where the bytes are none of this form. */
export const numberIn = (read: NumberRead, value: Uint8Array | null): string | undefined => {
  if (read.decimals > mostDecimals) return undefined
  const units =
    value === null ? (read.as === "flags" || read.as === "entries" ? 0n : undefined) : codecOf(read)(value)
  return units === undefined ? undefined : decimalText(units, read.decimals)
}

/** Whether a number in decimal digits is the value of a leaf. */
export const isNumberOf = (
  number: string,
  { value, value_text }: Pick<RowLeaf, "value" | "value_text">
): boolean => (value_text === undefined ? Number(number) === value : number === value_text)

const valueUnder = (claims: ReadonlyArray<ClaimDocument>, key: string): Uint8Array | null | undefined => {
  const claim = claims.find((one) => one.kind === "substrate-storage" && "key" in one && one.key === key)
  if (claim === undefined || !("value" in claim)) return undefined
  return typeof claim.value === "string" ? fromHex(claim.value) : null
}

/** What the claims of a proof say of a leaf. Throws `Malformed` where they say something else. */
export const saidOfLeaf = ({ key, proof, ...read }: ChainEvidence, leaf: RowLeaf): string => {
  demand(
    (proof.simulated === true) === (leaf.simulated === true),
    "the leaf and the proof disagree on whether it is simulated",
    "contradiction"
  )
  const value = valueUnder(proof.claims, key)
  const time = valueUnder(proof.claims, timestampKey)
  if (value === undefined) throw new Malformed("the proof has no claim of this key", "missing")
  if (time === undefined || time === null) throw new Malformed("the proof has no time", "missing")
  const number = numberIn(read, value)
  demand(
    number !== undefined,
    `the value of the claim is not a number of the form ${read.as}`,
    "contradiction"
  )
  const says = leaf.value_text ?? String(leaf.value)
  demand(isNumberOf(number, leaf), `the state says ${number}, and the leaf ${says}`, "contradiction")
  const at = unsigned(8)(time)
  demand(
    at === BigInt(Date.parse(leaf.as_of)),
    `the block is of ${at} ms, and the leaf of ${leaf.as_of}`,
    "contradiction"
  )
  return `${says} under the key ${key} at ${leaf.as_of}`
}
