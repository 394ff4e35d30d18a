/** Genuine sessions with genuine servers: what a notary finds in the tape is what the client read. */
import {
  brotliCompressSync,
  brotliDecompressSync,
  gunzipSync,
  zstdCompressSync,
  zstdDecompressSync
} from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { NotarisedExchange } from "../../core/proof/notarisation.ts"
import { Refused } from "../../runtime/notary/Refused.ts"
import { openSession } from "../../runtime/notary/tls/session.ts"
import { upstreamHost } from "../support/notary/certificates.ts"
import { type Captured, capture, findingsOf, type Get, type Reply, sha256 } from "../support/notary/tap.ts"
import {
  nginx,
  nodeServer,
  nodesJson,
  rawServer,
  sServer,
  suites,
  writeServed
} from "../support/notary/upstreams.ts"
import { missing } from "../support/programs.ts"

const decoders = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync } as const

const contentOf = ({ body, headers }: Reply): Buffer => {
  const coding = String(headers["content-encoding"] ?? "")
  if (coding === "gzip" || coding === "br" || coding === "zstd") return decoders[coding](body)
  return body
}

type CapturedReplies = Captured & { readonly replies: ReadonlyArray<Reply | undefined> }

/** The exchanges that were found, each of which has to be what the client read. */
const agreed = (
  captured: CapturedReplies,
  gets: ReadonlyArray<Get | string>
): ReadonlyArray<NotarisedExchange> => {
  const { exchanges } = findingsOf(captured)
  assert.strictEqual(exchanges.length, gets.length)
  for (const [n, { request, response }] of exchanges.entries()) {
    const one = gets[n]
    const reply = captured.replies[n]
    assert.isDefined(reply)
    if (reply === undefined || one === undefined) continue
    assert.strictEqual(response.status, reply.status)
    assert.strictEqual(response.sha256, sha256(contentOf(reply)))
    assert.strictEqual(request?.target, typeof one === "string" ? one : one.path)
  }
  return exchanges
}

const refusal = (captured: Captured): string => {
  try {
    findingsOf(captured)
  } catch (error) {
    if (error instanceof Refused) return error.message
    throw error
  }
  return assert.fail("it was stated")
}

describe.skipIf(missing("openssl", "nginx"))("a session with a genuine server", () => {
  it.live("of nginx: four kinds of certificate, three suites, gzip and plain", () =>
    Effect.gen(function* () {
      const kinds = ["p256", "p384", "rsa", "ed25519"] as const
      const servers = kinds.flatMap((kind) => suites.map((suite) => ({ kind, suite })))
      const ports = yield* nginx(servers)
      const gets = [
        { path: "/nodes.json", options: { headers: { "accept-encoding": "gzip" } } },
        "/nodes.json",
        "/echo?a=1"
      ]
      const signatures = new Set<string>()
      for (const [n, { suite }] of servers.entries()) {
        const captured = yield* capture(ports[n] ?? 0, gets)
        const [zipped, plain] = agreed(captured, gets)
        const { cipher, signature } = findingsOf(captured)
        assert.strictEqual(cipher, suite)
        assert.strictEqual(zipped?.response.sha256, sha256(nodesJson))
        assert.isBelow(zipped?.response.encoded_size ?? 0, plain?.response.size ?? 0)
        signatures.add(signature)
      }
      assert.deepStrictEqual([...signatures].sort(), [
        "ecdsa_secp256r1_sha256",
        "ecdsa_secp384r1_sha384",
        "ed25519",
        "rsa_pss_rsae_sha256"
      ])
    })
  )

  it.live("of Node: codings, chunks, trailers, interim and empty answers, HEAD and POST in one session", () =>
    Effect.gen(function* () {
      const text = JSON.stringify({ pad: "y".repeat(30_000) })
      const port = yield* nodeServer((request, answer) => {
        const { method, url } = request
        if (url === "/br")
          return answer.writeHead(200, { "content-encoding": "br" }).end(brotliCompressSync(text))
        if (url === "/zstd")
          return answer.writeHead(200, { "content-encoding": "zstd" }).end(zstdCompressSync(text))
        if (url === "/chunks") {
          for (let n = 0; n < 50; n++) answer.write(`${n};`)
          return answer.end()
        }
        if (url === "/early") {
          answer.writeEarlyHints({ link: "</x>; rel=preload" })
          return answer.end("late")
        }
        if (url === "/none") return answer.writeHead(204).end()
        if (url === "/trailers") {
          answer.writeHead(200, { trailer: "x-sum" })
          answer.write("body")
          answer.addTrailers({ "x-sum": "1" })
          return answer.end()
        }
        if (url === "/etag" && request.headers["if-none-match"] === '"v1"')
          return answer.writeHead(304, { etag: '"v1"' }).end()
        if (url === "/etag") return answer.writeHead(200, { etag: '"v1"' }).end(text)
        if (method === "POST") return request.pipe(answer)
        return answer.end("")
      })
      const posted = '{"method":"q"}'
      const gets = [
        ...["/br", "/zstd", "/chunks", "/early", "/none", "/trailers"],
        { path: "/post", options: { method: "POST" as const, body: posted } },
        "/etag",
        { path: "/etag", options: { headers: { "if-none-match": '"v1"' } } },
        "/empty",
        { path: "/head", options: { method: "HEAD" as const } }
      ]
      const captured = yield* capture(port, gets)
      const exchanges = agreed(captured, gets)
      assert.strictEqual(findingsOf(captured).cut, false)
      assert.deepStrictEqual(
        exchanges.map(({ response }) => response.whole),
        [
          "chunked",
          "chunked",
          "chunked",
          "length",
          "none",
          "chunked",
          "chunked",
          "chunked",
          "none",
          "length",
          "none"
        ]
      )
      assert.strictEqual(exchanges[6]?.request?.body_sha256, sha256(posted))
      assert.strictEqual(exchanges[0]?.request?.body_sha256, undefined)
      assert.deepStrictEqual(
        [exchanges[7]?.response.etag, exchanges[8]?.request?.if_none_match, exchanges[8]?.response.status],
        ['"v1"', '"v1"', 304]
      )
    })
  )

  it.live(
    "of OpenSSL: a retried handshake, padding, small fragments, tickets or none, a certificate request",
    () =>
      Effect.gen(function* () {
        writeServed("r", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        for (const [options, isRetried] of [
          [["-groups", "P-384"], true],
          [["-record_padding", "512"], false],
          [["-max_send_frag", "512"], false],
          [["-num_tickets", "0"], false],
          [["-num_tickets", "10"], false],
          [["-verify", "1"], false],
          [["-no_middlebox"], false]
        ] as const) {
          const { port } = yield* sServer("p384", "-HTTP", ...options)
          const captured = yield* capture(port, ["/r"])
          agreed(captured, ["/r"])
          assert.strictEqual(
            openSession(captured.tape, captured.secrets).retried,
            isRetried,
            options.join(" ")
          )
        }
      })
  )

  it.live("of OpenSSL: keys that the host changes within a body", () =>
    Effect.gen(function* () {
      const server = yield* sServer("p384")
      let gets = 0
      const pause = () => new Promise((resolve) => setTimeout(resolve, 150))
      server.onHeard((text) => {
        void (async () => {
          for (const _ of text.matchAll(/GET \//g)) {
            gets++
            server.say("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nfirst half")
            await pause()
            // The server reads these letters, alone in a read, as commands: update its keys, or both sides' keys.
            server.say(gets === 1 ? "K\n" : "k\n")
            await pause()
            server.say("other half")
          }
        })()
      })
      const paths = ["/1", "/2", "/3"]
      const captured = yield* capture(server.port, paths)
      agreed(captured, paths)
      const { fromHost, toHost } = openSession(captured.tape, captured.secrets)
      assert.deepStrictEqual([fromHost.updates, toHost?.updates], [3, 1])
    })
  )
})

describe.skipIf(missing("openssl"))("an answer that ends with its session", () => {
  it.live("is whole after close_notify, and none without it", () =>
    Effect.gen(function* () {
      const whole = yield* capture(
        yield* rawServer((socket) => socket.end("HTTP/1.1 200 OK\r\n\r\nall of it")),
        ["/"]
      )
      assert.deepStrictEqual(
        findingsOf(whole).exchanges.map(({ response }) => [response.whole, response.sha256]),
        [["close_notify", sha256("all of it")]]
      )
      const cut = yield* capture(
        yield* rawServer((socket) => {
          socket.write("HTTP/1.1 200 OK\r\n\r\nhalf of", () => setTimeout(() => socket.destroy(), 30))
        }),
        ["/"]
      )
      assert.strictEqual(refusal(cut), "no whole answer")
    })
  )

  it.live("is none where it was cut; whole ones before it are stated, and the session is called cut", () =>
    Effect.gen(function* () {
      for (const text of [
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nhalf",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
        "HTTP/1.1 200"
      ]) {
        const captured = yield* capture(yield* rawServer((socket) => socket.end(text)), ["/"])
        assert.strictEqual(refusal(captured), "no whole answer", text)
        assert.isUndefined(captured.replies[0])
      }
      let n = 0
      const port = yield* nodeServer((_request, answer) => {
        if (n++ === 0) return void answer.end("whole")
        answer.writeHead(200, { "content-length": 100 })
        answer.write("a part", () => setTimeout(() => answer.destroy(), 20))
      })
      const captured = yield* capture(port, ["/a", "/b"])
      const { cut, exchanges } = findingsOf(captured)
      assert.deepStrictEqual([cut, exchanges.map(({ request }) => request?.target)], [true, ["/a"]])
    })
  )
})

describe.skipIf(missing("openssl"))("hidden requests", () => {
  const key = "sesame-0123456789"

  it.live("leave answer and host stated, and the request neither stated nor readable", () =>
    Effect.gen(function* () {
      const port = yield* nodeServer((request, answer) =>
        answer.end(request.headers["x-key"] === key ? '{"v":1}' : "no")
      )
      const captured = yield* capture(port, [
        { path: `/k?api_key=${key}`, options: { headers: { "x-key": key } } }
      ])
      const { CLIENT_TRAFFIC_SECRET_0: _, ...secrets } = captured.secrets
      const findings = findingsOf({ ...captured, secrets })
      assert.strictEqual(findings.exchanges[0]?.response.sha256, sha256('{"v":1}'))
      assert.isUndefined(findings.exchanges[0]?.request)
      assert.strictEqual(findings.host, upstreamHost)
      assert.notInclude(JSON.stringify(findings), "sesame")
      const two = yield* capture(port, ["/1", "/2"])
      const { CLIENT_TRAFFIC_SECRET_0: __, ...hidden } = two.secrets
      assert.strictEqual(refusal({ ...two, secrets: hidden }), "more than one answer to hidden requests")
    })
  )
})
