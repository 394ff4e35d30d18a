/** What operators answered of the blocks of the newest day for which they were asked. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { leastOperators } from "../../proof/chain/canonicalBlock.ts"
import { type BlockLooks, type ChainLooks, chainLooksKind, parseChainLooks } from "../../proof/chainLooks.ts"
import { rowsOf } from "../../sql/rows.ts"

const bodyRows = rowsOf({ body: Schema.String })

/** The newest document of looks; undefined if there is none. */
export const newestLooks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [newest] = yield* sql`
    select body from document where kind = ${chainLooksKind} order by subject desc limit 1`.pipe(bodyRows)
  return newest === undefined ? undefined : parseChainLooks(newest.body)
})

/** What may be answered of a block: that enough operators have it and none another; that one has another; or neither. */
type BlockState = "confirmed" | "contradicted" | "unconfirmed"

/** What operators together say of a block. */
const stateOf = ({ hash, looks }: BlockLooks): BlockState => {
  const answered = looks.filter((look) => look.hash !== undefined)
  if (answered.some((look) => look.hash !== hash)) return "contradicted"
  return answered.length >= leastOperators ? "confirmed" : "unconfirmed"
}

/** How many blocks of a document are in each state. */
export const countsOfBlocks = ({
  blocks
}: Pick<ChainLooks, "blocks">): Readonly<Record<BlockState, number>> => {
  const counts = { confirmed: 0, contradicted: 0, unconfirmed: 0 }
  for (const block of blocks) counts[stateOf(block)]++
  return counts
}

/** The operators of each chain in a document, and whether they answered nothing of any of its blocks. */
export const mute = ({ blocks }: Pick<ChainLooks, "blocks">) =>
  [...Map.groupBy(blocks, ({ chain }) => chain)].flatMap(([chain, each]) =>
    [
      ...Map.groupBy(
        each.flatMap(({ looks }) => looks),
        ({ operator }) => operator
      )
    ].map(([operator, looks]) => ({
      chain,
      operator,
      isMute: looks.every(({ hash }) => hash === undefined)
    }))
  )

/** What is wrong with the word of operators on one chain's blocks; undefined where one is confirmed and none contradicted. */
const troubleOf = (blocks: ReadonlyArray<BlockLooks>): string | undefined => {
  const contradicted = blocks.find((block) => stateOf(block) === "contradicted")
  const other = contradicted?.looks.find(({ hash }) => hash !== undefined && hash !== contradicted.hash)
  if (contradicted !== undefined && other !== undefined)
    return `${other.operator} has another block ${contradicted.number}`
  if (blocks.some((block) => stateOf(block) === "confirmed")) return undefined
  const silent = blocks.flatMap(({ looks }) => looks).find(({ why }) => why !== undefined)
  return silent === undefined
    ? "one operator alone was asked"
    : `no two operators said which they have; ${silent.operator}: ${silent.why}`
}

/** The chains of a document where the word of operators is not enough. */
export const unconfirmedOf = (document: ChainLooks | undefined) =>
  document === undefined
    ? []
    : [...Map.groupBy(document.blocks, ({ chain }) => chain)].flatMap(([chain, blocks]) => {
        const reason = troubleOf(blocks)
        return reason === undefined ? [] : [{ chain, day: document.day, reason }]
      })
