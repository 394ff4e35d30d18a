/** Checks a chain's own proof beside a value: that the state of a block says the number, and at which time. */
import { CouldNotLook, fromHex, Malformed, utf8 } from "./bytes.ts"
import { bounds } from "./chain/bounds.ts"
import { checkCanonical, leastOperators } from "./chain/canonicalBlock.ts"
import { coinAmount, digits } from "./chain/cosmosNumbers.ts"
import { decimalText, mostDecimals } from "./chain/decimalText.ts"
import { type ChainProof, type ClaimDocument, chainProofShape, demandForm } from "./chain/document.ts"
import { evm } from "./chain/evm.ts"
import { families } from "./chain/families.ts"
import { bytesOf } from "./chain/hexes.ts"
import { numberOfCalls, resultsUnder } from "./chain/resultsOfCalls.ts"
import { countTrue, lengthOf, sumOf, unsigned } from "./chain/storageNumbers.ts"
import { timestampKey } from "./chain/substrateKeys.ts"
import { verifyProof } from "./chain/verifyProof.ts"
import type { ChainChecks, ChainEvidence, DemandLater, NumberRead } from "./chainEvidence.ts"
import { chainLooksKind, chainLooksSubject, looksAt, parseChainLooks } from "./chainLooks.ts"
import { type Check, demand, failed, notChecked, notProved, reading } from "./check.ts"
import type { RowLeaf } from "./leaf.ts"
import { readShape } from "./shape.ts"

const codecOf = ({ as, width = 0 }: NumberRead) => {
  if (as === "unsigned") return unsigned(1, 2, 4, 8, 16)
  if (as === "flags") return countTrue
  if (as === "digits") return digits
  if (as === "coin") return coinAmount
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

/** Kinds of claims that have a value under a key. */
const keyed: ReadonlyArray<string> = ["substrate-storage", "cosmos-store"]

const valueUnder = (claims: ReadonlyArray<ClaimDocument>, key: string): Uint8Array | null | undefined => {
  const claim = claims.find((one) =>
    key === ""
      ? one.kind === "cosmos-validators"
      : keyed.includes(one.kind) && "key" in one && one.key === key
  )
  if (claim === undefined || !("value" in claim)) return undefined
  if (typeof claim.value !== "string") return null
  return key === "" ? utf8(claim.value) : fromHex(claim.value)
}

/** When a block was made, epoch milliseconds: as its header says, or its state. */
const timeOf = ({ block, chain, claims }: ChainProof): bigint | undefined => {
  const family = families.find(({ namespace }) => namespace === chain.split(":")[0])
  const header = family?.readHeader(bytesOf("the header", block.header, bounds.header))
  if (header?.time !== undefined) return header.time
  const time = valueUnder(claims, timestampKey)
  return time === undefined || time === null ? undefined : unsigned(8)(time)
}

/** Characters of a key in a message: a sum has one of each call. */
const longestKey = 300

type Evidence = ChainEvidence & { readonly proof: ChainProof }

/** The number that the claims of a proof say, if their value has one. Throws `Malformed` where there is no such claim. */
const numberSaidBy = ({ key, proof, ...read }: Evidence): string | undefined => {
  if (proof.chain.startsWith(`${evm.namespace}:`)) return numberOfCalls(read, resultsUnder(proof.claims, key))
  const value = valueUnder(proof.claims, key)
  if (value === undefined) throw new Malformed("the proof has no claim of this key", "missing")
  return numberIn(read, value)
}

/** What the claims of a proof say of a leaf. Throws `Malformed` where they say something else. */
const saidOfLeaf = (evidence: Evidence, leaf: RowLeaf): string => {
  const { key, proof } = evidence
  demand(
    (proof.simulated === true) === (leaf.simulated === true),
    "the leaf and the proof disagree on whether it is simulated",
    "contradiction"
  )
  const number = numberSaidBy(evidence)
  const at = timeOf(proof)
  if (at === undefined) throw new Malformed("the proof has no time", "missing")
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
  if (key === "") return `${says} validators at ${leaf.as_of}`
  const named = key.length > longestKey ? `${key.slice(0, longestKey)}…` : key
  return `${says} under the key ${named} at ${leaf.as_of}`
}

const proofIn = ({ proof }: ChainEvidence): ChainProof => {
  const read = readShape("the proof of a chain", proof, chainProofShape)
  demandForm(read)
  return read
}

/** What operators say of the block by the log. Throws `Malformed`. */
const saidOfBlock = (
  looks: NonNullable<ChainEvidence["looks"]>,
  { block, chain, simulated }: ChainProof,
  demandLater: DemandLater
) => {
  const document = parseChainLooks(looks.document)
  demandLater(looks, {
    kind: chainLooksKind,
    subject: chainLooksSubject(document),
    simulated: document.simulated,
    words: "the document of looks"
  })
  const statements = looksAt(document, { chain, ...block })
  demand(
    document.simulated === simulated && statements !== undefined,
    "the document of looks does not name this block",
    "contradiction"
  )
  return statements
}

/** Whether the block is one of the chain, as operators say to whoever keeps the log. */
const checkBlock = (
  { looks }: ChainEvidence,
  proof: ChainProof,
  demandLater: DemandLater
): Check<"block of the chain"> => {
  const name = "block of the chain"
  if (looks === undefined) return { ...checkCanonical(proof, { looks: [], least: leastOperators }), name }
  const statements = reading(
    name,
    () => saidOfBlock(looks, proof, demandLater),
    () => ""
  )
  if (statements.value === undefined) return statements.check
  if (statements.value.length === 0)
    return notProved(name, "none of the operators who were asked said which block it is")
  const of = checkCanonical(proof, { looks: statements.value, least: leastOperators })
  return { ...of, name, detail: `${of.detail}; so this log says in entry ${looks.log.index}` }
}

const withoutHead: DemandLater = () => {
  throw new CouldNotLook("there is no head that the bundle is under")
}

/** What a block says is one check, and whether the block is one of the chain another. */
export const chainChecks: ChainChecks = (member, leaf, demandLater = withoutHead) => {
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
  const { proof } = state.value
  const [block, ofState] = verifyProof(families, proof)
  const refuted = [block, ofState].find((one) => one?.ok !== true)
  if (refuted !== undefined) return [{ ...refuted, name: "state of the chain" }]
  return [state.check, checkBlock(member, proof, demandLater)]
}
