/** Which code gives the figures that a run read from chains, as the state of the block says that it read. */
import { Effect } from "effect"
import { provedCalls, type View } from "../../proof/chain/evmRead.ts"
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

/** The codes that calls of contracts executed. */
const codesOfContracts = Effect.fnUntraced(function* (run: string) {
  const codes: Array<CodeRead> = []
  for (const read of (yield* evmReads(run, [])).reads) {
    const state = orNothing(() => provedCalls(read))
    if (state === undefined) continue
    for (const [contract, views] of Map.groupBy(read.views, ({ to }) => bare(to.toLowerCase()))) {
      // A run reads hundreds of contracts.
      yield* Effect.yieldNow
      const inOrder = views.toSorted((a, b) => (a.data < b.data ? -1 : 1))
      const executed = orNothing(() => new Map(inOrder.flatMap((view) => state.executes(view))))
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
