/**
 * The append-only log of everything published: batches, revisions, briefs, runs. Its entries are canonical JSON and its heads are
 * signed checkpoints (C2SP tlog-checkpoint). It grows by some forty entries per day, so it fits in memory.
 */
import { Clock, Context, Effect, Layer, Ref, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as DataClock from "../clock/DataClock.ts"
import { concat, equalBytes, fromUtf8, toHex, utf8 } from "../proof/bytes.ts"
import { checkpointText, noteText, signatureLine, verifierOf } from "../proof/checkpoint.ts"
import { entryBytes, type LogEntry } from "../proof/entry.ts"
import { isGathered } from "../proof/gathered.ts"
import type { PublishedKey } from "../proof/keys.ts"
import {
  buildTree,
  consistencyProof,
  hashLength,
  inclusionProof,
  leafHash,
  root,
  type Tree
} from "../proof/merkle.ts"
import { Changes } from "../readings/Changes.ts"
import { Versions } from "../readings/read/Versions.ts"
import { rowsOf } from "../sql/rows.ts"
import { conflictWith, type LogEvidence, logKeysAt, repairHint } from "./checkHeads.ts"
import { makeFollowedHeads, type WriteHeads } from "./FollowedHeads.ts"
import { HeadMemory, type HeadMemoryError } from "./HeadMemory.ts"
import { cosignedBy, type Head, RequiredQuorum, type ServedHead, type SignedHead, treeAt } from "./heads.ts"
import { type KnownHead, KnownHeads } from "./KnownHeads.ts"
import { sha256 } from "./leaves.ts"

const entryRows = rowsOf({ place: Schema.Int, text: Schema.String, hash: Schema.Uint8Array })
const sizeRows = rowsOf({ size: Schema.Int })
const sinceRows = rowsOf({ since: Schema.NullOr(Schema.Date) })
const checkpointRows = rowsOf({ size: Schema.Int, root: Schema.String, note: Schema.String })

/** A log key with its private half. */
export interface HeadSigner {
  readonly publicKey: Uint8Array
  readonly sign: (message: Uint8Array) => Uint8Array
}

/** Nothing is signed, and why: the log contradicts a head that is known, or this process cannot sign. */
export class LogHalted extends Schema.TaggedError<LogHalted>()("LogHalted", { message: Schema.String }) {}

/** The keys of the service: those that sign the log, and the list of all that is published. */
export class LogKey extends Context.Service<
  LogKey,
  {
    /** Permanent name of the log; the demo's ends in `/demo`. */
    readonly origin: string
    /** True in replay mode: every tag is a demo tag, and every document is marked `simulated`. */
    readonly simulated: boolean
    /** Every key that ever signed or will sign, of both purposes. */
    readonly keys: () => ReadonlyArray<PublishedKey>
    /**
     * The log keys that sign a head now, the newest first: two of them during a rotation. Reads SQL in the caller's
     * transaction. Fails if this process lacks a private half.
     */
    readonly signers: Effect.Effect<ReadonlyArray<HeadSigner>, LogHalted | SqlError>
    /** A key that this process lacks, and whether that key signs already; undefined if it has all. */
    readonly lacking: Effect.Effect<{ readonly signs: boolean; readonly message: string } | undefined>
  }
>()("core/log/LogKey") {}

export class Log extends Context.Service<
  Log,
  {
    /** The newest head as this process knows it, for whoever signs, stamps or cosigns. Without a query. */
    readonly signed: Effect.Effect<SignedHead>
    /** The head that answers name. Without a query. */
    readonly served: Effect.Effect<ServedHead>
    /**
     * Since when (epoch milliseconds) a signed head waits for the cosignatures without which it is not served; undefined if none
     * does. From memory.
     */
    readonly waiting: Effect.Effect<number | undefined>
    /** Why nothing is signed, as of the last look; undefined if the log may grow. From memory. */
    readonly halted: Effect.Effect<string | undefined>
    /** Every head that is known of this log, wherever it is. */
    readonly evidence: Effect.Effect<LogEvidence, HeadMemoryError | SqlError>
    /**
     * Appends entries and signs a new checkpoint, after it has looked back: the log must extend every head that is known
     * of it. Call inside the transaction that publishes what the entries commit to, and `refresh` after it commits.
     * Returns the index of the first entry.
     */
    readonly append: (
      entries: ReadonlyArray<LogEntry>,
      now: number
    ) => Effect.Effect<number, LogHalted | SqlError>
    /**
     * Reads entries and cosignatures that came since, by this process or another, and remembers the head before it is served.
     * While the log is halted, it looks at everything again.
     */
    readonly refresh: Effect.Effect<SignedHead, SqlError>
    /**
     * Compares the log with every head that is known of it, wherever it is, and halts it if it contradicts one: call it when
     * somebody who holds a head refuses the log's.
     */
    readonly lookBack: Effect.Effect<void, SqlError>
    /** Inclusion proof of an index under the checkpoint of that size, hex. */
    readonly inclusion: (place: number, size: number) => Effect.Effect<ReadonlyArray<string>>
    /** Consistency proof of an older size with the signed head, hex. */
    readonly consistency: (size: number) => Effect.Effect<ReadonlyArray<string>>
  }
>()("core/log/Log") {
  static readonly layer = Layer.effect(
    Log,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const key = yield* LogKey
      const memory = yield* HeadMemory
      const knownHeads = yield* KnownHeads
      const requiredQuorum = yield* RequiredQuorum
      const heads = yield* makeFollowedHeads({
        signed: { state: "signed", ...noHead },
        served: { state: "served", ...noHead }
      })
      /** Why nothing is signed. Written by whoever looked last: `append` under the lock of its table, `follow` in its turn. */
      const halted = yield* Ref.make<string | undefined>(undefined)
      const versions = yield* Versions
      const changes = yield* Changes

      const halt = Effect.fnUntraced(function* (why: string | undefined) {
        if ((yield* Ref.getAndSet(halted, why)) === why) return
        yield* why === undefined
          ? Effect.logInfo("the log signs again")
          : Effect.logError("the log signs nothing", { cause: why })
      })

      /** The leaf hashes, of which `startHashes` are the first. Each text is hashed again, so a row that was altered is found. */
      const read = Effect.fnUntraced(function* (startHashes: Uint8Array) {
        const hashes = [startHashes]
        let place = startHashes.length / hashLength
        let fault: string | undefined
        while (true) {
          const page = yield* sql`
            select place, text, hash from log_entry where place >= ${place} order by place limit 5000`.pipe(
            entryRows
          )
          for (const row of page) {
            if (row.place !== place) fault ??= `Entry ${place} is missing from the database`
            else if (!equalBytes(leafHash(utf8(row.text), sha256), row.hash)) {
              fault ??= `The text of entry ${place} does not have the hash that is stored with it`
            }
            place = row.place + 1
          }
          hashes.push(...page.map(({ hash }) => hash))
          if (page.length < 5000) break
        }
        const leaves = concat(...hashes)
        const size = leaves.length / hashLength
        // Only up to there: an entry may have been appended since.
        const [stored] = yield* sql`
          select count(*)::int as size from log_entry where place < ${size}`.pipe(sizeRows)
        if (stored?.size !== size) {
          fault ??= `The database has ${stored?.size ?? 0} of the ${size} entries that this process has read`
        }
        return { leaves, fault }
      })

      const logKeys = Effect.map(DataClock.now, (now) => logKeysAt(key.origin, key.keys(), now))

      /** Every head that is known of this log: by its database, by this process, and elsewhere. */
      const evidenceWith = Effect.fnUntraced(function* (heads: ReadonlyArray<KnownHead>) {
        const [last] = yield* sql`
          select size, root, note from checkpoint order by size desc limit 1`.pipe(checkpointRows)
        const { kids, verifiers } = yield* logKeys
        const stored = last === undefined ? [] : [{ from: inDatabase, note: last.note }]
        const notes = [...stored, ...(memory === undefined ? [] : yield* memory.read(kids))]
        return { origin: key.origin, verifiers, notes, heads } satisfies LogEvidence
      })

      /** The tree over the entries, and why it must not be signed on, if so. What was read before is not read again. */
      const look = Effect.fnUntraced(function* (elsewhere: ReadonlyArray<KnownHead>) {
        // Before the entries: whoever appends meanwhile makes them more than a known head has, never fewer.
        const evidence = yield* Effect.result(evidenceWith(elsewhere))
        const { fault, leaves } = yield* read(
          (yield* Ref.get(halted)) === undefined
            ? (heads.current().signed.tree.levels[0] ?? noLeaves)
            : noLeaves
        )
        const tree = buildTree(leaves, sha256)
        const [newest] = yield* sql`
          select size, root, note from checkpoint where size <= ${tree.size} order by size desc limit 1`.pipe(
          checkpointRows
        )
        const why = yield* Effect.fromResult(evidence).pipe(
          Effect.map(
            (headEvidence) => fault ?? conflictWith({ name: "the database", tree }, headEvidence, sha256)
          ),
          Effect.map((conflict) => (conflict === undefined ? undefined : `${conflict}. ${repairHint}`)),
          Effect.catchTag("HeadMemoryError", ({ message }) => Effect.succeed(message))
        )
        return { tree, newest, why }
      })

      const append = Effect.fn("Log.append")(function* (entries: ReadonlyArray<LogEntry>, now: number) {
        // Asked before the lock is taken: others may be far away.
        const elsewhere = yield* knownHeads
        // Two closes never sign two heads of one size.
        yield* sql`lock table log_entry in exclusive mode`
        const { tree: before, why } = yield* look(elsewhere)
        yield* halt(why)
        if (why !== undefined) return yield* new LogHalted({ message: `the log signs nothing: ${why}` })
        const signers = yield* key.signers
        const first = before.size
        const bytes = entries.map(entryBytes)
        const added = bytes.map((entry) => leafHash(entry, sha256))
        for (const [index, entry] of bytes.entries()) {
          yield* sql`insert into log_entry ${sql.insert({
            place: first + index,
            text: fromUtf8(entry),
            hash: added[index],
            recorded_at: new Date(now)
          })}`
        }
        const tree = buildTree(concat(before.levels[0] ?? noLeaves, ...added), sha256)
        yield* Effect.provideService(
          sign(tree, key.origin, signers, entries.every(isGathered)),
          SqlClient.SqlClient,
          sql
        )
        // Counts with `refresh`, when the new head is served.
        yield* changes.record(["log"])
        return first
      })

      /** What may be served of the log up to the signed head. */
      const serve = Effect.fnUntraced(function* (write: WriteHeads) {
        const required = requiredQuorum()
        const { signed } = heads.current()
        write({ appliedQuorum: required })
        if (required === undefined) {
          write({ served: { ...signed, state: "served" }, waitingSince: undefined })
          return
        }
        const [newest] = yield* sql`
          select size, root, note from checkpoint c
          where size <= ${signed.size} and ${cosignedBy(sql, required, sql`c.size`)}
          order by size desc limit 1`.pipe(checkpointRows)
        const head = newest ?? noHead
        write({ served: { state: "served", ...head, tree: treeAt(signed.tree, head.size) } })
        const [waiting] = yield* sql`
          select min(signed_at) as since from checkpoint where size > ${head.size} and size <= ${signed.size}`.pipe(
          sinceRows
        )
        write({ waitingSince: waiting?.since?.getTime() })
      })

      /** Follows the head: it is remembered on disk first, and served then. */
      const follow = Effect.fnUntraced(function* (write: WriteHeads, elsewhere: ReadonlyArray<KnownHead>) {
        const { newest, tree, why } = yield* look(elsewhere)
        const haltReason =
          why ??
          (newest === undefined || memory === undefined
            ? undefined
            : yield* memory
                .keep((yield* logKeys).kids, newest)
                .pipe(Effect.match({ onSuccess: () => undefined, onFailure: ({ message }) => message })))
        yield* halt(haltReason)
        if (newest === undefined) return
        const recorded = yield* changes.read(["log"])
        write({ signed: { state: "signed", ...newest, tree: treeAt(tree, newest.size) } })
        yield* serve(write)
        yield* versions.touched("log")
        yield* changes.take(recorded)
      })

      /** Serves the newest head that may be; the cosignatures that it lacked may have come. */
      const serveNewer = Effect.fnUntraced(function* (write: WriteHeads) {
        const recorded = yield* changes.read(["log"])
        const before = heads.current().served.size
        yield* serve(write)
        if (heads.current().served.size !== before) yield* versions.touched("log")
        yield* changes.take(recorded)
      })

      const followNewest = Effect.fnUntraced(function* (write: WriteHeads) {
        const [newest] = yield* sql`
          select size, root, note from checkpoint order by size desc limit 1`.pipe(checkpointRows)
        const { appliedQuorum, served, signed } = heads.current()
        // What others hold stays true, whatever this process reads again.
        if ((yield* Ref.get(halted)) !== undefined) yield* follow(write, yield* knownHeads)
        else if ((newest?.size ?? 0) !== signed.size) yield* follow(write, [])
        else if (served.size !== signed.size || appliedQuorum !== requiredQuorum()) yield* serveNewer(write)
        return heads.current().signed
      })
      const refresh = heads.inTurn(followNewest).pipe(Effect.withSpan("Log.refresh"))

      const followAll = (write: WriteHeads) =>
        Effect.flatMap(knownHeads, (elsewhere) => follow(write, elsewhere))
      const lookBack = heads.inTurn(followAll).pipe(Effect.withSpan("Log.lookBack"))

      const forgotten = yield* evidenceWith([]).pipe(
        Effect.map(({ notes }) => notes.length > 0 && notes.every(({ from }) => from === inDatabase)),
        Effect.catchTag("HeadMemoryError", () => Effect.succeed(false))
      )
      if (forgotten && memory !== undefined) {
        yield* Effect.logWarning(
          "no head of this log was remembered, so it was compared with the heads in its own database alone"
        )
      }
      yield* heads.inTurn(followAll)
      yield* changes.onElsewhere("log", refresh)
      return Log.of({
        signed: Effect.sync(() => heads.current().signed),
        served: Effect.sync(() => heads.current().served),
        waiting: Effect.sync(() => heads.current().waitingSince),
        halted: Ref.get(halted),
        evidence: Effect.flatMap(knownHeads, evidenceWith),
        append,
        refresh,
        lookBack,
        inclusion: (place, size) =>
          Effect.sync(() => inclusionProof(treeAt(heads.current().signed.tree, size), place).map(toHex)),
        consistency: (size) =>
          Effect.sync(() => consistencyProof(heads.current().signed.tree, size).map(toHex))
      })
    })
  ).pipe(Layer.provide(Changes.layer))
}

/** Signs a tree as the log's newest head. Call in the transaction that stores its entries. */
export const sign = Effect.fn("Log.sign")(function* (
  tree: Tree,
  origin: string,
  signers: ReadonlyArray<HeadSigner>,
  gathered = false
) {
  const sql = yield* SqlClient.SqlClient
  const head = root(tree, sha256)
  const text = checkpointText({ origin, size: tree.size, root: head })
  const lines = signers.map(({ publicKey, sign }) =>
    signatureLine(verifierOf(origin, publicKey), sign(utf8(text)))
  )
  yield* sql`insert into checkpoint ${sql.insert({
    size: tree.size,
    root: toHex(head),
    note: noteText(text, lines),
    gathered,
    // A signature is made when it is made: the demo's days lie in its past, its signatures do not.
    signed_at: new Date(yield* Clock.currentTimeMillis)
  })}`
})

const inDatabase = "The newest head in the database"

const noLeaves = new Uint8Array()
const noTree = buildTree(noLeaves)
/** Of a log without a head. */
const noHead: Head = { size: 0, root: toHex(root(noTree, sha256)), note: null, tree: noTree }
