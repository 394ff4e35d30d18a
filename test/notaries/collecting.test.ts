/** A collector's run through its notary: the same answers, statements that fit, and what happens where the notary does not answer. */
import { type AddressInfo, createServer, type Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { parseVkey } from "../../core/proof/checkpoint.ts"
import { noteHash, parseNotarisation, readNotarisation } from "../../core/proof/notarisation.ts"
import type { NotaryText } from "../../runtime/notaries/drawing.ts"
import { longestWait } from "../../runtime/notaries/Waits.ts"
import { freePort } from "../support/freePort.ts"
import { authority, upstreamHost } from "../support/notary/certificates.ts"
import { sha256 } from "../support/notary/tap.ts"
import { nodeServer } from "../support/notary/upstreams.ts"
import { collecting, runNotary } from "../support/notary/world.ts"
import { missing } from "../support/programs.ts"

const key = "sesame-0123456789"

/** What the upstream was asked, in order. */
const recordingServer = (targets: Array<string>) =>
  nodeServer((request, answer) => {
    targets.push(request.url ?? "")
    answer.end(JSON.stringify({ targets: request.url }))
  })

describe.skipIf(missing("openssl"))("a run through a notary", () => {
  it.live("reads the same and gets one statement for one connection, which names each exchange", () =>
    Effect.gen(function* () {
      const targets: Array<string> = []
      const port = yield* recordingServer(targets)
      const upstreams = { [upstreamHost]: port }
      const notary = yield* runNotary(upstreams)
      const { begin } = yield* collecting([notary.text], upstreams)
      const run = yield* begin()
      assert.strictEqual(run.lot.notary, notary.vkey)
      assert.strictEqual(run.via(upstreamHost), "notary.test/n1")
      for (const path of ["/a", "/b", "/c"]) yield* run.get(path)
      const actual = yield* run.notes
      assert.deepStrictEqual(targets, ["/a", "/b", "/c"])
      assert.lengthOf(actual?.notes ?? [], 1)
      const [note = ""] = actual?.notes ?? []
      const signed = readNotarisation(note, [parseVkey(notary.vkey)])
      assert.deepStrictEqual(
        signed?.statement.exchanges.map(({ request, response }) => [request?.target, response.sha256]),
        ["/a", "/b", "/c"].map((path) => [path, sha256(JSON.stringify({ targets: path }))])
      )
      assert.deepStrictEqual(
        actual?.exchanges,
        [0, 1, 2].map((n) => ({ n, notes: [noteHash(note)] }))
      )
    })
  )

  it.live("follows redirects over hosts, each hop with a statement of its own", () =>
    Effect.gen(function* () {
      const first = yield* nodeServer((_request, answer) =>
        answer.writeHead(302, { location: "https://other.test/x" }).end("moved")
      )
      const other = yield* nodeServer(
        (_request, answer) => answer.end("there"),
        authority().issue("other", { host: "other.test" })
      )
      const upstreams = { [upstreamHost]: first, "other.test": other }
      const notary = yield* runNotary(upstreams)
      const { begin } = yield* collecting([notary.text], upstreams)
      const run = yield* begin()
      yield* run.get("/r")
      const actual = yield* run.notes
      const hosts = new Map(
        (actual?.notes ?? []).map((note) => [noteHash(note), parseNotarisation(note).host])
      )
      assert.deepStrictEqual(
        actual?.exchanges[0]?.notes.map((hash) => hosts.get(hash)),
        [upstreamHost, "other.test"]
      )
    })
  )

  it.live("names the earlier statement too where the host confirms an earlier answer", () =>
    Effect.gen(function* () {
      const port = yield* nodeServer((request, answer) =>
        request.headers["if-none-match"] === '"v1"'
          ? answer.writeHead(304, { etag: '"v1"' }).end()
          : answer.writeHead(200, { etag: '"v1"' }).end("text")
      )
      const upstreams = { [upstreamHost]: port }
      const notary = yield* runNotary(upstreams)
      const { begin } = yield* collecting([notary.text], upstreams)
      const before = yield* begin()
      yield* before.get("/etag")
      const first = yield* before.notes
      const run = yield* begin()
      assert.isTrue((yield* run.get("/etag")).confirmed)
      const actual = yield* run.notes
      const [note = ""] = actual?.notes ?? []
      assert.deepStrictEqual(actual?.exchanges, [
        { n: 0, notes: [noteHash(note), ...(first?.exchanges[0]?.notes ?? [])] }
      ])
    })
  )

  it.live("never shows the secret of requests with a key, and nothing where an answer repeats it", () =>
    Effect.gen(function* () {
      const certificate = authority().issue("keyed", { host: "keyed.test" })
      const port = yield* nodeServer((request, answer) => {
        if (request.url?.startsWith("/echo") === true) return answer.end(request.url)
        if (request.url?.startsWith("/header") === true)
          return answer.writeHead(200, { "x-asked": request.url }).end("{}")
        return answer.end(request.url?.includes(key) === true ? '{"v":1}' : "no")
      }, certificate)
      const upstreams = { "keyed.test": port }
      const notary = yield* runNotary(upstreams)
      // Everything that the notary hears passes through here.
      let overheard = ""
      const spy = yield* Effect.acquireRelease(
        Effect.promise(async () => {
          const server = createServer((client) => {
            const [host = "", port] = notary.authority.split(":")
            const to = new (client.constructor as typeof Socket)().connect(Number(port), host)
            client.on("data", (bytes) => {
              overheard += bytes.toString("latin1")
            })
            client.pipe(to).pipe(client)
            for (const socket of [client, to]) socket.on("error", () => socket.destroy())
          })
          await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
          return server
        }),
        (server) => Effect.sync(() => server.close())
      )
      const text: NotaryText = {
        vkey: notary.vkey,
        address: `http://${notary.token}@127.0.0.1:${(spy.address() as AddressInfo).port}`
      }
      const { begin } = yield* collecting([text], upstreams, {
        manifest: {
          auth: { "keyed.test": { as: { query: "api_key" }, setting: "SAMPLE_KEY", optional: false } }
        },
        keys: { SAMPLE_KEY: Redacted.make(key) }
      })
      const run = yield* begin()
      for (const path of ["/1", "/2"]) yield* run.get(path, "keyed.test")
      const actual = yield* run.notes
      assert.lengthOf(actual?.notes ?? [], 2)
      for (const note of actual?.notes ?? []) {
        const { exchanges } = parseNotarisation(note)
        assert.deepStrictEqual([exchanges.length, exchanges[0]?.request], [1, undefined])
        assert.strictEqual(exchanges[0]?.response.sha256, sha256('{"v":1}'))
      }
      assert.include(overheard, "SERVER_TRAFFIC_SECRET_0")
      assert.notInclude(overheard, "CLIENT_TRAFFIC_SECRET_0")
      assert.notInclude(overheard, key)
      for (const path of ["/echo", "/header"]) {
        overheard = ""
        const repeating = yield* begin()
        yield* repeating.get(path, "keyed.test")
        assert.isUndefined(yield* repeating.notes)
        assert.notInclude(overheard, "TRAFFIC_SECRET", path)
      }
    })
  )

  it.live("is drawn by lot: each notary its share, the same run always the same one", () =>
    Effect.gen(function* () {
      const upstreams = { [upstreamHost]: 9 }
      const notaries = yield* Effect.forEach([1, 2, 3], (n) =>
        runNotary(upstreams, { name: `notary.test/n${n}` })
      )
      const { begin } = yield* collecting(
        notaries.map(({ text }) => text),
        upstreams
      )
      const counts = new Map<string, number>()
      for (let n = 0; n < 150; n++) {
        const { lot } = yield* begin()
        counts.set(lot.notary, (counts.get(lot.notary) ?? 0) + 1)
      }
      assert.strictEqual(counts.size, 3)
      for (const count of counts.values()) assert.isAbove(count, 25)
      const again = yield* collecting(
        [...notaries].reverse().map(({ text }) => text),
        upstreams
      )
      const other = yield* collecting(
        notaries.map(({ text }) => text),
        upstreams
      )
      for (let n = 0; n < 10; n++)
        assert.strictEqual((yield* again.begin()).lot.notary, (yield* other.begin()).lot.notary)
    })
  )
})

/** A server on TCP that plays a notary badly; its port. */
const impostor = (talk: (socket: Socket) => void) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const sockets = new Set<Socket>()
      const server = createServer((socket) => {
        sockets.add(socket)
        socket.on("error", () => {})
        talk(socket)
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      return { server, sockets }
    }),
    ({ server, sockets }) =>
      Effect.sync(() => {
        for (const socket of sockets) socket.destroy()
        server.close()
      })
  ).pipe(Effect.map(({ server }) => (server.address() as AddressInfo).port))

const accepted = `HTTP/1.1 200 Connected\r\nPlumbline-Session: ${"a".repeat(32)}\r\n\r\n`

const unfit: Readonly<Record<string, Parameters<typeof impostor>[0] | "down">> = {
  "is down": "down",
  "accepts and says nothing": () => {},
  "hangs up": (socket) => socket.destroy(),
  "speaks garbage": (socket) => socket.end("SSH-2.0-x\r\n\r\n"),
  "never stops to speak": (socket) => socket.write("x".repeat(9000)),
  "is full": (socket) => socket.end("HTTP/1.1 503 Too many\r\n\r\n"),
  "says 200 and then nothing": (socket) => socket.once("data", () => socket.write(accepted)),
  "says 200 and then no TLS": (socket) =>
    socket.once("data", () => socket.write(`${accepted}hello, this is no TLS`))
}

const notaryAt = (port: number, vkey: string): NotaryText => ({
  vkey,
  address: `http://token@127.0.0.1:${port}`
})

describe.skipIf(missing("openssl"))("where a notary does not carry", () => {
  for (const [name, talk] of Object.entries(unfit)) {
    it.live(
      `since it ${name}, the run goes direct, with one request, and has lost half a second at most`,
      () =>
        Effect.gen(function* () {
          const targets: Array<string> = []
          const port = yield* recordingServer(targets)
          const upstreams = { [upstreamHost]: port }
          const { vkey } = yield* runNotary(upstreams)
          const at = talk === "down" ? yield* Effect.promise(() => freePort()) : yield* impostor(talk)
          const { begin } = yield* collecting([notaryAt(at, vkey)], upstreams, { asTheService: true })
          const run = yield* begin()
          for (const path of ["/one", "/two"]) assert.strictEqual((yield* run.get(path)).status, 200)
          assert.deepStrictEqual(targets, ["/one", "/two"])
          // From then on the host sees our own address, in this run and, while the notary rests, in the next.
          assert.isUndefined(run.via(upstreamHost))
          assert.isUndefined(yield* run.notes)
          const next = yield* begin()
          assert.isUndefined(next.via(upstreamHost))
        })
    )
  }

  it("a run waits for it no longer than the stated time", () => {
    assert.strictEqual(longestWait, 500)
  })

  it.live("to a host of TLS 1.2, the run goes direct, once, and the notary carries to others", () =>
    Effect.gen(function* () {
      const targets: Array<string> = []
      const old = yield* nodeServer(
        (request, answer) => {
          targets.push(request.url ?? "")
          answer.end("x")
        },
        authority().of("p256"),
        { minVersion: "TLSv1.2", maxVersion: "TLSv1.2" }
      )
      const other = yield* nodeServer(
        (_request, answer) => answer.end("there"),
        authority().issue("beside", { host: "other.test" })
      )
      const upstreams = { [upstreamHost]: old, "other.test": other }
      const notary = yield* runNotary(upstreams)
      const { begin } = yield* collecting([notary.text], upstreams)
      const run = yield* begin()
      yield* run.get("/old")
      yield* run.get("/x", "other.test")
      assert.deepStrictEqual(targets, ["/old"])
      assert.deepStrictEqual(
        (yield* run.notes)?.exchanges.map(({ n }) => n),
        [1]
      )
    })
  )

  it.live("to the right host, TLS refuses before a request leaves", () =>
    Effect.gen(function* () {
      const targets: Array<string> = []
      const port = yield* recordingServer(targets)
      const evil = yield* nodeServer(
        (request, answer) => {
          targets.push(`EVIL ${request.url}`)
          answer.end("evil")
        },
        authority().issue("evil", { host: "evil.test" })
      )
      const notary = yield* runNotary({ [upstreamHost]: evil })
      const { begin } = yield* collecting([notary.text], { [upstreamHost]: port })
      const run = yield* begin()
      assert.strictEqual((yield* run.get("/ok")).status, 200)
      assert.deepStrictEqual(targets, ["/ok"])
    })
  )

  it.live("any further, the tunnel's end is an ordinary failure and never a silent second request", () =>
    Effect.gen(function* () {
      const targets: Array<string> = []
      const port = yield* nodeServer((request, answer) => {
        targets.push(request.url ?? "")
        answer.writeHead(200, { "content-length": 100 })
        answer.write("a")
      })
      const upstreams = { [upstreamHost]: port }
      const notary = yield* runNotary(upstreams, { limits: { life: "200 millis" } })
      const { begin } = yield* collecting([notary.text], upstreams)
      const run = yield* begin()
      const error = yield* Effect.flip(run.get("/die"))
      assert.strictEqual(error._tag, "UpstreamUnreachable")
      assert.deepStrictEqual(targets, ["/die"])
    })
  )

  it.live("and shows a statement of another key, or of another host, nothing is taken", () =>
    Effect.gen(function* () {
      const port = yield* nodeServer((_request, answer) => answer.end("x"))
      const upstreams = { [upstreamHost]: port }
      const notary = yield* runNotary(upstreams)
      const other = yield* runNotary(upstreams)
      const { begin } = yield* collecting([{ ...notary.text, vkey: other.vkey }], upstreams)
      const run = yield* begin()
      yield* run.get("/x")
      assert.isUndefined(yield* run.notes)
    })
  )
})
