/** Bundles of values that a chain proves, with who signed the block: the log has the document after the batch. */
import { sha256 } from "@noble/hashes/sha2.js"
import { type Bundle4, bundle4Tag } from "../../../core/proof/bundle.ts"
import { fromUtf8, toHex, utf8 } from "../../../core/proof/bytes.ts"
import { canonical } from "../../../core/proof/canonical.ts"
import { type ChainProof, chainProofTag } from "../../../core/proof/chain/document.ts"
import { keyOfViews } from "../../../core/proof/chain/resultsOfCalls.ts"
import type { ChainEvidence } from "../../../core/proof/chainEvidence.ts"
import { type DocumentEntry, entryBytes, entryTag } from "../../../core/proof/entry.ts"
import {
  type ChainFinality,
  finalityKind,
  finalitySubject,
  finalityTag
} from "../../../core/proof/finality/document.ts"
import { evidenceOf } from "../../../core/proof/kinds.ts"
import { leafBytes } from "../../../core/proof/leaf.ts"
import { consistencyProof, inclusionProof } from "../../../core/proof/merkle.ts"
import { absenceLeaf, batchOf, checkpointOf, hexes, keys, logOf, rowLeaf } from "../publication.ts"
import { rootOf, signedFinal } from "./beacon.ts"
import { setHash, signedBlock, signer, toldValidators } from "./cometbft.ts"
import { tokenProof, tokenViews } from "./contracts.ts"
import { validatorOf } from "./cosmos.ts"

const day = "2026-09-05"

interface Logged {
  readonly document: string
  readonly subject: string
}

const loggedOf = (final: ChainFinality): Logged => ({
  document: canonical(final),
  subject: finalitySubject(final)
})

/** A value of this proof, and the document that the log has of who signed its block. */
const bundleWith = (value: number, chain: ChainEvidence, { document, subject }: Logged): Bundle4 => {
  const leaf = { ...rowLeaf("TEST", "amount", day), value, n_observations: 1 }
  const { entry, tree } = batchOf(day, [leaf, absenceLeaf(day)])
  const logged: DocumentEntry = {
    v: entryTag,
    kind: finalityKind,
    sha256: toHex(sha256(utf8(document))),
    subject,
    recorded_at: "2026-09-06T08:10:00Z"
  }
  const [before, later] = [logOf([entry]), logOf([entry, logged])]
  const finality = {
    document,
    log: {
      index: 1,
      size: later.size,
      path: hexes(inclusionProof(later, 1)),
      entry: fromUtf8(entryBytes(logged)),
      checkpoint: checkpointOf(later),
      consistency: hexes(consistencyProof(later, before.size))
    }
  }
  return {
    v: bundle4Tag,
    leaf: fromUtf8(leafBytes(leaf)),
    batch: {
      entry: fromUtf8(entryBytes(entry)),
      index: 0,
      size: tree.size,
      path: hexes(inclusionProof(tree, 0))
    },
    log: { index: 0, size: before.size, path: [] },
    head: checkpointOf(before),
    keys,
    cosignatures: [],
    block: { network: "bitcoin-regtest-fixture", status: "none" },
    evidence: evidenceOf({ chain, finality })
  }
}

export const validators = ["a", "b", "c", "d"].map((name) => signer(name, 10))

/** Whom a reader of `cometBundle` trusts. */
export const cometTrust = setHash(validators)

/** The block of a Cosmos chain whose four validators sign it. */
export const cometBlock = (
  voting: Parameters<typeof signedBlock>[4] = {},
  time = "2026-09-05T11:00:00Z",
  height = 100
): ChainFinality => signedBlock("made-1", height, time, validators, voting)

/** How many validators that chain has, by its header, and who signed it, by the document or by what the log has in its place. */
export const cometBundle = (final: ChainFinality | Logged = cometBlock()): Bundle4 => {
  const { block, chain } = cometBlock()
  const claim = {
    kind: "cosmos-validators",
    validators: toldValidators(validators).map(validatorOf),
    value: String(validators.length)
  }
  const proof: ChainProof = { v: chainProofTag, chain, block, nodes: [], codes: [], claims: [claim] }
  return bundleWith(
    validators.length,
    { proof, key: "", as: "digits", decimals: 0 },
    "document" in final ? final : loggedOf(final)
  )
}

/** What a contract of Ethereum says, with the sync committee that signed its block, and whom a reader trusts of it. */
export const beaconBundle = (): { readonly bundle: Bundle4; readonly trusted: string } => {
  const proof = tokenProof()
  const evidence = signedFinal(proof.block.hash)
  const final: ChainFinality = { v: finalityTag, day, chain: proof.chain, block: proof.block, evidence }
  const key = keyOfViews(tokenViews.slice(1, 2))
  return {
    bundle: bundleWith(123_456_789, { proof, key, as: "unsigned", decimals: 18 }, loggedOf(final)),
    trusted: rootOf(evidence)
  }
}
