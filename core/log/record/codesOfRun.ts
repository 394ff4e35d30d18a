/** Which code gives the figures that a run read from chains, as the state of the block says that it read. */
import { Effect } from "effect"
import { blobIn, callsAt, type ToldState, type View, witness } from "../../proof/chain/evmRead.ts"
import { bare } from "../../proof/chain/hexes.ts"
import { orNothing } from "./chain/read.ts"
import { runtimesIn } from "./chain/substrate.ts"
import { evmReads } from "./evmReads.ts"
import { calledBy } from "./rpcCalls.ts"

export interface CodeRead {
  /** What has the code: a contract, as far as these functions of it go, or a chain. */
  readonly place: string
  /** The same with its code. */
  readonly statement: string
  /** Whether what was read at an address comes about by it. */
  readonly gives: (address: string) => boolean
}

const selectorOf = ({ data }: View): string => bare(data).slice(0, 8)

/** By the functions that were called: a run that calls another one says nothing of a change. */
const placeOf = (name: string, views: ReadonlyArray<View>): string =>
  `${name}: ${[...new Set(views.map(selectorOf))].sort().join(" ")}`

/** One call of each function, always the same: a balance is read of many. */
const onePerFunction = (views: ReadonlyArray<View>): ReadonlyArray<View> => {
  const inOrder = views.toSorted((a, b) => (a.data < b.data ? -1 : 1))
  return inOrder.filter((view, at) => {
    const before = inOrder[at - 1]
    return before === undefined || selectorOf(before) !== selectorOf(view)
  })
}

/** Nodes that are hashed before others are served. */
const hashedAtOnce = 200

/** What nodes told of a block. What no proof can have is left out. */
const gatheredOf = Effect.fnUntraced(function* ({ codes, nodes }: Pick<ToldState, "codes" | "nodes">) {
  const gathered = witness()
  let hashed = 0
  for (const [what, texts] of [
    ["node", nodes],
    ["code", codes]
  ] as const)
    for (const text of new Set(texts)) {
      orNothing(() => gathered[`${what}s`].add(blobIn(text, what)))
      if (++hashed % hashedAtOnce === 0) yield* Effect.yieldNow
    }
  return gathered
})

/** The codes that calls of contracts executed. */
const codesOfContracts = Effect.fnUntraced(function* (run: string) {
  const codes: Array<CodeRead> = []
  for (const read of (yield* evmReads(run, [])).reads) {
    const gathered = yield* gatheredOf(read)
    for (const [contract, views] of Map.groupBy(read.views, ({ to }) => bare(to.toLowerCase()))) {
      // A run reads hundreds of contracts.
      yield* Effect.yieldNow
      const executed = orNothing(() => {
        const state = callsAt(gathered, read)
        return new Map(onePerFunction(views).flatMap((view) => state.executes(view)))
      })
      if (executed === undefined || executed.size === 0) continue
      const name = `contract 0x${contract} of ${read.chain}`
      const words = [...executed].map(([account, hash]) => `code ${hash} at 0x${account}`)
      codes.push({
        place: placeOf(name, views),
        statement: `${name}, ${words.join(", ")}`,
        gives: (address) => address.toLowerCase().includes(contract)
      })
    }
  }
  return codes
})

/** Those of a run, of the contracts that it called and of the chains whose storage it read. */
export const codesOfRun = Effect.fn("Log.codesOfRun")(function* (run: string) {
  const { answers } = yield* calledBy(run)
  const runtimes = runtimesIn(answers.flat()).map(
    ({ chain, gives, runtime }): CodeRead => ({
      place: chain,
      statement: `runtime ${runtime} of ${chain}`,
      gives
    })
  )
  return [...runtimes, ...(yield* codesOfContracts(run))]
})
