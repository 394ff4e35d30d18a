/** What a collector might disclose that no host has sent: each is refused, or leaves the statement as it was. */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Refused } from "../../runtime/notary/Refused.ts"
import { recordsOf } from "../../runtime/notary/tls/records.ts"
import { openSession, type Secrets } from "../../runtime/notary/tls/session.ts"
import { expandLabel, suiteOf } from "../../runtime/notary/tls/suites.ts"
import { authority, upstreamHost } from "../support/notary/certificates.ts"
import {
  type Captured,
  capture,
  doctored,
  findingsOf,
  playing,
  type RawRecord,
  sha256
} from "../support/notary/tap.ts"
import { nodeServer, rawServer } from "../support/notary/upstreams.ts"
import { missing } from "../support/programs.ts"

const body = JSON.stringify({ v: 42, pad: "x".repeat(40_000) })

/** The hash of the answer's body, or why there is no statement. Anything but `Refused` fails the test. */
const outcome = (captured: Captured): string => {
  try {
    return findingsOf(captured).exchanges[0]?.response.sha256 ?? "nothing"
  } catch (error) {
    if (error instanceof Refused) return error.message
    throw error
  }
}

const genuine = Effect.gen(function* () {
  const port = yield* nodeServer((_request, answer) => answer.end(body))
  const real = yield* capture(port, ["/"])
  assert.strictEqual(outcome(real), sha256(body))
  return { port, real }
})

const flipped = (record: RawRecord, at: number): RawRecord => {
  const bytes = Buffer.from(record.bytes)
  const place = at < 0 ? bytes.length + at : at
  bytes[place] = (bytes[place] ?? 0) ^ 1
  return { ...record, bytes }
}

const labels = [
  "SERVER_HANDSHAKE_TRAFFIC_SECRET",
  "SERVER_TRAFFIC_SECRET_0",
  "CLIENT_HANDSHAKE_TRAFFIC_SECRET",
  "CLIENT_TRAFFIC_SECRET_0"
] as const

describe.skipIf(missing("openssl"))("a notary", () => {
  it.live("refuses secrets of another session, in another place, missing or made up", () =>
    Effect.gen(function* () {
      const { port, real } = yield* genuine
      const other = yield* capture(port, ["/"])
      const refused = (secrets: Secrets, why = /does not open/) =>
        assert.match(outcome({ ...real, secrets }), why)
      refused(other.secrets)
      for (const label of labels) refused({ ...real.secrets, [label]: other.secrets[label] })
      refused({
        ...real.secrets,
        SERVER_TRAFFIC_SECRET_0: real.secrets.CLIENT_TRAFFIC_SECRET_0 ?? Buffer.of()
      })
      for (const length of [0, 16, 32, 48])
        for (const bytes of [Buffer.alloc(length), randomBytes(length)])
          refused({ ...real.secrets, SERVER_TRAFFIC_SECRET_0: bytes }, /missing|does not open/)
      for (const label of labels.slice(0, 3)) {
        const { [label]: _, ...rest } = real.secrets
        refused(rest, /missing/)
      }
      refused({}, /missing/)
    })
  )

  it.live("states nothing else after one flipped bit in any record of either direction", () =>
    Effect.gen(function* () {
      const { real } = yield* genuine
      const { cut: _, ...truth } = findingsOf(real)
      let refused = 0
      let tried = 0
      for (const way of ["fromHost", "toHost"] as const) {
        const count = recordsOf(real.tape[way]).length
        for (let n = 0; n < count; n++)
          for (const at of [0, 1, 4, 5, 6, 40, -17, -1]) {
            const forged = doctored(real, way, (records) =>
              records.map((record, k) => (k === n && at < record.bytes.length ? flipped(record, at) : record))
            )
            tried++
            try {
              const { cut: __, ...findings } = findingsOf(forged)
              assert.deepStrictEqual(findings, truth, `${way}, record ${n}, byte ${at}`)
            } catch (error) {
              assert.instanceOf(error, Refused)
              refused++
            }
          }
      }
      assert.isAbove(refused / tried, 0.85)
    })
  )

  it.live("states no other body where records are dropped, swapped, repeated or cut off", () =>
    Effect.gen(function* () {
      const { real } = yield* genuine
      const count = recordsOf(real.tape.fromHost).length
      const allowed = new Set([sha256(body)])
      const check = (captured: Captured) => {
        try {
          const [exchange] = findingsOf(captured).exchanges
          assert.isTrue(allowed.has(exchange?.response.sha256 ?? ""))
        } catch (error) {
          assert.instanceOf(error, Refused)
        }
      }
      for (let n = 0; n < count; n++)
        for (const change of [
          (all: ReadonlyArray<RawRecord>) => all.filter((_, k) => k !== n),
          (all: ReadonlyArray<RawRecord>) => [
            ...all.slice(0, n),
            ...all.slice(n, n + 2).reverse(),
            ...all.slice(n + 2)
          ],
          (all: ReadonlyArray<RawRecord>) => [...all.slice(0, n + 1), ...all.slice(n)],
          (all: ReadonlyArray<RawRecord>) => all.slice(0, n)
        ])
          check(doctored(real, "fromHost", change))
      const bytes = Buffer.concat(real.tape.fromHost.map((chunk) => chunk.bytes))
      for (let k = 0; k < 200; k++) {
        const cut = bytes.subarray(0, Math.floor((bytes.length * k) / 200))
        check({ ...real, tape: { ...real.tape, fromHost: [{ n: 1e6, at: real.tape.opened, bytes: cut }] } })
      }
    })
  )

  it.live(
    "refuses another name in the ClientHello or the Host header; a hidden Host header it does not see",
    () =>
      Effect.gen(function* () {
        const both = authority().issue("both", {
          extensions: `subjectAltName=DNS:${upstreamHost},DNS:b.upstream.test\n`
        })
        const port = yield* nodeServer((request, answer) => answer.end(request.headers.host), both)
        const named = yield* capture(port, ["/"], { tls: { servername: "b.upstream.test" } })
        assert.match(outcome(named), /another name than CONNECT/)
        const { real } = yield* genuine
        assert.match(
          outcome({ ...real, tape: { ...real.tape, host: "b.upstream.test" } }),
          /another name than CONNECT/
        )
        const fronted = yield* capture(port, [
          { path: "/", options: { headers: { host: "b.upstream.test" } } }
        ])
        assert.match(outcome(fronted), /Host header/)
        const { CLIENT_TRAFFIC_SECRET_0: _, ...secrets } = fronted.secrets
        // Why a statement with hidden requests says `host`, and no more.
        assert.strictEqual(outcome({ ...fronted, secrets }), sha256("b.upstream.test"))
      })
  )

  it.live("refuses TLS 1.2, and a body that grows beyond its bound", () =>
    Effect.gen(function* () {
      const options = { minVersion: "TLSv1.2", maxVersion: "TLSv1.2" } as const
      const old = yield* nodeServer((_request, answer) => answer.end("x"), authority().of("p256"), options)
      assert.match(outcome(yield* capture(old, ["/"], { tls: { minVersion: "TLSv1.2" } })), /not TLS 1.3/)
      const bomb = yield* nodeServer((_request, answer) =>
        answer.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(64 << 20)))
      )
      assert.match(outcome(yield* capture(bomb, ["/"])), /does not decode/)
    })
  )
})

const ask = (path: string, more = ""): string =>
  `GET ${path} HTTP/1.1\r\nHost: ${upstreamHost}\r\n${more}\r\n`
const say = (text: string): string => `HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}`

/** A client that writes this, to a server that answers its first bytes with that. */
const talk = Effect.fnUntraced(function* (request: string, answer: string, isEarly = false) {
  const port = yield* rawServer((socket) => socket.write(answer), isEarly)
  return yield* playing(port, async (socket) => {
    if (isEarly) await new Promise((resolve) => socket.once("data", resolve))
    const answered = isEarly ? undefined : new Promise((resolve) => socket.once("data", resolve))
    socket.write(request)
    await answered
  })
})

describe.skipIf(missing("openssl"))("requests and answers that could be paired in two ways", () => {
  const post = (lines: string, rest: string) =>
    `POST /a HTTP/1.1\r\nHost: ${upstreamHost}\r\n${lines}\r\n${rest}`
  for (const [name, request, answer, why, isEarly] of [
    ["pipelined requests", ask("/a") + ask("/b"), say("A") + say("B"), /before the answer/],
    ["an answer before its request", ask("/a"), say("early"), /before its request/, true],
    [
      "a request within a chunked one",
      post("Transfer-Encoding: chunked\r\nContent-Length: 4\r\n", "0\r\n\r\nGET /hidden HTTP/1.1\r\n\r\n"),
      say("A"),
      /transfer-encoding/
    ],
    ["a GET with a body", `${ask("/a", "Content-Length: 5\r\n")}12345`, say("A"), /with a body/],
    ["an answer too many", ask("/a"), say("A") + say("B"), /without a request/],
    [
      "a request within a header",
      `GET /a HTTP/1.1\r\nHost: ${upstreamHost}\r\nX: a\nGET /hidden HTTP/1.1\r\n\r\n`,
      say("A"),
      /malformed header/
    ],
    [
      "two lengths of a request",
      post("Content-Length: 0\r\nContent-Length: 3\r\n", ""),
      say("A"),
      /content-length twice/
    ],
    ["a POST without a length", post("", ""), say("A"), /without Content-Length/],
    [
      "an absolute target",
      ask(`https://${upstreamHost}/a`).replace("GET /", "GET "),
      say("A"),
      /unusual request line/
    ],
    [
      "length and chunks of an answer",
      ask("/"),
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      /ambiguous/
    ],
    [
      "two lengths of an answer",
      ask("/"),
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
      /twice/
    ],
    ["bare line feeds", ask("/"), "HTTP/1.1 200 OK\nContent-Length: 1\n\na\r\n\r\n", /unusual status/],
    ["an upgrade", ask("/"), "HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n", /upgrade/],
    [
      "a coding under chunks",
      ask("/"),
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
      /ambiguous/
    ]
  ] as const) {
    it.live(`are refused: ${name}`, () =>
      Effect.gen(function* () {
        assert.match(outcome(yield* talk(request, answer, isEarly)), why)
      })
    )
  }

  it.live("are refused: a hidden HEAD whose body is the answer to a hidden GET", () =>
    Effect.gen(function* () {
      const inner = say('{"price":1}')
      const trick = yield* talk(
        `HEAD / HTTP/1.1\r\nHost: ${upstreamHost}\r\n\r\n${ask("/b")}`,
        `HTTP/1.1 200 OK\r\nContent-Length: ${inner.length}\r\n\r\n${inner}`
      )
      const { CLIENT_TRAFFIC_SECRET_0: _, ...secrets } = trick.secrets
      assert.match(outcome({ ...trick, secrets }), /answer within an answer/)
      assert.match(outcome(trick), /before the answer/)
    })
  )

  it.live("are refused whatever is mutated: never another body, never another error", () =>
    Effect.gen(function* () {
      const text = JSON.stringify({ v: 1, pad: "q".repeat(2000) })
      const port = yield* nodeServer((_request, answer) => answer.end(text))
      const real = yield* capture(port, ["/a", "/b"])
      const truth = findingsOf(real).exchanges.map(({ request, response }) => [
        request?.target,
        response.sha256
      ])
      let seed = 7
      const random = (below: number): number => {
        seed = (Math.imul(seed, 1103515245) + 12345) >>> 0
        return Math.floor((seed / 2 ** 32) * below)
      }
      for (let k = 0; k < 400; k++) {
        const way = random(3) > 0 ? "fromHost" : "toHost"
        const whole = Buffer.concat(real.tape[way].map((chunk) => chunk.bytes))
        const at = random(whole.length)
        const changed =
          [
            () => Buffer.concat([whole.subarray(0, at), Buffer.of(random(256)), whole.subarray(at + 1)]),
            () => whole.subarray(0, at),
            () => Buffer.concat([whole.subarray(0, at), whole.subarray(at + 1 + random(40))]),
            () =>
              Buffer.concat([whole.subarray(0, at), whole.subarray(random(at + 1), at), whole.subarray(at)])
          ][random(4)]?.() ?? whole
        let from = 0
        // Arrivals keep their order, as they were cut.
        const chunks = real.tape[way].map((chunk, n) => {
          const end = n === real.tape[way].length - 1 ? changed.length : from + chunk.bytes.length
          const bytes = changed.subarray(from, end)
          from = Math.min(changed.length, end)
          return { ...chunk, bytes }
        })
        try {
          const { exchanges } = findingsOf({
            ...real,
            tape: { ...real.tape, [way]: chunks.filter(({ bytes }) => bytes.length > 0) }
          })
          for (const [n, { request, response }] of exchanges.entries())
            assert.deepStrictEqual([request?.target, response.sha256], truth[n])
        } catch (error) {
          assert.instanceOf(error, Refused)
        }
      }
    })
  )
})

/** The plaintext with another Finished, where it has one; as it was where not, or where it cannot be told. */
const alteredFinished = (plain: Buffer): Buffer => {
  const isFinished = plain[0] === 20 && plain.readUIntBE(1, 3) === 48
  if (isFinished) plain[10] = (plain[10] ?? 0) ^ 1
  return plain
}

/** The same record with a change of what is in it, sealed again by somebody who has the secret. */
const resealed = (
  record: RawRecord,
  secret: Uint8Array,
  n: number,
  change: (plain: Buffer) => Buffer
): RawRecord => {
  const suite = suiteOf(0x1302)
  const nonce = Buffer.from(expandLabel(suite, secret, "iv", 12))
  nonce.writeUInt32BE((nonce.readUInt32BE(8) ^ n) >>> 0, 8)
  const key = expandLabel(suite, secret, "key", suite.keyLength)
  const [header, body] = [record.bytes.subarray(0, 5), record.bytes.subarray(5)]
  const opening = createDecipheriv("aes-256-gcm", key, nonce).setAAD(header).setAuthTag(body.subarray(-16))
  const plain = change(Buffer.concat([opening.update(body.subarray(0, -16)), opening.final()]))
  const sealing = createCipheriv("aes-256-gcm", key, nonce).setAAD(header)
  return {
    ...record,
    bytes: Buffer.concat([header, sealing.update(plain), sealing.final(), sealing.getAuthTag()])
  }
}

describe.skipIf(missing("openssl"))("the host's key", () => {
  it.live("has to have finished the handshake: its Finished fits no other secret or transcript", () =>
    Effect.gen(function* () {
      const { port } = yield* genuine
      const real = yield* capture(port, ["/"], { tls: { ciphers: "TLS_AES_256_GCM_SHA384" } })
      const secret = real.secrets.SERVER_HANDSHAKE_TRAFFIC_SECRET ?? Buffer.of()
      const records = recordsOf(real.tape.fromHost)
      const first = records.findIndex(({ type }) => type === 23)
      const changed = Array.from({ length: 4 }, (_, n) =>
        outcome(
          doctored(real, "fromHost", (all) =>
            all.map((record, k) =>
              k === first + n ? resealed(record, secret, n, (plain) => alteredFinished(plain)) : record
            )
          )
        )
      )
      assert.include(changed, "Finished is not right")
      for (const says of changed) assert.include(["Finished is not right", sha256(body)], says)
    })
  )

  it.live("has to have signed this very handshake", () =>
    Effect.gen(function* () {
      const { port, real } = yield* genuine
      const other = yield* capture(port, ["/"])
      // The certificate and its signature are of another session with the same host: its Finished does not fit.
      const spliced: Captured = {
        secrets: real.secrets,
        tape: { ...real.tape, fromHost: other.tape.fromHost }
      }
      assert.match(outcome(spliced), /does not open/)
      assert.doesNotThrow(() => openSession(real.tape, real.secrets))
    })
  )
})
