import { createPrivateKey, generateKeyPairSync, sign } from "node:crypto"
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { publicKeyOf, signEd25519, verifyEd25519 } from "../../core/proof/ed25519.ts"
import { keyDocument, notInUse, parseKeyDocument, thumbprint } from "../../core/proof/keys.ts"
import { makeKeyring, rotate } from "../../runtime/service/Keyring.ts"

const folder = () => mkdtempSync(join(tmpdir(), "plumbline-keys-"))
const origin = "plumbline.test/log"
const message = new TextEncoder().encode("a statement")

describe("the signing key", () => {
  it.effect("is made for its owner alone, and is the same after a restart", () =>
    Effect.gen(function* () {
      const file = join(folder(), "made", "signing-key.pem")
      const first = yield* makeKeyring({ file, make: true, origin })
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      assert.strictEqual(createPrivateKey(readFileSync(file)).asymmetricKeyType, "ed25519")
      yield* TestClock.adjust("1 day")
      const second = yield* makeKeyring({ file, make: true, origin })
      assert.strictEqual(second.signer.key().kid, first.signer.key().kid)
      assert.deepStrictEqual(second.signer.keys(), first.signer.keys())
      assert.deepStrictEqual(readdirSync(join(file, "..")).toSorted(), [
        "signing-key.pem",
        "signing-key.pem.public.json"
      ])
    })
  )

  it.effect(
    "is replaced by a rotation that keeps the old public one with its end: old signatures verify",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.parse("2026-11-01T00:00:00Z"))
        const keyring = yield* makeKeyring({ file: join(folder(), "key.pem"), make: true, origin })
        const old = keyring.signer.key()
        const signature = old.sign(message)
        yield* TestClock.setTime(Date.parse("2026-11-21T08:00:00.500Z"))
        const kid = yield* keyring.rotate
        assert.strictEqual(keyring.signer.key().kid, kid)
        assert.notStrictEqual(kid, old.kid)
        const now = Date.parse("2026-11-21T08:00:01Z")
        const document = parseKeyDocument(keyDocument({ origin, keys: keyring.signer.keys(), now }))
        assert.deepStrictEqual(
          document.log.map(({ kid }) => kid),
          document.answers.map(({ kid }) => kid)
        )
        assert.deepStrictEqual(
          document.answers.map(({ kid, notAfter, notBefore }) => ({ kid, notBefore, notAfter })),
          [
            { kid, notBefore: "2026-11-21T08:00:00Z", notAfter: null },
            { kid: old.kid, notBefore: "2026-11-01T00:00:00Z", notAfter: "2026-11-21T08:00:00Z" }
          ]
        )
        const [current, retired] = document.answers
        assert.isTrue(retired !== undefined && verifyEd25519(signature, message, retired.publicKey))
        assert.isFalse(current !== undefined && verifyEd25519(signature, message, current.publicKey))
        assert.isUndefined(retired && notInUse(retired, "2026-11-10T00:00:00Z"))
        assert.isString(retired && notInUse(retired, "2026-11-22T00:00:00Z"))
      })
  )

  it.effect("may be rotated by a command: a service that starts then has both", () =>
    Effect.gen(function* () {
      const file = join(folder(), "key.pem")
      const before = (yield* makeKeyring({ file, make: true, origin })).signer.key().kid
      const kid = yield* rotate(file)
      const { signer } = yield* makeKeyring({ file, make: false, origin })
      assert.strictEqual(signer.key().kid, kid)
      assert.deepStrictEqual(
        signer.keys().map(({ publicKey, purpose }) => [thumbprint(publicKey), purpose]),
        [kid, before].flatMap((one) => [
          [one, "answers"],
          [one, "log"]
        ])
      )
    })
  )

  it.effect("that an operator puts in its place retires the one before", () =>
    Effect.gen(function* () {
      const file = join(folder(), "key.pem")
      const before = (yield* makeKeyring({ file, make: true, origin })).signer.key().kid
      const { privateKey } = generateKeyPairSync("ed25519")
      writeFileSync(file, privateKey.export({ type: "pkcs8", format: "pem" }))
      const { signer } = yield* makeKeyring({ file, make: false, origin })
      assert.notStrictEqual(signer.key().kid, before)
      assert.deepStrictEqual(
        signer.keys().map(({ notAfter }) => notAfter === null),
        [true, true, false, false]
      )
    })
  )

  it.effect(
    "is refused, with the file's name, when it is missing, open to others, of another kind or no key",
    () =>
      Effect.gen(function* () {
        const file = join(folder(), "key.pem")
        const refusal = Effect.map(
          Effect.flip(makeKeyring({ file, make: false, origin })),
          ({ message }) => message
        )
        assert.match(
          yield* refusal,
          /^SIGNING_KEY_FILE: .*key\.pem does not exist; create it with: npx plumbline key new/
        )
        writeFileSync(file, "no key", { mode: 0o600 })
        assert.match(yield* refusal, /^SIGNING_KEY_FILE: .*key\.pem is not a PEM private key/)
        rmSync(file)
        const { privateKey } = generateKeyPairSync("ed448")
        writeFileSync(file, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 })
        assert.match(yield* refusal, /key\.pem is not an Ed25519 key/)
        chmodSync(file, 0o644)
        assert.match(yield* refusal, /key\.pem is readable by other users \(mode 644\)/)
      })
  )
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
