/** Checks a chain's own proof beside a value: that the state of a block says the number, and at which time. */
import { fromHex, Malformed } from "../bytes.ts"
import type { ChainChecks, ChainEvidence, NumberRead } from "../chainEvidence.ts"
import { demand, failed, notChecked, reading } from "../check.ts"
import type { RowLeaf } from "../leaf.ts"
import { readShape } from "../shape.ts"
import { bounds } from "./bounds.ts"
import { decimalText, mostDecimals } from "./decimalText.ts"
import { type ChainProof, type ClaimDocument, chainProofShape, demandForm } from "./document.ts"
import { evm } from "./evm.ts"
import { bytesOf } from "./hexes.ts"
import { numberOfCalls, resultsUnder } from "./resultsOfCalls.ts"
import { countTrue, lengthOf, sumOf, unsigned } from "./storageNumbers.ts"
import { substrate } from "./substrate.ts"
import { timestampKey } from "./substrateKeys.ts"
import { verifyProof } from "./verifyProof.ts"

const codecOf = ({ as, width = 0 }: NumberRead) => {
  if (as === "unsigned") return unsigned(1, 2, 4, 8, 16)
  if (as === "flags") return countTrue
  return as === "entries" ? lengthOf(width) : sumOf(width)
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

type Evidence = ChainEvidence & { readonly proof: ChainProof }

/** What a proof says: a number, if the value has one, and when, in milliseconds since 1970. */
interface Statement {
  readonly number: string | undefined
  readonly at: bigint
}

/** Throws `Malformed`. */
const saidByStorage = ({ key, proof, ...read }: Evidence): Statement => {
  const value = valueUnder(proof.claims, key)
  const time = valueUnder(proof.claims, timestampKey)
  if (value === undefined) throw new Malformed("the proof has no claim of this key", "missing")
  if (time === undefined || time === null) throw new Malformed("the proof has no time", "missing")
  return { number: numberIn(read, value), at: unsigned(8)(time) ?? -1n }
}

/** Throws `Malformed`. */
const saidByCalls = ({ key, proof, ...read }: Evidence): Statement => ({
  number: numberOfCalls(read, resultsUnder(proof.claims, key)),
  at: (evm.readHeader(bytesOf("the header", proof.block.header, bounds.header)).seconds ?? 0n) * 1000n
})

/** What the claims of a proof say of a leaf. Throws `Malformed` where they say something else. */
const saidOfLeaf = (evidence: Evidence, leaf: RowLeaf): string => {
  const { key, proof } = evidence
  demand(
    (proof.simulated === true) === (leaf.simulated === true),
    "the leaf and the proof disagree on whether it is simulated",
    "contradiction"
  )
  const { at, number } = proof.chain.startsWith(`${evm.namespace}:`)
    ? saidByCalls(evidence)
    : saidByStorage(evidence)
  demand(
    number !== undefined,
    `the value of the claim is not a number of the form ${evidence.as}`,
    "contradiction"
  )
  const says = leaf.value_text ?? String(leaf.value)
  demand(isNumberOf(number, leaf), `the state says ${number}, and the leaf ${says}`, "contradiction")
  demand(
    at === BigInt(Date.parse(leaf.as_of)),
    `the block is of ${at} ms, and the leaf of ${leaf.as_of}`,
    "contradiction"
  )
  return `${says} under the key ${key} at ${leaf.as_of}`
}

const proofIn = ({ proof }: ChainEvidence): ChainProof => {
  const read = readShape("the proof of a chain", proof, chainProofShape)
  demandForm(read)
  return read
}

/** What a block says is one check, and whether the block is one of the chain another. */
export const chainChecks: ChainChecks = (member, leaf) => {
  if (leaf === undefined) return [notChecked("state of the chain", "the leaf cannot be read", "unavailable")]
  if (leaf.kind === "absent")
    return [failed("state of the chain", "an absence has no value that a chain could prove", "contradiction")]
  const state = reading(
    "state of the chain",
    () => {
      const proof = proofIn(member)
      return { proof, says: saidOfLeaf({ ...member, proof }, leaf) }
    },
    ({ proof: { block, chain }, says }) =>
      `block ${block.number} with the hash ${block.hash} says ${says}; the collector calls its chain ${chain}`
  )
  if (state.value === undefined) return [state.check]
  const [block, ofState, ofChain] = verifyProof([evm, substrate], state.value.proof)
  const refuted = [block, ofState].find((one) => one?.ok !== true)
  if (refuted !== undefined || ofChain === undefined)
    return [{ ...(refuted ?? state.check), name: "state of the chain" }]
  return [state.check, { ...ofChain, name: "block of the chain" }]
}
