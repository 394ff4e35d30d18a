/**
 * Checks a chain's proof. Everything in it is recomputed, and nothing believed. What a block says and whether the block is one of the
 * chain are two questions with an answer each, and never one.
 */
import { Malformed, Newer } from "../bytes.ts"
import { canonical } from "../canonical.ts"
import { type Check, check, notProved, reading } from "../check.ts"
import { blobsOf } from "./blobs.ts"
import { headerOf } from "./blockHeader.ts"
import { bounds } from "./bounds.ts"
import { checkCanonical, type Looks, leastOperators } from "./canonicalBlock.ts"
import type { ChainProof, ClaimDocument } from "./document.ts"
import { meterOf } from "./evmMeter.ts"
import type { Family, Header, State } from "./family.ts"

export type ChainCheck = "block" | "state" | "canonical"

/** Characters of a claim in a message. */
const excerpt = 300

const inShort = (value: string | null): string =>
  value === null ? "nothing" : value.length > excerpt ? `${value.slice(0, excerpt)}…` : value

/** Throws `Malformed` where the state says something else, or the proof says neither. True if the kind of the claim is one of the family's. */
const holds = (family: Family, document: ClaimDocument, state: State): boolean => {
  const kind = family.claims.find((one) => one.kind === document.kind)
  if (kind === undefined) return false
  const claim = kind.read(document)
  const says = claim.stated(state)
  if (says !== claim.value)
    throw new Malformed(
      `the state says ${inShort(says)} where the proof claims ${inShort(claim.value)}: ${canonical(document).slice(0, excerpt)}`,
      "contradiction"
    )
  return true
}

const checkState = (family: Family, proof: ChainProof, header: Header): Check<"state"> =>
  check("state", () => {
    const nodes = blobsOf("node", proof.nodes, family.hash, bounds.nodes)
    const codes = blobsOf("code", proof.codes, family.hash, bounds.codes)
    const state = { header, nodes, codes, chain: proof.chain, meter: meterOf() }
    const unknown = proof.claims.filter((claim) => !holds(family, claim, state))
    const [first] = unknown
    if (first !== undefined)
      throw new Newer(
        `${unknown.length} of ${proof.claims.length} claims are of a kind that this verifier does not know: ${first.kind}`
      )
    nodes.demandAllUsed()
    codes.demandAllUsed()
    const { hash, number } = proof.block
    return `a block ${number} with the hash ${hash} says this (${proof.claims.length} ${proof.claims.length === 1 ? "claim" : "claims"})${proof.simulated === true ? "; all of it is simulated" : ""}`
  })

/** The checks of a proof by what is known of these families of chains: that the header is the block's, what its state says, and whether the block is one of the chain. */
export const verifyProof = (
  families: ReadonlyArray<Family>,
  proof: ChainProof,
  looks: Looks = { looks: [], least: leastOperators }
): ReadonlyArray<Check<ChainCheck>> => {
  const namespace = proof.chain.split(":")[0]
  const family = families.find((one) => one.namespace === namespace)
  if (family === undefined)
    return [
      notProved("block", `this verifier does not know chains of ${namespace}`, "newer"),
      notProved("state", "the header cannot be read", "unavailable"),
      notProved("canonical", "the header cannot be read", "unavailable")
    ]
  const header = reading(
    "block",
    () => headerOf(family, proof),
    ({ number }) => `the header of block ${number} has the hash ${proof.block.hash}`
  )
  return header.value === undefined
    ? [
        header.check,
        notProved("state", "the header is not the block's", "unavailable"),
        notProved("canonical", "the header is not the block's", "unavailable")
      ]
    : [header.check, checkState(family, proof, header.value), checkCanonical(proof, looks)]
}

/**
 * What may be said of a proof by its checks, in one line. The state is never said to be the chain's where only the state is proved. `by`
 * says who makes the block final, where the check `final` holds.
 */
export const chainVerdict = (
  checks: ReadonlyArray<Check<ChainCheck | "final">>,
  by = "its chain"
): string => {
  const of = (name: ChainCheck | "final") => checks.find((one) => one.name === name)?.ok
  if (checks.some(({ ok }) => ok === false)) return "does not hold"
  if (of("block") !== true || of("state") !== true) return "not proved"
  if (of("final") === true) return `state proved, block final by ${by}`
  if (of("canonical") === true) return "state proved, block as the operators say"
  return [of("canonical"), of("final")].includes("not proved")
    ? "state proved; that the block is one of the chain is not proved"
    : "state proved; nobody was asked whether the block is one of the chain"
}
