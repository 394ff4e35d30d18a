/** Blocks of CometBFT by the commits of validators whom a reader trusts, or who follow from these by commits between. */
import { demand } from "../check.ts"
import { day } from "../time.ts"
import { commitKind, demandCommit, type SignedBlock } from "./commit.ts"
import { type Rule, Untrusted } from "./rule.ts"

/**
 * How long after a block its validators are believed of a later one, by the times of the headers: chains give back what is staked after
 * three weeks, most of them, and who has nothing at stake may sign anything.
 */
const trustingPeriod = BigInt(14 * day)

/** The power that signs a block, of those who were validators of an earlier one. */
const powerOfSame = (earlier: SignedBlock, later: SignedBlock): bigint =>
  later.signers.reduce((sum, key) => sum + (earlier.powers.get(key) ?? 0n), 0n)

/** Whether a block is signed by enough of those who signed an earlier one: more than a third of them cannot lie without being punished. */
const follows = (earlier: SignedBlock, later: SignedBlock): boolean =>
  (later.header.time ?? 0n) > (earlier.header.time ?? 0n) &&
  (later.header.time ?? 0n) - (earlier.header.time ?? 0n) <= trustingPeriod &&
  (later.set === earlier.set || powerOfSame(earlier, later) * 3n > earlier.all)

export const commits: Rule = {
  kind: commitKind,
  namespace: "cosmos",
  by: "CometBFT",
  demandSigned: demandCommit,
  holds: (target, trusted, before) => {
    const block = demandCommit(target)
    const earlier = before.map(demandCommit).toSorted((a, b) => Number(a.header.number - b.header.number))
    for (const { chain, header } of earlier) {
      demand(
        chain === block.chain,
        `a document of finality is of ${chain}, and not of ${block.chain}`,
        "origin"
      )
      demand(
        header.number < block.header.number,
        `block ${header.number} is not before block ${block.header.number}`,
        "contradiction"
      )
    }
    let last: SignedBlock | undefined
    let steps = 0
    for (const one of [...earlier, block]) {
      if (trusted.includes(one.set)) {
        last = one
        steps = 0
      } else if (last !== undefined && follows(last, one)) {
        last = one
        steps++
      }
    }
    const { all, header, set, signed } = block
    const signers = `${signed} of ${all} power of the validators with the hash ${set} signed block ${header.number}`
    if (last !== block)
      throw new Untrusted(
        trusted.length === 0
          ? `${signers}; nobody but this document says that they are the validators of ${block.chain}: if you know them from elsewhere, name them by that hash`
          : `${signers}; they are not those whom you trust, and no commits between lead to them`
      )
    return `${signers} of ${block.chain}; ${steps === 0 ? "you trust them" : `you trust validators before them, from whom ${steps === 1 ? "this commit leads" : `${steps} commits lead`} to them`}`
  }
}
