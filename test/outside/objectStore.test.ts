/** The client of object stores, against servers that check signatures: one in memory, and Swift where it is installed. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { type Bucket, make, type ObjectStore } from "../../runtime/outside/objectStore.ts"
import { sha256Of, signedHeaders } from "../../runtime/outside/sigv4.ts"
import { type BucketServer, bucketServer } from "../support/bucketServer.ts"
import { missing } from "../support/programs.ts"
import { bucket, inMemory, inSwift, placeOf, type Server } from "../support/stores.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const textOf = (body: Option.Option<Uint8Array>) =>
  Option.map(body, (content) => Buffer.from(content).toString())

const tests = (server: Server) => {
  it.live(
    "is written once, read whole and in parts, listed and removed",
    () =>
      Effect.gen(function* () {
        const store = yield* make(placeOf(yield* server))
        // Characters that the two sides of a signature could encode differently.
        const odd = "2026/a b+c=d&e'(f)*g!h~i/é.parquet"
        assert.isTrue(Option.isNone(yield* store.get(odd)))
        assert.isTrue(Option.isNone(yield* store.size(odd)))
        assert.isTrue(yield* store.put(odd, bytes("0123456789")))
        assert.isFalse(yield* store.put(odd, bytes("overwritten")))
        assert.deepStrictEqual(textOf(yield* store.get(odd)), Option.some("0123456789"))
        assert.deepStrictEqual(textOf(yield* store.get(odd, { offset: 3, length: 4 })), Option.some("3456"))
        assert.deepStrictEqual(yield* store.size(odd), Option.some(10))
        assert.isTrue(yield* store.put("2027/empty", new Uint8Array()))
        assert.deepStrictEqual(yield* store.list("20"), [
          { key: odd, size: 10 },
          { key: "2027/empty", size: 0 }
        ])
        assert.deepStrictEqual(yield* store.list("20", 1), [{ key: odd, size: 10 }])
        yield* store.remove(odd)
        yield* store.remove(odd)
        assert.deepStrictEqual(yield* store.list(""), [{ key: "2027/empty", size: 0 }])
      }).pipe(Effect.scoped),
    60_000
  )

  it.live(
    "is refused to a wrong secret, an unknown key and in an unknown bucket, in words that say what to do",
    () =>
      Effect.gen(function* () {
        const running = yield* server
        const failure = Effect.fnUntraced(function* (change: Partial<Bucket>) {
          const store = yield* make(placeOf(running, change))
          const { message } = yield* Effect.flip(store.list(""))
          assert.strictEqual((yield* Effect.flip(store.put("a", bytes("a"))))._tag, "ObjectStoreError")
          return message
        })
        const secret = "not the secret"
        const wrong = yield* failure({ secretAccessKey: Redacted.make(secret) })
        assert.match(wrong, /refused GET \(HTTP 403 SignatureDoesNotMatch\); correct AWS_SECRET_ACCESS_KEY$/)
        assert.notInclude(wrong, secret)
        assert.match(
          yield* failure({ accessKeyId: "test:nobody" }),
          /refused GET \(HTTP 403 InvalidAccessKeyId\); correct AWS_ACCESS_KEY_ID$|HTTP 403 SignatureDoesNotMatch/
        )
        assert.match(
          yield* failure({ bucket: "plumbline-none" }),
          /^s3:\/\/plumbline-none\/: the store refused GET \(HTTP 404 NoSuchBucket\); create the bucket plumbline-none/
        )
      }).pipe(Effect.scoped),
    60_000
  )
}

describe("an object in a store in memory", () => tests(inMemory))
describe.skipIf(missing("swift"))("an object in Swift", () => tests(inSwift))

/** Runs the work while its waits pass at once, however many there are. */
const withoutWaiting = <A, E>(work: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Date.now())
    const fiber = yield* Effect.forkChild(work)
    while (fiber.pollUnsafe() === undefined) {
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      yield* TestClock.adjust("100 millis")
    }
    return yield* Fiber.join(fiber)
  })

const withStore = <A, E>(work: (store: ObjectStore, server: BucketServer) => Effect.Effect<A, E>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const server = yield* bucketServer([bucket])
      return yield* work(yield* make(placeOf(server)), server)
    })
  )

describe("a bucket of more than a thousand objects", () => {
  it.live("is listed page after page", () =>
    withStore((store) =>
      Effect.gen(function* () {
        const keys = Array.from({ length: 1005 }, (_, n) => `n/${String(n).padStart(4, "0")}`)
        yield* Effect.forEach(keys, (key) => store.put(key, bytes(key)), { concurrency: 32, discard: true })
        assert.deepStrictEqual(
          (yield* store.list("n/")).map(({ key }) => key),
          keys
        )
      })
    )
  )
})

describe("a store that fails for a while", () => {
  it.effect("is asked again after 5xx, slow down, a conflict of writers and a cut connection", () =>
    withStore((store, server) =>
      Effect.gen(function* () {
        server.faults.push({ status: 503, code: "SlowDown" }, { status: 500, code: "InternalError" }, "cut")
        assert.isTrue(yield* withoutWaiting(store.put("a", bytes("a"))))
        server.faults.push(
          { status: 409, code: "ConditionalRequestConflict" },
          { status: 429, code: "TooMany" }
        )
        assert.deepStrictEqual(textOf(yield* withoutWaiting(store.get("a"))), Option.some("a"))
        assert.strictEqual(server.requests.length, 7)
      })
    )
  )

  it.effect("and wrote an object whose answer was lost, has it once", () =>
    withStore((store, server) =>
      Effect.gen(function* () {
        server.faults.push("cut after")
        assert.isFalse(yield* withoutWaiting(store.put("a", bytes("a"))))
        assert.deepStrictEqual(textOf(yield* store.get("a")), Option.some("a"))
      })
    )
  )

  it.effect("is given up after six tries, and the error says what it answered", () =>
    withStore((store, server) =>
      Effect.gen(function* () {
        for (let n = 0; n < 6; n++) server.faults.push({ status: 503, code: "SlowDown" })
        const { message } = yield* Effect.flip(withoutWaiting(store.get("a")))
        assert.strictEqual(message, `s3://${bucket}/years/a: HTTP 503 SlowDown, GET tried 6 times`)
        assert.strictEqual(server.requests.length, 6)
      })
    )
  )

  it.effect("is not asked again when it refuses for good", () =>
    withStore((store, server) =>
      Effect.gen(function* () {
        server.faults.push({ status: 403, code: "AccessDenied" })
        const { message } = yield* Effect.flip(store.get("a"))
        assert.match(message, /HTTP 403 AccessDenied\); allow the key to list the bucket/)
        assert.strictEqual(server.requests.length, 1)
      })
    )
  )

  it.effect("and does not support conditional writes is looked into before each write", () =>
    withStore((store, server) =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.now())
        const refusal = { status: 501, code: "NotImplemented" }
        server.faults.push(refusal)
        assert.isTrue(yield* store.put("a", bytes("a")))
        server.faults.push(refusal)
        assert.isFalse(yield* store.put("a", bytes("b")))
        assert.deepStrictEqual(textOf(yield* store.get("a")), Option.some("a"))
      })
    )
  )
})

describe("signature version 4", () => {
  // "Examples: Signature Calculations" in the Amazon S3 API Reference (Authorization header, payload in one part).
  const key = {
    accessKeyId: "AKIAIOSFODNN7EXAMPLE",
    secretAccessKey: Redacted.make("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
    region: "us-east-1"
  }
  const examples = [
    {
      name: "a configuration",
      method: "GET",
      path: "/?lifecycle",
      signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
    },
    {
      name: "a list",
      method: "GET",
      path: "/?max-keys=2&prefix=J",
      signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
    },
    {
      name: "a write",
      method: "PUT",
      path: "/test%24file.text",
      headers: { date: "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY" },
      sha256: sha256Of("Welcome to Amazon S3."),
      signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
    }
  ]
  it.effect.each(examples)("of $name is the published one", ({ path, signature, ...rest }) =>
    Effect.gen(function* () {
      const url = new URL(path, "https://examplebucket.s3.amazonaws.com")
      const { authorization } = yield* signedHeaders({ ...rest, url }, key, Date.UTC(2013, 4, 24))
      assert.strictEqual(authorization?.split("Signature=")[1], signature)
    })
  )
})
