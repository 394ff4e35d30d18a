/**
 * What operators of nodes say of the blocks that a day's proofs of chains name: the hash that each of them has at the height, asked when the
 * block was final by its own word. Log entries of kind `chain-looks` commit to the day's document.
 */
import { Malformed } from "./bytes.ts"
import { canonical, parseCanonical } from "./canonical.ts"
import * as s from "./shape.ts"
import { checkTag, type Tag } from "./tag.ts"

/** What one operator says. Exactly one of `hash` and `why` is there. */
interface OperatorLook {
  /** As the operator of the service calls him. */
  readonly operator: string
  /** That of the block which he has at the height, hex. */
  readonly hash?: string
  /** Why he said nothing, in words of the service. */
  readonly why?: string
}

/** A block as a proof names it, and who says what of its height. */
export interface BlockLooks {
  /** CAIP-2. */
  readonly chain: string
  readonly number: number
  /** Hex. */
  readonly hash: string
  readonly looks: ReadonlyArray<OperatorLook>
}

export interface ChainLooks {
  readonly v: Tag<"service-chain-looks-v1">
  readonly day: string
  /** By chain, number and hash. */
  readonly blocks: ReadonlyArray<BlockLooks>
  readonly simulated?: true
}

export const chainLooksTag = "service-chain-looks-v1"
export const chainLooksKind = "chain-looks"

/** Operators who are asked for one chain. */
export const mostOperators = 16

/** Blocks of a document: more than the collectors of a day read. */
export const mostBlocks = 2000

/** Characters of `why`. */
export const longestWhy = 300

const lookShape: s.Shape<OperatorLook> = {
  operator: s.name,
  hash: s.optional(s.hash),
  why: s.optional(s.name)
}

const isLook = (value: unknown): value is OperatorLook => {
  const { hash, why } = s.readShape("a look", value, lookShape)
  if ((hash === undefined) === (why === undefined))
    throw new Malformed("a look must have either a `hash` or `why`")
  if (why !== undefined && why.length > longestWhy)
    throw new Malformed(`\`why\` of a look must have at most ${longestWhy} characters`)
  return true
}

const blockShape: s.Shape<BlockLooks> = {
  chain: s.network,
  number: s.count,
  hash: s.hash,
  looks: s.listOf<OperatorLook>({ is: isLook, says: "a look", optional: false })
}

const shape: s.Shape<ChainLooks> = {
  v: s.oneOf<ChainLooks["v"]>(chainLooksTag, `${chainLooksTag}-demo`),
  day: s.day,
  blocks: s.listOf(s.nested("a block", blockShape)),
  simulated: s.optional(s.trueOrAbsent)
}

/** The order of blocks in a document: below 0 if `a` is before `b`. */
export const compareBlocks = (
  a: Pick<BlockLooks, "chain" | "hash" | "number">,
  b: Pick<BlockLooks, "chain" | "hash" | "number">
): number => {
  if (a.chain !== b.chain) return a.chain < b.chain ? -1 : 1
  if (a.number !== b.number) return a.number - b.number
  return a.hash === b.hash ? 0 : a.hash < b.hash ? -1 : 1
}

const check = (value: unknown): ChainLooks => {
  const document = s.readShape("a document of looks", value, shape)
  checkTag(document, chainLooksTag)
  const { blocks } = document
  if (blocks.length === 0 || blocks.length > mostBlocks)
    throw new Malformed(`a document of looks must have 1 to ${mostBlocks} blocks`)
  for (const [place, block] of blocks.entries()) {
    const before = blocks[place - 1]
    if (before !== undefined && compareBlocks(before, block) >= 0)
      throw new Malformed("the blocks must be in their order, each once")
    const { looks } = block
    if (looks.length === 0 || looks.length > mostOperators)
      throw new Malformed(`a block must have 1 to ${mostOperators} looks`)
    if (new Set(looks.map(({ operator }) => operator)).size < looks.length)
      throw new Malformed("a block must name each operator once")
  }
  return document
}

/** The document's text. Throws `Malformed` if it is not valid. */
export const chainLooksText = (document: ChainLooks): string => canonical(check(document))

/** Parses the document, which must be canonical JSON. Throws `Malformed`. */
export const parseChainLooks = (text: string): ChainLooks => check(parseCanonical(text))

/** Subject of the document's log entry: its day. */
export const chainLooksSubject = ({ day }: Pick<ChainLooks, "day">): string => day

/** What the operators who said something have at the height of a block; undefined where the document does not name the block. */
export const looksAt = (
  { blocks }: Pick<ChainLooks, "blocks">,
  block: Pick<BlockLooks, "chain" | "hash" | "number">
): ReadonlyArray<{ readonly operator: string; readonly hash: string }> | undefined =>
  blocks
    .find((one) => compareBlocks(one, block) === 0)
    ?.looks.flatMap(({ hash, operator }) => (hash === undefined ? [] : [{ operator, hash }]))
