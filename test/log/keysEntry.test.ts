/** The log has the service's keys: a document whenever they change, and none besides. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { IncidentLog } from "../../core/log/IncidentLog.ts"
import { Log } from "../../core/log/Log.ts"
import { document } from "../../core/log/record/files.ts"
import { rotateLogKey } from "../../core/log/rotation.ts"
import { enter } from "../../core/log/signingKeys.ts"
import { isBatch, parseEntry } from "../../core/proof/entry.ts"
import { demandContinues, parseKeysDocument } from "../../core/proof/keysDocument.ts"
import { rowsOf } from "../../core/sql/rows.ts"
import { onBothEngines } from "../support/database.ts"
import { publicKeyOf, signEd25519 } from "../support/ed25519.ts"
import * as LogKeys from "../support/logKey.ts"

const noon = Date.UTC(2026, 8, 5, 12)
const secret = new Uint8Array(32).fill(31)
const successor = { publicKey: publicKeyOf(secret), sign: (text: Uint8Array) => signEd25519(text, secret) }
const entryRows = rowsOf({ text: Schema.String })
const sizeRows = rowsOf({ size: Schema.Int })

onBothEngines("the keys in the log", (database) => {
  const services = IncidentLog.layer.pipe(
    Layer.provideMerge(Log.layer),
    Layer.provideMerge(LogKeys.layer()),
    Layer.provideMerge(database)
  )

  layer(services)((it) => {
    it.effect("are logged once for each change, and a rotation under its own head", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { run } = yield* IncidentLog
        yield* TestClock.setTime(noon)
        assert.strictEqual(yield* run, 0, "without a key there is nothing to say")
        const since = Date.UTC(2026, 7, 1)
        const first = { announcedAt: since, notBefore: since, endOfOld: since }
        yield* sql.withTransaction(enter("log", LogKeys.publicKey, first))
        assert.strictEqual(yield* run, 1)
        assert.strictEqual(yield* run, 0, "nothing changed")

        const soon = noon + 600_000
        const answers = { announcedAt: noon, notBefore: soon, endOfOld: soon }
        yield* sql.withTransaction(enter("answers", publicKeyOf(new Uint8Array(32).fill(32)), answers))
        assert.strictEqual(yield* run, 1, "at once, not only after ten minutes")
        yield* rotateLogKey(successor, noon)
        assert.strictEqual(yield* run, 0, "the rotation logged its keys itself")

        const rows = yield* sql`select text from log_entry order by place`.pipe(entryRows)
        const entries = rows.map(({ text }) => parseEntry(text))
        assert.deepStrictEqual(
          entries.map((entry) => (isBatch(entry) ? "batch" : entry.kind)),
          ["keys", "keys", "rotation", "keys"]
        )
        const heads = yield* sql`select size from checkpoint order by size`.pipe(sizeRows)
        assert.deepStrictEqual(
          heads.map(({ size }) => size),
          [1, 2, 4]
        )
        const documents = yield* Effect.forEach(
          entries.flatMap((entry) => (isBatch(entry) || entry.kind !== "keys" ? [] : [entry])),
          Effect.fnUntraced(function* ({ sha256, subject }) {
            const { body } = yield* document(sha256)
            return { subject, read: parseKeysDocument(body) }
          })
        )
        assert.deepStrictEqual(
          documents.map(({ read, subject }) => [subject, read.n, read.keys.length, read.rotations.length]),
          [
            ["1", 1, 1, 0],
            ["2", 2, 2, 0],
            ["3", 3, 3, 1]
          ]
        )
        for (const [place, { read }] of documents.entries())
          demandContinues(documents[place - 1]?.read ?? read, read)
      })
    )
  })
})
