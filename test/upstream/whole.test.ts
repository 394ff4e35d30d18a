/** An answer is whole only where it says where it ends: raw bytes over a socket. */
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { get, pair, type Setup } from "./stand-in.ts"

const rows = "country,nodes\nDE,7\n"

/** What comes of these bytes, after which the server closes its side. */
const exchangeOf = (bytes: ReadonlyArray<string | Buffer>, setup?: Setup) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { exchange } = yield* pair((answer) => {
        for (const part of bytes) answer.socket?.write(part)
        answer.socket?.end()
      }, setup)
      return yield* exchange(get())
    })
  )

const head = "HTTP/1.1 200 OK\r\ncontent-type: text/csv\r\n"

describe("an answer whose connection is closed", () => {
  for (const [name, bytes] of Object.entries({
    "without a length": [`${head}\r\n${rows}`],
    "without a length, as HTTP/1.0": [`HTTP/1.0 200 OK\r\n\r\n${rows}`],
    "of identity coding without a length": [`${head}content-encoding: identity\r\n\r\n${rows}`]
  })) {
    it.live(`${name} may be cut off, and is refused`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(exchangeOf(bytes))
        assert.strictEqual(error._tag, "UpstreamUnreachable")
        assert.match(error.detail, /the answer was cut off, or 127\.0\.0\.1:\d+ states no length/)
      })
    )
  }

  for (const [name, bytes, says] of [
    [
      "before its length",
      [`${head}content-length: 40\r\n\r\n${rows}`],
      /closed the connection before its answer|different number/
    ],
    [
      "before its last chunk",
      [`${head}transfer-encoding: chunked\r\n\r\n5\r\nabcde\r\n`],
      /closed the connection before its answer/
    ],
    [
      "within its coding",
      [`${head}content-encoding: gzip\r\n\r\n`, gzipSync(rows).subarray(0, -4)],
      /ends too early/
    ]
  ] as const) {
    it.live(`${name} is refused`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(exchangeOf(bytes, { limits: { retries: 0 } }))
        assert.match(error.detail, says)
      })
    )
  }

  for (const [name, bytes] of [
    ["after its length", [`${head}content-length: ${rows.length}\r\n\r\n${rows}`]],
    [
      "after its last chunk",
      [`${head}transfer-encoding: chunked\r\n\r\n${rows.length.toString(16)}\r\n${rows}\r\n0\r\n\r\n`]
    ],
    ["after its coding's end", [`${head}content-encoding: gzip\r\n\r\n`, gzipSync(rows)]]
  ] as const) {
    it.live(`${name} is whole`, () =>
      Effect.gen(function* () {
        assert.strictEqual(new TextDecoder().decode((yield* exchangeOf(bytes)).body), rows)
      })
    )
  }

  it.live("may end so where the manifest says why that is noticed", () =>
    Effect.gen(function* () {
      const endsByClose = { "api.sample.test": "its last line is END" }
      const { body } = yield* exchangeOf([`${head}\r\n${rows}END\n`], { manifest: { endsByClose } })
      assert.strictEqual(new TextDecoder().decode(body), `${rows}END\n`)
    })
  )

  it.live("is a refusal by its status whatever its end", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* exchangeOf(["HTTP/1.0 404 Not Found\r\n\r\nno such list"])).status, 404)
    })
  )
})
