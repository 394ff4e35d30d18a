/**
 * Asks operators of nodes whether the blocks that a day's proofs of chains name are blocks of these chains, and logs what each of them says.
 * A node that is away, slow or dishonest delays nothing but this document, which is written without it when the next day is due.
 */
import { Context, Effect, Layer, Result, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as DataClock from "../../clock/DataClock.ts"
import { keepDocument } from "../../log/document.ts"
import { Log, type LogHalted, LogKey } from "../../log/Log.ts"
import { day as dayMs } from "../../plugin/time.ts"
import {
  type BlockLooks,
  type ChainLooks,
  chainLooksKind,
  chainLooksSubject,
  chainLooksTag,
  chainLooksText,
  longestWhy,
  mostBlocks
} from "../../proof/chainLooks.ts"
import {
  type ChainFinality,
  finalityKind,
  finalitySubject,
  finalityText
} from "../../proof/finality/document.ts"
import { cutOffOf, tagged } from "../../proof/leaf.ts"
import { Blobs, type BlobsUnavailable } from "../../readings/ingest/Blobs.ts"
import { Incidents } from "../../readings/ingest/Incidents.ts"
import { withWriterLock } from "../../readings/ingest/writerLock.ts"
import { rowsOf } from "../../sql/rows.ts"
import { type BlockOfDay, blocksOf } from "./blocksOfDay.ts"
import { type ChainNode, ChainNodes, NodeSilent } from "./ChainNodes.ts"
import { finalBlocks } from "./finalBlocks.ts"
import { holdLeft } from "./leftBlocks.ts"

/** Nodes that are asked at once. */
const askedAtOnce = 4
/** How long all blocks of one node may take in one round. */
const patience = "2 minutes"
/** Closed days that are looked at: a service that was away for longer leaves the older ones out. */
const mostDays = 3

const dayRows = rowsOf({ day: Schema.String })
const countRows = rowsOf({ n: Schema.Int })

type Word = Result.Result<string, NodeSilent>

const unasked: Word = Result.fail(new NodeSilent({ why: "it did not answer in time" }))

/** A reason as the document has it: one line of printable characters. */
const whyOf = (text: string): string =>
  text
    .replace(/\p{C}+/gu, " ")
    .trim()
    .slice(0, longestWhy) || "it said nothing"

const nameOf = ({ chain, operator }: ChainNode, number: number): string =>
  JSON.stringify([chain, operator, number])

export class ChainLooksLog extends Context.Service<
  ChainLooksLog,
  {
    /**
     * Asks for the blocks of the closed days that have no document yet, and logs those that are due: every node answered, or the next
     * day is to be closed. Returns the number of documents. Whatever a node does is no failure.
     */
    readonly run: Effect.Effect<number, BlobsUnavailable | LogHalted | SqlError>
  }
>()("core/publications/looks/ChainLooksLog") {
  static readonly layer = Layer.effect(
    ChainLooksLog,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const log = yield* Log
      const blobs = yield* Blobs
      const incidents = yield* Incidents
      const nodes = yield* ChainNodes
      const { simulated } = yield* LogKey
      /** The blocks of days that have no document yet, and what was said of them. A process that starts asks again. */
      const open = new Map<
        string,
        { readonly blocks: ReadonlyArray<BlockOfDay>; readonly words: Map<string, Word> }
      >()

      /** The closed days after that of the newest document, or the newest day if there is none. */
      const openDays = Effect.gen(function* () {
        const rows = yield* sql`
          select day::text as day from batch
          where closed_at is not null and day > coalesce(
            (select max(subject)::date from document where kind = ${chainLooksKind}),
            (select max(day) - 1 from batch where closed_at is not null))
          order by day desc limit ${mostDays}`.pipe(dayRows)
        return rows.map(({ day }) => day).reverse()
      })

      const ofDay = Effect.fnUntraced(function* (day: string) {
        const before = open.get(day)
        if (before !== undefined) return before
        const chains = new Set(nodes.all.map(({ chain }) => chain))
        const blocks = (yield* blocksOf(day)).filter(({ chain }) => chains.has(chain))
        if (blocks.length > mostBlocks)
          yield* Effect.logWarning("proofs of a day name more blocks than a document has", {
            day,
            blocks: blocks.length
          })
        const read = { blocks: blocks.slice(0, mostBlocks), words: new Map<string, Word>() }
        open.set(day, read)
        return read
      })

      /** Asks a node for the heights at which it has not answered yet. */
      const ask = Effect.fnUntraced(function* (
        node: ChainNode,
        numbers: ReadonlyArray<number>,
        words: Map<string, Word>
      ) {
        for (const number of numbers) {
          const name = nameOf(node, number)
          const before = words.get(name)
          if (before !== undefined && Result.isSuccess(before)) continue
          words.set(name, yield* Effect.result(nodes.hashAt(node, number)))
        }
      })

      const askAll = Effect.fnUntraced(function* (
        blocks: ReadonlyArray<BlockOfDay>,
        words: Map<string, Word>
      ) {
        yield* Effect.forEach(
          nodes.all,
          (node) => {
            const numbers = new Set(
              blocks.flatMap(({ chain, number }) => (chain === node.chain ? [number] : []))
            )
            return Effect.timeoutOption(ask(node, [...numbers], words), patience)
          },
          { concurrency: askedAtOnce, discard: true }
        )
      })

      const looksOf = (
        { chain, hash, number }: BlockOfDay,
        words: ReadonlyMap<string, Word>
      ): BlockLooks => ({
        chain,
        number,
        hash,
        looks: nodes.all
          .filter((node) => node.chain === chain)
          .map((node) => {
            const word = words.get(nameOf(node, number)) ?? unasked
            const { operator } = node
            return Result.isSuccess(word)
              ? { operator, hash: word.success }
              : { operator, why: whyOf(word.failure.why) }
          })
      })

      /** Appends the document of a day, and those of the finality of its blocks, unless another process has. */
      const append = Effect.fnUntraced(function* (
        document: ChainLooks,
        finalities: ReadonlyArray<ChainFinality>
      ) {
        const subject = chainLooksSubject(document)
        const [stored] = yield* sql`
          select count(*)::int as n from document where kind = ${chainLooksKind} and subject = ${subject}`.pipe(
          countRows
        )
        if (stored?.n !== 0) return false
        const now = yield* DataClock.now
        const documents = [
          { kind: chainLooksKind, subject, body: chainLooksText(document) },
          ...finalities.map((one) => ({
            kind: finalityKind,
            subject: finalitySubject(one),
            body: finalityText(one)
          }))
        ]
        const entries = yield* Effect.forEach(documents, (one) => keepDocument(one, now, simulated))
        yield* log.append(entries, now)
        return true
      })

      const write = Effect.fn("ChainLooksLog.write")(function* (
        day: string,
        blocks: ReadonlyArray<BlockOfDay>,
        words: ReadonlyMap<string, Word>
      ) {
        const looked = blocks.map((block) => ({ block, looks: looksOf(block, words) }))
        const document: ChainLooks = {
          v: tagged(chainLooksTag, simulated),
          day,
          blocks: looked.map(({ looks }) => looks),
          ...(simulated ? { simulated: true } : {})
        }
        const finalities = yield* finalBlocks(day, blocks, simulated).pipe(
          Effect.provideService(ChainNodes, nodes)
        )
        if (!(yield* withWriterLock(append(document, finalities)))) return false
        yield* log.refresh
        yield* Effect.logInfo("asked operators for the blocks of a day", {
          day,
          blocks: blocks.length,
          signed: finalities.length
        })
        for (const { block, looks } of looked) yield* holdLeft(day, block, looks)
        return true
      })

      const run = Effect.gen(function* () {
        let written = 0
        if (nodes.all.length === 0) return written
        const days = yield* openDays
        for (const day of open.keys()) if (!days.includes(day)) open.delete(day)
        for (const day of days) {
          const { blocks, words } = yield* ofDay(day)
          if (blocks.length === 0) continue
          yield* askAll(blocks, words)
          const isOver = (yield* DataClock.now) >= cutOffOf(day) + dayMs
          const areAllSaid = blocks.every(({ chain, number }) =>
            nodes.all.every((node) => {
              const word = words.get(nameOf(node, number))
              return node.chain !== chain || (word !== undefined && Result.isSuccess(word))
            })
          )
          if (!isOver && !areAllSaid) break
          if (yield* write(day, blocks, words)) written++
        }
        return written
      }).pipe(
        Effect.provideService(SqlClient.SqlClient, sql),
        Effect.provideService(Blobs, blobs),
        Effect.provideService(Incidents, incidents),
        Effect.withSpan("ChainLooksLog.run")
      )

      return ChainLooksLog.of({ run })
    })
  )
}
