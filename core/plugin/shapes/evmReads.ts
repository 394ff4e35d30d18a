/**
 * Reads of contracts of an EVM chain: all of a run at one block, which is pinned by its hash, each with the chain's own proof where a node
 * gives it. The block is one request beside those that read, and the codes another. The proof of what a batch reads is asked for in that batch,
 * and what its views read in the one before.
 */
import { Effect, Option, Result, Schedule } from "effect"
import { type View, type Witness, witness } from "../../proof/chain/evmRead.ts"
import { contradicted } from "../notes.ts"
import * as Upstream from "../Upstream.ts"
import { type AccountProof, type Block, type Bytes, isUnknownBlock, isUnknownHere } from "./evmAnswers.ts"
import { asksForNoProofs } from "./evmNodes.ts"
import { firstOf, isGone } from "./gateways.ts"
import {
  addAccess,
  addProof,
  atBlock,
  batchCalls,
  blockCall,
  codeCalls,
  judged,
  pinCalls,
  portions,
  proofCalls,
  type Reads,
  type Reply,
  readsOf,
  sizeOf,
  stateOf,
  together,
  type Verdict,
  type Views
} from "./provedViews.ts"

export type { View } from "../../proof/chain/evmRead.ts"
export type { Views } from "./provedViews.ts"

/** What the views gave, in their order, hex after `0x`. */
export interface Read {
  readonly answer: Upstream.Answer<ReadonlyArray<string>>
  readonly views: ReadonlyArray<View>
  readonly block: Block
  /** The block's own time, epoch milliseconds. */
  readonly as_of: number
}

/** A missing proof must not cost the run its time. */
const patience = "15 seconds"

/** How often a node is asked for what code turned out to read, where it does not say beforehand. */
const mostRounds = 6

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url)

/** What a run has of a chain beside the values that it reads. */
interface Run {
  readonly url: string
  readonly block: Block
  /** CAIP-2; absent where no node says it. */
  readonly chain: string | undefined
  readonly witness: Witness
  /** Why nodes are not asked for proofs any more, by their address; undefined where a recording has none. */
  readonly refusals: Map<string, string | undefined>
  /** What the views of the next batch read, as far as a node says. */
  next: Reads
  /** The same of each batch that was read. */
  readonly hints: Map<ReadonlyArray<View>, Reads>
  /** The accounts whose code a node gave. */
  readonly coded: Set<string>
}

const isNotRecorded = (error: Upstream.UpstreamError): boolean =>
  error._tag === "UpstreamUnreachable" && error.detail === Upstream.notRecorded

/** Whether a node that did not take a batch with a request for a proof may take it without: it may also be too large for it, or for us. */
const isOfProof = (error: Upstream.UpstreamError): boolean =>
  error._tag !== "UpstreamRefused" || !isGone(error.status)

/** The answer to a batch with a request for a proof; none where no proof is to be had that way. */
const withProof = Effect.fnUntraced(function* <A>(
  refusals: Run["refusals"],
  url: string,
  batch: Effect.Effect<A, Upstream.UpstreamError, Upstream.Upstream>
) {
  if (refusals.has(url)) return Option.none<A>()
  const outcome = yield* Effect.result(Effect.timeoutOption(batch, patience))
  if (Result.isSuccess(outcome)) {
    if (Option.isNone(outcome.success)) refusals.set(url, `gave no proof within ${patience}`)
    return outcome.success
  }
  const { failure } = outcome
  if (!isOfProof(failure)) return yield* failure
  refusals.set(url, isNotRecorded(failure) ? undefined : `serves no proof: ${failure.detail}`)
  return Option.none<A>()
})

/** The newest block of a node, with what the views of the first batch read. */
const pin = Effect.fnUntraced(function* (url: string, first: ReadonlyArray<View>) {
  const run = {
    url,
    witness: witness(),
    refusals: new Map<string, string | undefined>(),
    next: readsOf(first),
    hints: new Map<ReadonlyArray<View>, Reads>(),
    coded: new Set<string>()
  }
  if (asksForNoProofs.has(hostOf(url)))
    run.refusals.set(url, "is not asked for one: nodes of this chain refuse batches with proofs")
  const batch = Upstream.rpcEach(url, pinCalls(first))
  const answer = yield* withProof(run.refusals, url, batch)
  if (Option.isNone(answer)) {
    const { body } = yield* Upstream.rpc(url, [blockCall])
    return { ...run, block: body[0], chain: undefined } satisfies Run
  }
  const [block, chain, ...access] = answer.value.body
  addAccess(run.next, access)
  const number = Option.getOrUndefined(Result.getSuccess(chain))
  if (number === undefined) run.refusals.set(url, "does not say which chain it is of")
  return {
    ...run,
    block: yield* Effect.fromResult(block),
    chain: number === undefined ? undefined : `eip155:${BigInt(number)}`
  } satisfies Run
})

/** Reads a batch at one node, with its proof where the node gives one. */
const readAt = Effect.fnUntraced(function* (
  run: Run,
  url: string,
  views: Views,
  reads: Reads,
  after: ReadonlyArray<View>
) {
  const { access, proof, values } = batchCalls(views, reads, run.block.hash, after)
  const batch = Upstream.rpcEach(url, [...values, ...proof, ...access])
  const answer = run.chain === undefined ? Option.none() : yield* withProof(run.refusals, url, batch)
  if (Option.isNone(answer)) return yield* Upstream.rpc(url, values)
  const replies: ReadonlyArray<Reply> = answer.value.body
  const words = yield* Effect.forEach(replies.slice(0, values.length), (reply) =>
    Effect.map(Effect.fromResult(reply), String)
  )
  const refusal = addProof(run.witness, replies.slice(values.length, values.length + proof.length))
  if (refusal !== undefined) run.refusals.set(url, refusal)
  addAccess(run.next, replies.slice(values.length + proof.length))
  return { ...answer.value, body: words }
})

const others = (url: string, nodes: ReadonlyArray<string>) => [url, ...nodes.filter((one) => one !== url)]

const read = Effect.fnUntraced(function* (
  run: Run,
  nodes: ReadonlyArray<string>,
  batch: Views,
  after: ReadonlyArray<View>
) {
  const reads = run.next
  run.next = readsOf(after)
  run.hints.set(batch.views, reads)
  // A node behind the same address may be a block behind.
  const answer = yield* firstOf(
    others(run.url, nodes),
    (url) => readAt(run, url, batch, reads, after),
    isUnknownHere
  ).pipe(Effect.retry({ while: isUnknownBlock, schedule: Schedule.spaced("2 seconds"), times: 2 }))
  return {
    answer: {
      ...answer,
      read_url: addressOfViews(answer.url, batch.views, run.block.hash),
      ofState: true
    },
    views: batch.views,
    block: run.block,
    as_of: Number(run.block.timestamp) * 1000
  } satisfies Read
})

/** A call as an address has it, or calls of one contract: `data` is then the list of theirs. */
interface WrittenCall {
  readonly to: string
  readonly data: string | ReadonlyArray<string>
}

/**
 * What a reader has to ask to see what views give at a block. Where they are so many that an address leaves them out, calls of one
 * contract are written as one.
 */
const addressOfViews = (url: string, views: ReadonlyArray<View>, hash: string): string => {
  const requestOf = (calls: ReadonlyArray<WrittenCall>) =>
    Upstream.rpcRequest(
      url,
      calls.map((call) => ({ method: "eth_call", params: [call, atBlock(hash)] }))
    )
  const address = Upstream.addressOf(requestOf(views))
  if (address !== url || views.length === 0) return address
  const byContract = [...Map.groupBy(views, ({ to }) => to)]
  const { body = "" } = requestOf(byContract.map(([to, of]) => ({ to, data: of.map(({ data }) => data) })))
  return Upstream.withBody(url, body)
}

/** The answer of a read for a figure that some of its views give alone. */
export const answerOf = ({ answer, block, views }: Read, ...at: ReadonlyArray<number>) => ({
  ...answer,
  read_url: addressOfViews(
    answer.url,
    at.flatMap((n) => views[n] ?? []),
    block.hash
  )
})

/** The answer of a read for a figure that none of its views gives: its block says it, or no chain does, and no proof of the views is of it. */
export const besideViews = ({ answer }: Pick<Read, "answer">) => {
  const { ofState: _, unproved: __, ...statement } = answer
  return { ...statement, read_url: Upstream.addressOf(Upstream.rpcRequest(answer.url, [blockCall])) }
}

/** Asks a node for what is lacking, a few accounts at a time; it is not asked any more where it refuses. */
const ask = Effect.fnUntraced(function* (
  run: Run,
  url: string,
  calls: ReadonlyArray<Upstream.Call<typeof AccountProof> | Upstream.Call<typeof Bytes>>
) {
  for (const some of portions(calls)) {
    if (run.refusals.has(url)) return
    const answer = yield* Effect.result(withProof(run.refusals, url, Upstream.rpcEach(url, some)))
    if (Result.isFailure(answer)) run.refusals.set(url, `serves no proof: ${answer.failure.detail}`)
    else if (Option.isSome(answer.success)) {
      const replies = answer.success.value.body
      for (const [at, { method, params }] of some.entries())
        if (method === "eth_getCode" && replies[at] !== undefined && Result.isSuccess(replies[at]))
          run.coded.add(String(params[0]))
      const refusal = addProof(run.witness, replies)
      if (refusal !== undefined) run.refusals.set(url, refusal)
    }
  }
})

/** The same of codes alone. */
const askCodes = (run: Run, url: string, accounts: ReadonlySet<string>) =>
  ask(run, url, codeCalls(accounts, run.block.hash))

/** What the state of the pinned block says of each read, after nodes were asked for what is lacking. */
const verdicts = Effect.fnUntraced(function* (
  run: Run,
  nodes: ReadonlyArray<string>,
  reads: ReadonlyArray<Read>
) {
  const { chain } = run
  if (chain === undefined) return undefined
  const judgedOne = ({ answer, views }: Read): Verdict => {
    const state = stateOf(chain, run.block, run.witness)
    return typeof state === "string" ? { is: "unproved", why: state } : judged(state, views, answer.body)
  }
  /** Each by itself, since each becomes a proof of its own, and what is said once is not said again. */
  const judge = (before: ReadonlyArray<Verdict> = []) =>
    Effect.forEach(reads, (read, at) => {
      const one = before[at]
      // Thousands of calls are executed, and others are served meanwhile.
      return one !== undefined && one.is !== "lacking"
        ? Effect.succeed(one)
        : Effect.andThen(
            Effect.yieldNow,
            Effect.sync(() => judgedOne(read))
          )
    })
  const hinted = reads.map(({ views }): Reads => run.hints.get(views) ?? new Map())
  const codesOfAll = new Set(together(hinted).keys())
  let all: ReadonlyArray<Verdict> = yield* judge()
  if (all.some(({ is }) => is === "lacking")) {
    yield* askCodes(run, run.url, codesOfAll)
    all = yield* judge(all)
  }
  for (const url of nodes) {
    let before = ""
    for (let round = 0; round < mostRounds && !run.refusals.has(url); round += 1) {
      const hints = (at: number) => (round === 0 ? [hinted[at] ?? new Map()] : [])
      const lacking = together(
        all.flatMap((one, at) =>
          one.is === "lacking" && one.reads.size > 0 ? [one.reads, ...hints(at)] : []
        )
      )
      const codes = new Set([
        ...all.flatMap((one) => (one.is === "lacking" ? [...one.codes] : [])),
        ...[...lacking.keys()].filter((account) => !run.coded.has(account))
      ])
      if (lacking.size + codes.size === 0) return all
      const sought = JSON.stringify([[...lacking].map(([account, slots]) => [account, ...slots]), [...codes]])
      if (sought === before) {
        run.refusals.set(
          url,
          `gave a proof that lacks ${sizeOf(lacking) + codes.size} of what the code reads`
        )
        break
      }
      before = sought
      const proof = proofCalls(lacking, run.block.hash)
      // What was known to be read is asked for apart at each node, and what came to light in one request with the nodes that prove it.
      if (round === 0 && url !== run.url) {
        yield* ask(run, url, proof)
        yield* askCodes(run, url, codes)
      } else yield* ask(run, url, [...proof, ...codeCalls(codes, run.block.hash)])
      all = yield* judge(all)
    }
  }
  return all
})

const reasonsOf = ({ refusals }: Run): string | undefined => {
  const reasons = [...refusals].flatMap(([url, why]) => (why === undefined ? [] : [`${hostOf(url)} ${why}`]))
  return reasons.length === 0 ? undefined : reasons.join("; ").slice(0, 300)
}

/** A read as the state of its block leaves it: as it is, not proved, or refused. */
const settled = (
  run: Run,
  read: Read,
  verdict: Verdict | undefined
): Result.Result<Read, Upstream.UpstreamError> => {
  if (verdict?.is === "proved") return Result.succeed(read)
  if (verdict?.is === "contradicted") {
    const { state, view } = verdict
    const word = read.answer.body[read.views.indexOf(view)]
    return Result.fail(
      new Upstream.UpstreamChanged({
        request: `POST ${read.answer.url} eth_call`,
        path: `${view.to} ${view.data}`,
        detail: `${contradicted}the node says ${word}, and the state of block ${run.block.hash} gives ${state}, as its proof shows`
      })
    )
  }
  const why = verdict?.is === "unproved" ? verdict.why.slice(0, 300) : reasonsOf(run)
  return Result.succeed(why === undefined ? read : { ...read, answer: { ...read.answer, unproved: why } })
}

/**
 * Reads batches of views at the first of the nodes that is there (`firstOf` of gateways.ts), all at its newest block. Gives each batch
 * with what it read, or why not: `UpstreamChanged` also where the state of the block says something else than the node. A value without
 * a proof stays as the node says it, and its answer says why.
 */
export const reads = Effect.fnUntraced(function* <Batch extends Views>(
  nodes: ReadonlyArray<string>,
  batches: ReadonlyArray<Batch>
) {
  const first = batches[0]?.views ?? []
  const pinned = yield* Effect.result(firstOf(nodes, (url) => pin(url, first)))
  if (Result.isFailure(pinned))
    return batches.map((batch) => ({ ...batch, outcome: Result.fail(pinned.failure) }))
  const run: Run = pinned.success
  const outcomes = yield* Effect.forEach(batches, (batch, at) =>
    Effect.map(Effect.result(read(run, nodes, batch, batches[at + 1]?.views ?? [])), (outcome) => ({
      ...batch,
      outcome
    }))
  )
  const all = outcomes.flatMap(({ outcome }) => Option.toArray(Result.getSuccess(outcome)))
  const judgements = yield* verdicts(run, others(run.url, nodes), all)
  return outcomes.map((one) => ({
    ...one,
    outcome: Result.flatMap(one.outcome, (read) => settled(run, read, judgements?.[all.indexOf(read)]))
  }))
})

/** The same of one batch. */
export const readOnce = Effect.fnUntraced(function* (nodes: ReadonlyArray<string>, batch: Views) {
  const [one] = yield* reads(nodes, [batch])
  return yield* one === undefined ? Effect.die("no batch") : Effect.fromResult(one.outcome)
})
