/** The log looks back before it signs: it never goes on from a database that contradicts a head it signed. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { CurrentTransformer } from "effect/sql/Statement"
import { afterAll } from "vitest"
import { conflictWith, rootAt } from "../../core/log/checkHeads.ts"
import { HeadMemory } from "../../core/log/HeadMemory.ts"
import { type KnownHead, KnownHeads } from "../../core/log/KnownHeads.ts"
import { Log, LogHalted, type LogKey } from "../../core/log/Log.ts"
import { sha256 } from "../../core/log/leaves.ts"
import { utf8 } from "../../core/proof/bytes.ts"
import { parseCheckpointText, parseNote } from "../../core/proof/checkpoint.ts"
import { entryTag } from "../../core/proof/entry.ts"
import { thumbprint } from "../../core/proof/keys.ts"
import { root, treeOf } from "../../core/proof/merkle.ts"
import { headFiles } from "../../runtime/service/headFiles.ts"
import { captureLog } from "../support/captureLog.ts"
import { onBothEngines } from "../support/database.ts"
import * as LogKeys from "../support/logKey.ts"

const folders: Array<string> = []
const newFolder = () => {
  const path = mkdtempSync(join(tmpdir(), "plumbline-heads-"))
  folders.push(path)
  return path
}
afterAll(() => {
  for (const path of folders) rmSync(path, { recursive: true, force: true })
})

/** A process with a memory of its own: a new `Log`, whose heads are in `folder`. */
const process = <A, E, R>(
  folder: string,
  work: Effect.Effect<A, E, R | Log>,
  elsewhere: Effect.Effect<ReadonlyArray<KnownHead>> = Effect.succeed([])
) =>
  work.pipe(
    Effect.provide(
      Log.layer.pipe(
        Layer.provide(Layer.succeed(HeadMemory, headFiles(folder))),
        Layer.provide(Layer.succeed(KnownHeads, elsewhere))
      ),
      { local: true }
    )
  )

const append = Effect.fnUntraced(function* (subject: string) {
  const log = yield* Log
  const sql = yield* SqlClient.SqlClient
  const recorded_at = "2026-09-05T08:00:00Z"
  const entry = { v: entryTag, kind: "brief", sha256: "0".repeat(64), subject, recorded_at } as const
  yield* sql.withTransaction(log.append([entry], Date.parse(recorded_at)))
  return (yield* log.refresh).size
})

const grown = (size: number) =>
  Effect.forEach(
    Array.from({ length: size }, (_, n) => `${n}`),
    append
  )

/** Why an append is refused, which the log itself says as well. */
const refusal = Effect.gen(function* () {
  const error = yield* Effect.flip(append("refused"))
  assert.instanceOf(error, LogHalted)
  const why = yield* (yield* Log).halted
  assert.strictEqual(error.message, `the log signs nothing: ${why}`)
  return error.message
})

const heads = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ size: number }>`select size from checkpoint order by size`
)

onBothEngines("the log", (database) => {
  layer(Layer.provideMerge(LogKeys.layer(), database))((it) => {
    const looking = <A, E>(
      name: string,
      body: (folder: string) => Effect.Effect<A, E, LogKey | SqlClient.SqlClient>
    ) =>
      it.effect(name, () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* sql`truncate anchor, anchor_failure, checkpoint, cosignature, log_entry`
          return yield* body(newFolder())
        })
      )

    looking("remembers the head that it signed, and one that it followed, before it serves them", (folder) =>
      Effect.gen(function* () {
        const other = newFolder()
        const file = `log-${thumbprint(LogKeys.publicKey)}.checkpoint`
        yield* process(
          folder,
          Effect.gen(function* () {
            yield* grown(2)
            const { note } = yield* (yield* Log).signed
            assert.deepStrictEqual(readdirSync(folder), [file])
            assert.strictEqual(readFileSync(join(folder, file), "utf8"), note)
            yield* process(other, Effect.void)
            assert.strictEqual(readFileSync(join(other, file), "utf8"), note)
          })
        )
      })
    )

    looking("signs nothing over a restored backup, names the head, and goes on once it is whole", (folder) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* process(folder, grown(4))
        const entries = yield* sql`select * from log_entry where place >= 2 order by place`
        const lost = yield* sql`select * from checkpoint where size > 2 order by size`
        yield* sql`delete from log_entry where place >= 2`
        yield* sql`delete from checkpoint where size > 2`
        yield* process(
          folder,
          Effect.gen(function* () {
            const log = yield* Log
            assert.strictEqual((yield* log.signed).size, 2)
            assert.match(
              yield* refusal,
              /remembered in .*log-.*\.checkpoint\) has 4 entries, but the database has only 2, so it is an older copy\. .*log repair --from/
            )
            assert.deepStrictEqual(yield* heads, [{ size: 1 }, { size: 2 }])
            for (const row of entries) yield* sql`insert into log_entry ${sql.insert(row)}`
            for (const row of lost) yield* sql`insert into checkpoint ${sql.insert(row)}`
            assert.strictEqual((yield* log.refresh).size, 4)
            assert.isUndefined(yield* log.halted)
            assert.strictEqual(yield* append("next"), 5)
          })
        )
      })
    )

    looking("goes on while another process appends in the middle of its look, wherever that is", (folder) =>
      Effect.gen(function* () {
        yield* process(folder, grown(2))
        for (let nth = 1; nth <= 4; nth++) {
          const logs = captureLog()
          let left = nth
          yield* process(
            folder,
            Effect.gen(function* () {
              const log = yield* Log
              const size = yield* append("before")
              yield* process(folder, append("seen"))
              const services = yield* Effect.context<LogKey | SqlClient.SqlClient>()
              const meanwhile = Effect.provide(process(folder, append("meanwhile")), services)
              yield* log.refresh.pipe(
                Effect.provideService(CurrentTransformer, (statement) =>
                  --left === 0
                    ? Effect.as(
                        Effect.orDie(Effect.provideService(meanwhile, CurrentTransformer, undefined)),
                        statement
                      )
                    : Effect.succeed(statement)
                )
              )
              assert.isUndefined(yield* log.halted, `before statement ${nth}`)
              assert.strictEqual((yield* log.refresh).size, size + 2)
            })
          ).pipe(Effect.provide(logs.logger))
          assert.isAtMost(left, 0)
          assert.deepStrictEqual(logs.lines, [])
        }
      })
    )

    looking("signs nothing when rows vanish below it while it runs", (folder) =>
      process(
        folder,
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* grown(3)
          yield* sql`delete from log_entry where place = 2`
          yield* sql`delete from checkpoint where size = 3`
          assert.match(yield* refusal, /The database has 2 of the 3 entries that this process has read/)
        })
      )
    )

    looking("signs nothing once an old entry's text, its hash, or both were altered", (folder) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* process(folder, grown(3))
        const [whole] = yield* sql`select text, hash from log_entry where place = 1`
        const altered = utf8("another")
        const changes = [
          [{ text: "another" }, /The text of entry 1 does not have the hash/],
          [{ hash: sha256(altered) }, /The text of entry 1 does not have the hash/],
          [
            { text: "another", hash: sha256(new Uint8Array([0, ...altered])) },
            /The newest head in the database has another root for the first 3 entries/
          ]
        ] as const
        for (const [change, message] of changes) {
          yield* sql`update log_entry set ${sql.update(change)} where place = 1`
          assert.match(yield* process(folder, refusal), message)
          yield* sql`update log_entry set ${sql.update(whole ?? {})} where place = 1`
        }
        // Its heads too: then only what is remembered outside of the database tells.
        const [head] = yield* sql`select * from checkpoint where size = 3`
        yield* sql`update log_entry set ${sql.update(changes[2][0])} where place = 1`
        yield* sql`delete from checkpoint`
        assert.match(
          yield* process(folder, refusal),
          /The head remembered in .* has another root for the first 3 entries/
        )
        yield* sql`update log_entry set ${sql.update(whole ?? {})} where place = 1`
        yield* sql`insert into checkpoint ${sql.insert(head ?? {})}`
        assert.strictEqual(yield* process(folder, append("next")), 4)
      })
    )

    looking("signs nothing in a copied folder while a witness knows a head that is ahead", (folder) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const copy = newFolder()
        yield* process(folder, grown(3))
        const note = (yield* sql<{ note: string }>`select note from checkpoint where size = 3`)[0]?.note ?? ""
        const { root, size } = parseCheckpointText(parseNote(note).text)
        yield* sql`delete from log_entry where place >= 2`
        yield* sql`delete from checkpoint where size > 2`
        const witness = Effect.succeed([{ from: "The head of the witness w.example", root, size }])
        assert.match(
          yield* process(copy, refusal, witness),
          /The head of the witness w\.example has 3 entries, but the database has only 2/
        )
        assert.deepStrictEqual(yield* heads, [{ size: 1 }, { size: 2 }])
      })
    )

    looking("asks what others know before each signature, not only at the start", (folder) =>
      Effect.gen(function* () {
        let knownHeads: ReadonlyArray<KnownHead> = []
        yield* process(
          folder,
          Effect.gen(function* () {
            yield* grown(2)
            knownHeads = [{ from: "The head of the witness w.example", root: new Uint8Array(32), size: 2 }]
            assert.match(yield* refusal, /another root for the first 2 entries .* continued elsewhere/)
          }),
          Effect.sync(() => knownHeads)
        )
      })
    )

    looking("goes on without a remembered head, which is only a lower bound, and says so", (folder) => {
      const { lines, logger } = captureLog()
      return Effect.gen(function* () {
        yield* process(folder, grown(2))
        const other = newFolder()
        assert.strictEqual(yield* process(other, append("next")), 3)
        assert.include(lines.join("\n"), "no head of this log was remembered")
        // What another key signed is not asked.
        writeFileSync(join(other, "log-another.checkpoint"), "not a head")
        assert.strictEqual(yield* process(other, append("more")), 4)
      }).pipe(Effect.provide(logger))
    })

    looking("signs nothing over a remembered head that is damaged or of another log", (folder) =>
      Effect.gen(function* () {
        yield* process(folder, grown(1))
        const file = join(folder, readdirSync(folder)[0] ?? "")
        const note = readFileSync(file, "utf8")
        for (const [damage, message] of [
          ["", /is not a head of this log: a note must end/],
          [
            note.replaceAll(LogKeys.origin, "log.example.net/other"),
            /it is of the log log\.example\.net\/other/
          ],
          [note.replace("\n1\n", "\n7\n"), /no log key of this service signed it/]
        ] as const) {
          writeFileSync(file, damage)
          assert.match(yield* process(folder, refusal), message)
        }
      })
    )

    looking("signs nothing while it cannot remember, and names the setting", (folder) =>
      Effect.gen(function* () {
        const file = join(folder, "file")
        writeFileSync(file, "")
        const why = yield* process(join(file, "heads"), refusal)
        assert.match(why, /^the log signs nothing: LOG_HEAD_DIR: cannot/)
        assert.notInclude(why, folder, "the public reads it: no path of this machine")
        assert.deepStrictEqual(yield* heads, [])
      })
    )
  })
})

layer(Layer.empty)("a root over the first leaves", (it) => {
  it.effect("is the root of the tree that ended there", () =>
    Effect.sync(() => {
      const entries = Array.from({ length: 40 }, (_, n) => utf8(`${n}`))
      const whole = treeOf(entries)
      for (let size = 0; size <= 40; size++) {
        assert.deepStrictEqual(
          rootAt(whole, size, sha256),
          new Uint8Array(root(treeOf(entries.slice(0, size)))),
          `${size}`
        )
      }
      const knownLog = { origin: "x", verifiers: [], notes: [], heads: [] }
      assert.isUndefined(conflictWith({ name: "the tree", tree: whole }, knownLog, sha256))
    })
  )
})
