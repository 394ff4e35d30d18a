/** The log: one line each with date and zone, as text or JSON, and never a secret. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { logger } from "../../runtime/logging/lines.ts"
import { oncePer } from "../../runtime/logging/oncePer.ts"
import { makeScrub } from "../../runtime/logging/scrub.ts"
import { secretsIn } from "../../runtime/logging/secrets.ts"
import { captureLog } from "../support/captureLog.ts"

/** What the work writes. */
const written = <A, E>(format: "text" | "json", work: Effect.Effect<A, E>, scrub = makeScrub()) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    yield* TestClock.setTime(Date.UTC(2026, 10, 22, 11, 4, 3, 123))
    const to = Logger.layer([logger(format, scrub, (line) => lines.push(line))])
    yield* Effect.exit(Effect.provide(work, to))
    return lines.join("")
  })

const failing = Effect.logError("could not store a run", { run: "r 1", rows: 2 }, new Error("broken\nin two"))

it.effect("what a part says of each of its pieces is said once in a while, and an error each time", () =>
  Effect.gen(function* () {
    const { lines, logger } = captureLog()
    const round = Effect.forEach([1, 2, 3], () =>
      Effect.andThen(Effect.logWarning("retrying"), Effect.logError("lost"))
    )
    yield* Effect.gen(function* () {
      yield* round
      yield* TestClock.adjust("29 seconds")
      yield* round
      yield* TestClock.adjust("1 second")
      yield* round
    }).pipe(Effect.provide(Layer.provide(oncePer("30 seconds"), logger)))
    const count = (text: string) => lines.filter((line) => line.includes(text)).length
    assert.deepStrictEqual([count("retrying"), count("lost")], [2, 9])
  })
)

describe("a line of the log", () => {
  it.effect("has its time with date and zone, its level, and what goes with it", () =>
    Effect.gen(function* () {
      const line = yield* written("text", Effect.annotateLogs(failing, { plugin: "acme", request_id: "a-1" }))
      assert.strictEqual(
        line,
        '2026-11-22T11:04:03.123Z ERROR could not store a run broken in two plugin=acme request_id=a-1 run="r 1" rows=2\n'
      )
    })
  )

  it.effect("is one line, whatever it says: a cause has its stack in it", () =>
    Effect.gen(function* () {
      const work = Effect.catchCause(Effect.die(new Error("a\nb")), (cause) =>
        Effect.logWarning("x\ny", cause)
      )
      const text = yield* written("text", work)
      assert.match(text, /^\S+Z WARN {2}x y cause=".*a\\nb.*"\n$/)
      const json = yield* written("json", work)
      assert.strictEqual(json.trimEnd().split("\n").length, 1)
      assert.include(JSON.parse(json), { level: "WARN", message: "x\ny", time: "2026-11-22T11:04:03.123Z" })
      assert.include(JSON.parse(json).cause, "a\nb")
    })
  )

  it.effect("as JSON has the same members, and none takes the place of another", () =>
    Effect.gen(function* () {
      const line = yield* written("json", Effect.annotateLogs(failing, { plugin: "acme", level: "mine" }))
      assert.deepStrictEqual(JSON.parse(line), {
        time: "2026-11-22T11:04:03.123Z",
        level: "ERROR",
        message: "could not store a run broken\nin two",
        plugin: "acme",
        level_: "mine",
        run: "r 1",
        rows: 2
      })
    })
  )
})

describe("no line has", () => {
  const signature = `0x${"ab".repeat(65)}`
  const hash = `0x${"cd".repeat(32)}`
  const environment = {
    DATABASE_URL: "postgres://user:pass%2Fword9@db.example:5432/x",
    STRIPE_SECRET_KEY: "whatever-form-it-has",
    GITHUB_TOKEN: "ghp_0123456789abcdef",
    OTLP_HEADERS: "Authorization=Bearer%20of-the-collector,X-Other=plain",
    EVM_RPC_URL: "https://rpc.example/v2/secret-in-path",
    SIGNING_KEY_FILE: "/etc/plumbline/signing-key.pem"
  }
  const secrets = [
    "pass%2Fword9",
    "pass/word9",
    "whatever-form-it-has",
    "ghp_0123456789abcdef",
    "of-the-collector",
    "https://rpc.example/v2/secret-in-path",
    signature,
    `plk_${"k".repeat(43)}`,
    "sk_live_0123456789",
    "whsec_0123456789"
  ]

  it.effect("a key, a password or a wallet's signature, wherever it comes from", () =>
    Effect.gen(function* () {
      const scrub = makeScrub(secretsIn(environment))
      for (const format of ["text", "json"] as const) {
        for (const secret of secrets) {
          const work = Effect.logError(
            `with ${secret}`,
            { in: { deep: secret } },
            new Error(`at ${secret}`)
          ).pipe(
            Effect.annotateLogs({ annotated: secret }),
            Effect.andThen(Effect.die(new Error(secret))),
            Effect.catchCause((cause) => Effect.logError("died", cause))
          )
          const lines = yield* written(format, work, scrub)
          assert.notInclude(lines, secret, `${format}: ${lines}`)
          assert.include(lines, "<redacted>")
        }
      }
    })
  )

  it.effect("the password of another URL, a checkout session or a bearer token", () =>
    Effect.gen(function* () {
      const work = Effect.logInfo(
        "postgres://a:hunter22@b/c https://x.example/paid?session_id=cs_123456&x=1 Bearer abcdefgh.ijkl",
        { key: Redacted.make("hidden in a wrapper") }
      )
      const line = yield* written("text", work)
      for (const secret of ["hunter22", "cs_123456", "abcdefgh", "wrapper"]) assert.notInclude(line, secret)
      assert.include(line, "&x=1")
    })
  )

  it.effect("nothing else taken out: hashes, addresses and file names stay", () =>
    Effect.gen(function* () {
      const line = `${hash} 0x${"12".repeat(20)} ${environment.SIGNING_KEY_FILE} postgres://db.example/x`
      assert.include(yield* written("text", Effect.logInfo(line), makeScrub(secretsIn(environment))), line)
    })
  )
})
