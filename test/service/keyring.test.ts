/** The signing keys of a process: files with the private halves, and a table that says which of them signs when. */
import { createPrivateKey, generateKeyPairSync, sign } from "node:crypto"
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { CurrentTransformer } from "effect/sql/Statement"
import * as fc from "fast-check"
import { it } from "vitest"
import { enter, signingKeys } from "../../core/log/signingKeys.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { verifyEd25519 } from "../../core/proof/ed25519.ts"
import { thumbprint } from "../../core/proof/keys.ts"
import { TrustedClock } from "../../core/readings/TrustedClock.ts"
import { answerKeyGrace, makeNext } from "../../runtime/service/Keyring.ts"
import { type KeyFile, promote } from "../../runtime/service/keyFiles.ts"
import { adopt, makeNew } from "../../runtime/service/newKeys.ts"
import { onBothEngines } from "../support/database.ts"
import { publicKeyOf, signEd25519 } from "../support/ed25519.ts"
import { filesIn, keysOf, newFolder } from "../support/keyring.ts"
import { trustedClock } from "../support/trustedClock.ts"

const writeKey = (file: string, kind: "ed25519" | "ed448" = "ed25519") => {
  const { privateKey } = kind === "ed25519" ? generateKeyPairSync(kind) : generateKeyPairSync("ed448")
  writeFileSync(file, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 })
}

onBothEngines("the signing keys", (database) => {
  layer(database, { excludeTestServices: true })((it) => {
    const having = <A, E>(
      name: string,
      body: (folder: string) => Effect.Effect<A, E, Scope.Scope | SqlClient.SqlClient>
    ) =>
      it.effect(name, () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* sql`truncate signing_key`
          return yield* body(newFolder())
        })
      )
    const refusal = (files: Parameters<typeof keysOf>[0]) =>
      Effect.map(Effect.flip(keysOf(files)), ({ message }) => message)
    /** Lets the answer key before this one end an hour ago; gives its id. */
    const endOld = Effect.fnUntraced(function* (kid: string) {
      const sql = yield* SqlClient.SqlClient
      yield* sql`update signing_key set not_before = now() - interval '2 hours' where kid = ${kid}`
      const [old] = yield* sql<{ kid: string }>`
        update signing_key set not_before = now() - interval '3 hours', not_after = now() - interval '1 hour'
        where purpose = 'answers' and kid <> ${kid} returning kid`
      return old?.kid ?? assert.fail("there is no other key")
    })
    const registeredKeys = Effect.map(signingKeys, (keys) =>
      keys.map((key) => ({ ...key, kid: thumbprint(key.publicKey) }))
    )

    having("are made by the first start, for their owner alone, and are the same after a restart", (folder) =>
      Effect.gen(function* () {
        const first = yield* keysOf(filesIn(join(folder, "data")))
        for (const file of ["signing-key.pem", "log-key.pem"]) {
          assert.strictEqual(statSync(join(folder, "data", file)).mode & 0o777, 0o600)
          assert.strictEqual(
            createPrivateKey(readFileSync(join(folder, "data", file))).asymmetricKeyType,
            "ed25519"
          )
        }
        const now = Date.now()
        const second = yield* keysOf(filesIn(join(folder, "data")))
        assert.strictEqual(second.signer.key(now).kid, first.signer.key(now).kid)
        assert.deepStrictEqual(second.log.keys(), first.log.keys())
        const [signer] = yield* first.log.signers
        const kids = new Map((yield* registeredKeys).map(({ kid, purpose }) => [purpose, kid]))
        assert.strictEqual(kids.get("answers"), first.signer.key(now).kid)
        assert.strictEqual(kids.get("log"), thumbprint(signer?.publicKey ?? new Uint8Array()))
        assert.notStrictEqual(kids.get("answers"), kids.get("log"))
      })
    )

    having("are refused where the database does not know them, with the command that enters them", (folder) =>
      Effect.gen(function* () {
        const files = filesIn(folder, true)
        assert.match(
          yield* refusal(files),
          /^SIGNING_KEY_FILE: .*does not exist; create it with: npx plumbline key new$/
        )
        writeKey(files.answers.file)
        writeKey(files.log.file)
        assert.match(
          yield* refusal(files),
          /^SIGNING_KEY_FILE: this database knows no key for answers yet; .*npx plumbline key adopt --purpose answers$/
        )
        yield* adopt(files.answers)
        assert.match(yield* refusal(files), /^LOG_KEY_FILE: .*npx plumbline key adopt --purpose log$/)
        yield* adopt(files.log)
        assert.match(
          (yield* Effect.flip(adopt(files.log))).message,
          /^this database knows the key \S+ in .* already$/
        )
        const { signer } = yield* keysOf(files)
        const kid = signer.key(Date.now()).kid
        writeKey(files.answers.file)
        assert.match(
          yield* refusal(files),
          new RegExp(
            `holds the key \\S+, but this database knows ${kid}; put that key's file there\\. Restore it .*--keys-only; if no backup has it, take over`
          )
        )
      })
    )

    having(
      "of answers may be taken over by another when the file is lost, those of the log may not",
      (folder) =>
        Effect.gen(function* () {
          const files = filesIn(folder, true)
          for (const file of [files.answers, files.log]) yield* makeNew(file)
          const { signer } = yield* keysOf(files)
          const lost = signer.key(Date.now()).kid
          for (const file of [files.answers, files.log]) writeKey(file.file)
          const { kid, notBefore } = yield* adopt(files.answers)
          const [current, old] = (yield* registeredKeys).filter(({ purpose }) => purpose === "answers")
          assert.deepStrictEqual([current?.kid, current?.notBefore], [kid, notBefore])
          assert.strictEqual(old?.kid, lost)
          assert.strictEqual(
            Date.parse(old?.notAfter ?? "") - Date.parse(current?.notBefore ?? ""),
            answerKeyGrace
          )
          assert.match((yield* Effect.flip(adopt(files.log))).message, /nobody would believe a log/)
        })
    )

    having("are made where missing, and never beside a key that the database knows", (folder) =>
      Effect.gen(function* () {
        const files = filesIn(folder, true)
        const { kid, created } = yield* makeNew(files.answers)
        assert.isTrue(created)
        assert.deepStrictEqual(yield* makeNew(files.answers), { kid, created: false })
        rmSync(files.answers.file)
        assert.match(
          (yield* Effect.flip(makeNew(files.answers))).message,
          new RegExp(`^SIGNING_KEY_FILE: this database knows the key ${kid} already; put its file at`)
        )
        writeKey(files.log.file)
        const before = readFileSync(files.log.file, "utf8")
        assert.match(
          (yield* Effect.flip(makeNew(files.log))).message,
          /^LOG_KEY_FILE: .* exists already and was not changed; take it over with: npx plumbline key adopt/
        )
        assert.strictEqual(readFileSync(files.log.file, "utf8"), before)
      })
    )

    having("are refused when the file is open to others, of another kind or no key", (folder) =>
      Effect.gen(function* () {
        const files = filesIn(folder)
        const { file } = files.answers
        writeFileSync(file, "no key", { mode: 0o600 })
        assert.match(yield* refusal(files), /^SIGNING_KEY_FILE: .* is not a PEM private key/)
        rmSync(file)
        writeKey(file, "ed448")
        assert.match(yield* refusal(files), /is not an Ed25519 key/)
        chmodSync(file, 0o644)
        assert.match(yield* refusal(files), /is readable by other users \(mode 644\)/)
      })
    )

    having("are not missing while a rotation's file is there and only the table was read", (folder) =>
      Effect.gen(function* () {
        const files = filesIn(folder)
        const rotating = yield* keysOf(files)
        const other = yield* keysOf(files)
        const { kid } = yield* rotating.keyring.rotateAnswers
        const missing: Array<string> = []
        yield* other.keyring.refresh.pipe(
          Effect.provideService(CurrentTransformer, (statement) =>
            Effect.map(other.log.lacking, (lacking) => {
              if (lacking !== undefined) missing.push(lacking.message)
              return statement
            })
          )
        )
        assert.deepStrictEqual(missing, [])
        assert.isTrue(other.log.keys().some(({ publicKey }) => thumbprint(publicKey) === kid))
      })
    )

    having("of answers switch at the announced second, on every process, without a restart", (folder) =>
      Effect.gen(function* () {
        const files = filesIn(folder)
        const one = yield* keysOf(files, 600_000)
        const two = yield* keysOf(files)
        const old = one.signer.key(Date.now()).kid
        const begun = Date.now()
        const { file, kid, notBefore } = yield* one.keyring.rotateAnswers
        assert.strictEqual(file, join(folder, "signing-key.pem.next"))
        assert.strictEqual(statSync(file).mode & 0o777, 0o600)
        const at = Date.parse(notBefore)
        assert.isAtLeast(at - begun, 600_000)
        yield* two.keyring.refresh
        for (const { signer } of [one, two]) {
          assert.strictEqual(signer.key(at - 1).kid, old)
          assert.strictEqual(signer.key(at).kid, kid)
        }
        const keys = (yield* registeredKeys).filter(({ purpose }) => purpose === "answers")
        assert.deepStrictEqual(
          keys.map(({ kid, notAfter, notBefore }) => ({ kid, notBefore, notAfter })),
          [
            { kid, notBefore, notAfter: null },
            { kid: old, notBefore: keys[1]?.notBefore, notAfter: isoTime(at + answerKeyGrace) }
          ]
        )
        assert.match(
          (yield* Effect.flip(two.keyring.rotateAnswers)).message,
          /^the last rotation of the answer key ends at .*; rotate after that$/
        )
      })
    )

    having("take the place of the old file once the old key is retired", (folder) =>
      Effect.gen(function* () {
        const files = filesIn(folder)
        const { keyring, signer } = yield* keysOf(files)
        const { file, kid } = yield* keyring.rotateAnswers
        const [old, next] = [files.answers.file, file].map((one) => readFileSync(one, "utf8"))
        yield* keyring.refresh
        assert.isTrue(existsSync(file), "the old key may still sign")
        const oldKid = yield* endOld(kid)
        yield* keyring.refresh
        assert.isFalse(existsSync(file))
        assert.strictEqual(readFileSync(files.answers.file, "utf8"), next)
        assert.strictEqual(signer.key(Date.now()).kid, kid)
        const retired = `signing-key.pem.retired-${oldKid}`
        assert.deepStrictEqual(readdirSync(folder).toSorted(), ["log-key.pem", "signing-key.pem", retired])
        assert.strictEqual(readFileSync(join(folder, retired), "utf8"), old, "the old key is kept")
        assert.strictEqual(statSync(join(folder, retired)).mode & 0o777, 0o600)
        yield* keyring.rotateAnswers
      })
    )

    having("take it also where a process was killed between the two names", (folder) =>
      Effect.gen(function* () {
        const files = filesIn(folder)
        const { keyring } = yield* keysOf(files)
        const { file, kid } = yield* keyring.rotateAnswers
        const [old, next] = [files.answers.file, file].map((one) => readFileSync(one, "utf8"))
        const retired = `${files.answers.file}.retired-${yield* endOld(kid)}`
        linkSync(files.answers.file, retired)
        yield* keyring.refresh
        assert.isFalse(existsSync(file))
        assert.strictEqual(readFileSync(files.answers.file, "utf8"), next)
        assert.strictEqual(readFileSync(retired, "utf8"), old)
      })
    )

    having("stay where they are by a clock in doubt, which announces none", (folder) =>
      Effect.gen(function* () {
        const files = filesIn(folder)
        const { keyring } = yield* keysOf(files)
        const { kid } = yield* keyring.rotateAnswers
        yield* endOld(kid)
        const before = readdirSync(folder).toSorted()
        const doubting = TrustedClock.of({
          ...trustedClock,
          trusted: Effect.succeed(false),
          doubt: Effect.succeed("it is 400d ahead")
        })
        const wrong = yield* keysOf(files, 0, doubting)
        yield* wrong.keyring.refresh
        assert.deepStrictEqual(readdirSync(folder).toSorted(), before)
        assert.strictEqual(
          (yield* Effect.flip(wrong.keyring.rotateAnswers)).message,
          "nothing irreversible is done now: it is 400d ahead"
        )
      })
    )

    having("that were retired too early sign again", (folder) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const files = filesIn(folder)
        const { log } = yield* keysOf(files)
        const [old] = yield* log.signers
        const oldKid = thumbprint(old?.publicKey ?? new Uint8Array())
        const next = yield* makeNext(files.log, log.keys())
        const now = Date.now()
        yield* sql.withTransaction(
          enter("log", next.publicKey, { announcedAt: now, notBefore: now, endOfOld: now + 86_400_000 })
        )
        yield* promote(files.log, oldKid)
        const again = yield* keysOf(files)
        assert.isUndefined(yield* again.log.lacking)
        assert.deepStrictEqual(
          (yield* again.log.signers).map(({ publicKey }) => thumbprint(publicKey)).toSorted(),
          [oldKid, next.kid].toSorted()
        )
        // A backup of before the rotation knows the old key alone.
        yield* sql`delete from signing_key where kid = ${next.kid}`
        yield* sql`update signing_key set not_after = null`
        assert.lengthOf(yield* (yield* keysOf(files)).log.signers, 1)
      })
    )

    having("that a process lacks are named before they sign, and it takes them when they come", (folder) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const files = filesIn(folder, true)
        const elsewhere = filesIn(newFolder(), true)
        for (const file of [files.answers, files.log]) yield* makeNew(file)
        for (const purpose of ["answers", "log"] as const)
          copyFileSync(files[purpose].file, elsewhere[purpose].file)
        const one = yield* keysOf(files, 600_000)
        const two = yield* keysOf(elsewhere)
        assert.isUndefined(yield* two.log.lacking)
        const { file, kid } = yield* one.keyring.rotateAnswers
        yield* two.keyring.refresh
        const lacking = yield* two.log.lacking
        assert.isFalse(lacking?.signs)
        assert.include(lacking?.message, `lacks the key ${kid}, which signs answers from`)
        assert.include(lacking?.message, `to ${elsewhere.answers.file}.next`)
        yield* sql`update signing_key set not_before = now() - interval '1 hour' where kid <> ${kid}`
        yield* sql`update signing_key set not_before = now() where kid = ${kid}`
        yield* two.keyring.refresh
        assert.isTrue((yield* two.log.lacking)?.signs)
        assert.match(yield* refusal(elsewhere), /this process lacks the key/)
        copyFileSync(file, `${elsewhere.answers.file}.next`)
        yield* two.keyring.refresh
        assert.isUndefined(yield* two.log.lacking)
        assert.strictEqual(two.signer.key(Date.now()).kid, kid)
      })
    )

    having("go on with the file of a rotation that was killed before it was announced", (folder) =>
      Effect.gen(function* () {
        const files = filesIn(folder)
        const { keyring } = yield* keysOf(files)
        const next: KeyFile = { ...files.answers, file: `${files.answers.file}.next` }
        writeKey(next.file)
        const left = readFileSync(next.file, "utf8")
        yield* keyring.rotateAnswers
        assert.strictEqual(readFileSync(next.file, "utf8"), left)
      })
    )
  })
})

describe("native and portable signatures", () => {
  it("are the same bytes, and each verifies the other's", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 32, maxLength: 32 }),
        fc.uint8Array({ maxLength: 300 }),
        (secret, text) => {
          const pkcs8 = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), secret])
          const key = createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" })
          const native = new Uint8Array(sign(null, text, key))
          assert.deepStrictEqual(native, signEd25519(text, secret))
          assert.isTrue(verifyEd25519(native, text, publicKeyOf(secret)))
        }
      ),
      { numRuns: 50 }
    )
  })
})
