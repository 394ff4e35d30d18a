/**
 * Compares the values of each closed day with those of other operators, and logs the outcome. An observer that is away, slow or
 * dishonest delays nothing but this document, which is written without it when the next day is due.
 */
import { hash } from "node:crypto"
import { promisify } from "node:util"
import { zstdCompress } from "node:zlib"
import { Array as Arr, Context, Effect, Layer, Result, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as DataClock from "../../clock/DataClock.ts"
import { day as dayMs } from "../../plugin/time.ts"
import {
  type Agreement,
  agreementKind,
  agreementSubject,
  agreementTag,
  agreementText,
  countsOf,
  longestWhy,
  type Observer as ObserverOfDay
} from "../../proof/agreement.ts"
import { seenBy } from "../../proof/agreementLeaf.ts"
import { toHex, utf8 } from "../../proof/bytes.ts"
import { noteKeyText, parseCheckpointText, parseNote } from "../../proof/checkpoint.ts"
import { thumbprint } from "../../proof/keys.ts"
import { cutOffOf, tagged } from "../../proof/leaf.ts"
import { buildTree, hashLeaves, root } from "../../proof/merkle.ts"
import { Feeds } from "../../readings/Feeds.ts"
import { doubles, ints, texts } from "../../readings/ingest/arrays.ts"
import { Blobs, type BlobsUnavailable } from "../../readings/ingest/Blobs.ts"
import { withWriterLock } from "../../readings/ingest/writerLock.ts"
import { rowsOf } from "../../sql/rows.ts"
import { keepDocument } from "../document.ts"
import { Log, type LogHalted, LogKey } from "../Log.ts"
import { sha256 } from "../leaves.ts"
import { type Comparison, comparisonsOf, hasComparable } from "./comparisons.ts"
import { type Observer, Observers, ObserverTrouble } from "./Observers.ts"
import { closedAfter } from "./ownLeaves.ts"
import { type RemoteDay, readDay } from "./readDay.ts"

const compress = promisify(zstdCompress)

/** Observers that are read at once. */
const readAtOnce = 4
/** How long all files of one observer may take in one round. */
const patience = "5 minutes"
/** Closed days that are looked at: a service that was away for longer leaves the older ones out. */
const mostDays = 3

const newestRows = rowsOf({ day: Schema.NullOr(Schema.String) })
const headRows = rowsOf({ note: Schema.String })
const documentRows = rowsOf({ n: Schema.Int })

/** What came of reading an observer's day. */
type Reading = Result.Result<RemoteDay, ObserverTrouble>

/** A reason as the document has it: one line of printable characters. */
const whyOf = (text: string): string =>
  text
    .replace(/\p{C}+/gu, " ")
    .trim()
    .slice(0, longestWhy) || "it said nothing"

const observerOf = ({ key }: Observer, reading: Reading): ObserverOfDay => {
  const named = { origin: key.name, key: thumbprint(key.publicKey) }
  if (Result.isFailure(reading))
    return { ...named, state: reading.failure.state, why: whyOf(reading.failure.why) }
  const { batch_root, head } = reading.success
  return { ...named, state: "read", size: head.size, root: toHex(head.root), batch_root }
}

export class AgreementLog extends Context.Service<
  AgreementLog,
  {
    /**
     * Reads the observers of the closed days that have no document yet, and logs those that are due: all observers were read, or
     * the next day is to be closed. Returns the number of documents. Whatever an observer does is no failure.
     */
    readonly run: Effect.Effect<number, BlobsUnavailable | LogHalted | SqlError>
  }
>()("core/log/observers/AgreementLog") {
  static readonly layer = Layer.effect(
    AgreementLog,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const log = yield* Log
      const blobs = yield* Blobs
      const feeds = yield* Feeds
      const observers = yield* Observers
      const { simulated } = yield* LogKey
      /** What was read of days that have no document yet, by day and verifier key. A process that starts reads it again. */
      const readings = new Map<string, Map<string, Reading>>()

      /** The closed days after that of the newest document, or the newest day if there is none. */
      const openDays = Effect.gen(function* () {
        const [newest] =
          yield* sql`select max(subject) as day from document where kind = ${agreementKind}`.pipe(newestRows)
        return yield* closedAfter(newest?.day ?? undefined, mostDays)
      })

      const headOf = Effect.fnUntraced(function* (key: string) {
        const [head] = yield* sql`select note from observer_head where key = ${key}`.pipe(headRows)
        return head === undefined ? undefined : parseCheckpointText(parseNote(head.note).text)
      })

      const keepHead = (key: string, { head, note }: RemoteDay, now: number) => sql`
        insert into observer_head ${sql.insert({ key, size: head.size, note, observed_at: new Date(now) })}
        on conflict (key) do update set size = excluded.size, note = excluded.note, observed_at = excluded.observed_at
        where observer_head.size < excluded.size`

      const look = Effect.fn("AgreementLog.look")(function* (observer: Observer, day: string) {
        const key = noteKeyText(observer.key)
        const reading = yield* readDay(
          (path, most) => observers.read(observer, path, most),
          observer.key,
          day,
          yield* headOf(key),
          simulated
        ).pipe(
          Effect.timeoutOrElse({
            duration: patience,
            orElse: () =>
              Effect.fail(new ObserverTrouble({ state: "silent", why: "it did not send all in time" }))
          }),
          Effect.map(Result.succeed),
          Effect.catchTag("ObserverTrouble", (trouble) => Effect.succeed(Result.fail(trouble)))
        )
        if (Result.isSuccess(reading)) yield* keepHead(key, reading.success, yield* DataClock.now)
        else
          yield* Effect.logInfo("an observer was not read", {
            observer: observer.key.name,
            day,
            ...reading.failure
          })
        return reading
      })

      /** Reads whoever was not read yet; what is there of all of them then, in their order. */
      const lookAtAll = Effect.fnUntraced(function* (day: string) {
        const of = readings.get(day) ?? new Map<string, Reading>()
        readings.set(day, of)
        return yield* Effect.forEach(
          observers.all,
          Effect.fnUntraced(function* (observer) {
            const key = noteKeyText(observer.key)
            const before = of.get(key)
            if (before !== undefined && Result.isSuccess(before)) return before
            const reading = yield* look(observer, day)
            of.set(key, reading)
            return reading
          }),
          { concurrency: readAtOnce }
        )
      })

      /** Appends the document of a day, unless another process has. */
      const append = Effect.fnUntraced(function* (
        document: Agreement,
        leaves: string,
        hashes: Uint8Array,
        comparisons: ReadonlyArray<Comparison>
      ) {
        const { day, n_compared, n_differs, observers: read, tree_size } = document
        const [stored] = yield* sql`
          select count(*)::int as n from document where kind = ${agreementKind} and subject = ${day}`.pipe(
          documentRows
        )
        if (stored?.n !== 0) return false
        const now = yield* DataClock.now
        const entry = yield* keepDocument(
          { kind: agreementKind, subject: agreementSubject(document), body: agreementText(document) },
          now,
          simulated
        )
        const log_index = yield* log.append([entry], now)
        yield* sql`insert into agreement_day ${sql.insert({
          day,
          document: entry.sha256,
          leaves,
          hashes,
          log_index,
          n_observers: read.length,
          tree_size,
          n_compared,
          n_differs
        })}`
        const ofObservers = read.map((_, place) => countsBy(comparisons, place))
        yield* sql`
          insert into agreement_observer (day, place, kid, state, n_agree, n_differs)
          select ${day}::date, * from unnest(${ints(read.map((_, place) => place))}, ${texts(read.map(({ key }) => key))},
            ${texts(read.map(({ state }) => state))}, ${ints(ofObservers.map(({ n_agree }) => n_agree))},
            ${ints(ofObservers.map(({ n_differs }) => n_differs))})`
        for (const [part, some] of Arr.chunksOf(comparisons, rowsAtOnce).entries()) {
          const counts = some.map(({ leaf }) => seenBy(leaf))
          yield* sql`
            insert into agreement_value (day, series, place, value, n_observers, n_agree, differing)
            select ${day}::date, * from unnest(${ints(some.map(({ series }) => series))},
              ${ints(some.map((_, place) => part * rowsAtOnce + place))},
              ${doubles(some.map(({ value }) => value))},
              ${ints(counts.map(({ n_observers }) => n_observers))}, ${ints(counts.map(({ n_agree }) => n_agree))},
              ${texts(some.map(({ text }, n) => (isUnanimous(counts[n]) ? null : text)))})`
        }
        return true
      })

      const write = Effect.fn("AgreementLog.write")(function* (day: string, all: ReadonlyArray<Reading>) {
        const remotes = all.map((reading) => (Result.isSuccess(reading) ? reading.success : undefined))
        const comparisons = yield* comparisonsOf(day, remotes, simulated)
        if (comparisons.length === 0) return false
        const hashes = hashLeaves(
          comparisons.map(({ text }) => utf8(text)),
          sha256
        )
        const file = comparisons.map(({ text }) => `${text}\n`).join("")
        const leaves = hash("sha256", file)
        yield* blobs.put(leaves, yield* Effect.orDie(Effect.tryPromise(() => compress(file))))
        const document: Agreement = {
          v: tagged(agreementTag, simulated),
          day,
          observers: observers.all.map((observer, n) => observerOf(observer, all[n] ?? Result.fail(unasked))),
          ...countsOf(comparisons.map(({ leaf }) => leaf)),
          root: toHex(root(buildTree(hashes, sha256), sha256)),
          tree_size: comparisons.length,
          ...(simulated ? { simulated: true } : {})
        }
        const isWritten = yield* withWriterLock(append(document, leaves, hashes, comparisons))
        if (!isWritten) return false
        yield* log.refresh
        const { n_close, n_compared, n_differs, n_equal } = document
        const about = { day, observers: remotes.length, n_compared, n_equal, n_close, n_differs }
        yield* n_differs === 0
          ? Effect.logInfo("compared a day with other operators", about)
          : Effect.logWarning("other operators have other values of a day", about)
        return true
      })

      const run = Effect.gen(function* () {
        let written = 0
        if (observers.all.length === 0) return written
        const days = yield* openDays
        for (const day of readings.keys()) if (!days.includes(day)) readings.delete(day)
        for (const day of days) {
          if (!(yield* hasComparable(day))) continue
          const all = yield* lookAtAll(day)
          const isOver = (yield* DataClock.now) >= cutOffOf(day) + dayMs
          if (!isOver && !all.every(Result.isSuccess)) break
          if (yield* write(day, all)) written++
          readings.delete(day)
        }
        return written
      }).pipe(
        Effect.provideService(SqlClient.SqlClient, sql),
        Effect.provideService(Feeds, feeds),
        Effect.withSpan("AgreementLog.run")
      )

      return AgreementLog.of({ run })
    })
  )
}

/** Rows of one statement. */
const rowsAtOnce = 1000

/** How many values of one observer agree and differ. */
const countsBy = (comparisons: ReadonlyArray<Comparison>, observer: number) => {
  const counts = { n_agree: 0, n_differs: 0 }
  for (const { leaf } of comparisons) {
    const relation = leaf.seen[observer]?.relation
    if (relation === "differs") counts.n_differs++
    else if (relation !== undefined && relation !== "silent") counts.n_agree++
  }
  return counts
}

const unasked = new ObserverTrouble({ state: "silent", why: "it was not asked" })

const isUnanimous = (counts: ReturnType<typeof seenBy> | undefined): boolean =>
  counts === undefined || counts.n_agree === counts.n_observers
