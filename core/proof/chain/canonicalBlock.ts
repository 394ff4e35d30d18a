/** Who says that a block is one of a chain. A proof of state says nothing of it, whoever made it. */
import { type Check, check, demand, notChecked, notProved } from "../check.ts"
import type { ChainProof } from "./document.ts"
import { ofSequencer } from "./rollups.ts"

/** The block that an operator's node has at a height, asked when it was final by its word. */
export interface Look {
  readonly operator: string
  /** Hex. */
  readonly hash: string
}

/** One operator may be wrong, or the one who made the proof. */
export const leastOperators = 2

/** How many are asked for beside who they are. */
export interface Looks {
  readonly looks: ReadonlyArray<Look>
  /** How many operators must have the block. */
  readonly least: number
}

/** Whether these operators all have the block at its height. */
export const checkCanonical = (
  { block: { hash, number }, chain }: Pick<ChainProof, "block" | "chain">,
  { least, looks }: Looks
): Check<"canonical"> => {
  const operators = [...new Set(looks.map(({ operator }) => operator))]
  if (operators.length === 0)
    return notChecked(
      "canonical",
      `nobody was asked whether ${chain} has this block: until then even the name of the chain is only claimed`
    )
  const other = looks.find((one) => one.hash !== hash)
  if (other === undefined && operators.length < least)
    return notProved(
      "canonical",
      `${operators.join(" and ")} has this block of ${chain}, and ${least} operators are asked for`
    )
  return check("canonical", () => {
    demand(
      other === undefined,
      `${other?.operator} has another block ${number} of ${chain}: ${other?.hash}`,
      "contradiction"
    )
    return `block ${number} of ${chain} has this hash, as ${operators.length} operators say: ${operators.join(", ")}${ofSequencer(chain)}`
  })
}
