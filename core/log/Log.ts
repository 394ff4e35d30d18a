/**
 * The append-only log of everything published: batches, revisions, briefs. Its entries are canonical JSON and its heads are
 * signed checkpoints (C2SP tlog-checkpoint). It grows by a few entries a day, so it fits in memory.
 */
import { createHash } from "node:crypto"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { Versions } from "../data/read/Versions.ts"
import { rowsOf } from "../data/rows.ts"
import { concat, fromUtf8, toHex } from "../proof/bytes.ts"
import { checkpointText, noteText, signatureLine, verifierOf } from "../proof/checkpoint.ts"
import { entryBytes, type LogEntry } from "../proof/entry.ts"
import type { PublishedKey } from "../proof/keys.ts"
import { buildTree, consistencyProof, inclusionProof, leafHash, root, type Tree } from "../proof/merkle.ts"

const hashRows = rowsOf({ hash: Schema.Uint8Array })
const checkpointRows = rowsOf({ size: Schema.Int, root: Schema.String, note: Schema.String })

/** The key that signs checkpoints: the service's current key under the log's name. */
export class LogKey extends Context.Service<
  LogKey,
  {
    /** Permanent name of the log; the demo's ends in `/demo`. */
    readonly origin: string
    readonly publicKey: () => Uint8Array
    /** Every key that ever signed, with its period of use, as included in bundles. */
    readonly history: () => ReadonlyArray<PublishedKey>
    readonly sign: (message: Uint8Array) => Uint8Array
    /** True in replay mode: every tag is a demo tag, and every document is marked `simulated`. */
    readonly simulated: boolean
  }
>()("core/log/LogKey") {}

/** The head of the log. */
export interface Head {
  readonly size: number
  /** Lower-case hex. */
  readonly root: string
  /** The signed note, or null while the log is empty. */
  readonly note: string | null
  readonly tree: Tree
}

export class Log extends Context.Service<
  Log,
  {
    /** The head as this process knows it, without a query. */
    readonly head: Effect.Effect<Head>
    /**
     * Appends entries and signs a new checkpoint. Call inside the transaction that publishes what the entries commit to, and
     * `refresh` after it commits. Returns the index of the first entry.
     */
    readonly append: (entries: ReadonlyArray<LogEntry>, now: number) => Effect.Effect<number, SqlError>
    /** Reads entries appended since, by this process or another. */
    readonly refresh: Effect.Effect<Head, SqlError>
    /** Inclusion proof of an index, under the head or an earlier checkpoint of that size; hex. */
    readonly inclusion: (place: number, size?: number) => Effect.Effect<ReadonlyArray<string>>
    /** Consistency proof of an older size with the head, hex. */
    readonly consistency: (size: number) => Effect.Effect<ReadonlyArray<string>>
  }
>()("core/log/Log") {
  static readonly layer = Layer.effect(
    Log,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const key = yield* LogKey
      const versions = yield* Versions
      let head: Head = {
        size: 0,
        root: toHex(root(buildTree(new Uint8Array()))),
        note: null,
        tree: buildTree(new Uint8Array())
      }

      const hashesFrom = Effect.fnUntraced(function* (place: number) {
        const hashes: Array<Uint8Array> = []
        while (true) {
          const page = yield* sql`
            select hash from log_entry where place >= ${place + hashes.length} order by place limit 5000`.pipe(
            hashRows
          )
          hashes.push(...page.map(({ hash }) => hash))
          if (page.length < 5000) return hashes
        }
      })

      const append = Effect.fn("Log.append")(function* (entries: ReadonlyArray<LogEntry>, now: number) {
        // Two closes never sign two heads of one size.
        yield* sql`lock table log_entry in exclusive mode`
        const before = concat(head.tree.levels[0] ?? new Uint8Array(), ...(yield* hashesFrom(head.size)))
        const first = before.length / 32
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
        const tree = buildTree(concat(before, ...added), sha256)
        // A signature is made when it is made: the demo's days lie in its past, its keys and signatures do not.
        const signedAt = yield* Clock.currentTimeMillis
        const text = checkpointText({
          origin: key.origin,
          size: tree.size,
          root: root(tree, sha256)
        })
        const signature = key.sign(new TextEncoder().encode(text))
        yield* sql`insert into checkpoint ${sql.insert({
          size: tree.size,
          root: toHex(root(tree, sha256)),
          note: noteText(text, [signatureLine(verifierOf(key.origin, key.publicKey()), signature)]),
          signed_at: new Date(signedAt)
        })}`
        return first
      })

      const refresh = Effect.gen(function* () {
        const [newest] = yield* sql`
          select size, root, note from checkpoint order by size desc limit 1`.pipe(checkpointRows)
        if (newest === undefined || newest.size === head.size) return head
        const added = yield* hashesFrom(head.size)
        const leaves = concat(head.tree.levels[0] ?? new Uint8Array(), ...added).subarray(0, newest.size * 32)
        head = { ...newest, tree: buildTree(leaves, sha256) }
        yield* versions.changed("log")
        return head
      }).pipe(Effect.withSpan("Log.refresh"))

      yield* refresh
      return Log.of({
        head: Effect.sync(() => head),
        append,
        refresh,
        inclusion: (place, size = head.size) =>
          Effect.sync(() => inclusionProof(headAt(head.tree, size), place).map(toHex)),
        consistency: (size) => Effect.sync(() => consistencyProof(head.tree, size).map(toHex))
      })
    })
  ).pipe(Layer.provide(Versions.layer))
}

/** The tree as it was at an earlier size. */
const headAt = (tree: Tree, size: number): Tree =>
  size === tree.size ? tree : buildTree((tree.levels[0] ?? new Uint8Array()).subarray(0, size * 32), sha256)

const sha256 = (bytes: Uint8Array): Uint8Array => createHash("sha256").update(bytes).digest()
