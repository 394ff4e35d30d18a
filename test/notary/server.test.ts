/** The notary's server: whom it carries for and where to, what it states, and what its log says of every session. */
import { appendFileSync, readFileSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { fromUtf8, toHex } from "../../core/proof/bytes.ts"
import { parseCheckpointText, parseNote, parseVkey, verifyNote } from "../../core/proof/checkpoint.ts"
import { isIncluded } from "../../core/proof/inclusion.ts"
import { inclusionFrom } from "../../core/proof/merkle.ts"
import { noteHash, readNotarisation } from "../../core/proof/notarisation.ts"
import { NotarySessions, parseNotaryEntry } from "../../core/proof/notaryLog.ts"
import { parseEntryBundle, tileNodes, tilePath } from "../../core/proof/tiles.ts"
import { upstreamHost } from "../support/notary/certificates.ts"
import { nodeServer } from "../support/notary/upstreams.ts"
import {
  collecting,
  collectorName,
  entriesOf,
  notaryFolder,
  runNotary,
  serveNotary,
  type TestNotary
} from "../support/notary/world.ts"
import { missing } from "../support/programs.ts"
import { until } from "../support/until.ts"

/** The first line of what is answered to `CONNECT`, or how else the connection ends. */
const statusOf = ({ authority, token }: TestNotary, target: string, authorization = `Bearer ${token}`) =>
  Effect.promise(
    () =>
      new Promise<string>((resolve) => {
        const [host = "", port] = authority.split(":")
        const socket = connect(Number(port), host, () =>
          socket.write(
            `CONNECT ${target} HTTP/1.1\r\nHost: x\r\nProxy-Authorization: ${authorization}\r\n\r\n`
          )
        )
        socket.once("data", (bytes) => {
          resolve(bytes.toString().split("\r\n")[0] ?? "")
          socket.destroy()
        })
        socket.once("error", () => resolve("error"))
        socket.once("close", () => resolve("closed"))
      })
  )

const get = (notary: TestNotary, path: string, init: RequestInit = {}) =>
  Effect.promise(async () => {
    const answer = await fetch(`http://${notary.authority}${path}`, init)
    return { status: answer.status, body: new Uint8Array(await answer.arrayBuffer()) }
  })

/** Waits until a notary's log has so many entries, which are written a moment after what they tell. */
const hasEntries = (notary: TestNotary, count: number) => until(() => entriesOf(notary).length >= count)

const post = (notary: TestNotary, id: string, body: unknown) =>
  Effect.map(
    get(notary, `/v1/sessions/${id}`, { method: "POST", body: JSON.stringify(body) }),
    ({ body, status }) => ({ status, text: fromUtf8(body) })
  )

describe.skipIf(missing("openssl"))("a notary", () => {
  it.live("carries only for its collectors, and only to listed names at port 443", () =>
    Effect.gen(function* () {
      const dialled: Array<string> = []
      const port = yield* nodeServer((_request, answer) => answer.end("x"))
      const notary = yield* runNotary(
        { [upstreamHost]: port },
        {
          exceptions: {
            endpoint: (address) => {
              dialled.push(address)
              return { host: "127.0.0.1", port }
            }
          }
        }
      )
      for (const target of [
        "127.0.0.1:443",
        "[::1]:443",
        "169.254.169.254:443",
        "0x7f.1:443",
        "2130706433:443",
        "127.1:443",
        "localhost:443",
        `${upstreamHost}:22`,
        `${upstreamHost}:80`,
        `${upstreamHost}:8443`,
        `${upstreamHost}.:443`,
        `${upstreamHost}@evil.test:443`,
        "a b:443",
        `${upstreamHost.toUpperCase()}:443`,
        upstreamHost,
        "http://x.test/",
        `${"a".repeat(300)}.test:443`,
        "xn--.test%00:443",
        "elsewhere.test:443"
      ])
        assert.match(yield* statusOf(notary, target), / 4\d\d |closed|error/, target)
      for (const authorization of ["", "Bearer ", "Bearer wrong", `Basic ${notary.token}`, notary.token])
        assert.match(yield* statusOf(notary, `${upstreamHost}:443`, authorization), / 407 /, authorization)
      assert.deepStrictEqual(dialled, [])
      assert.match(yield* statusOf(notary, `${upstreamHost}:443`), / 200 /)
      assert.deepStrictEqual(dialled, ["93.184.216.1"])
    })
  )

  it.live("connects to no private address, and resolves a name once", () =>
    Effect.gen(function* () {
      const port = yield* nodeServer((_request, answer) => answer.end("x"))
      const lists = [
        ["127.0.0.1"],
        ["10.1.2.3"],
        ["169.254.169.254"],
        ["::1"],
        ["::ffff:127.0.0.1"],
        ["fd00::1"],
        ["64:ff9b::7f00:1"],
        ["93.184.215.14", "10.0.0.1"],
        ["100.64.0.1"],
        []
      ]
      let list: ReadonlyArray<string> = []
      let lookups = 0
      const dialled: Array<string> = []
      const notary = yield* runNotary(
        { [upstreamHost]: port },
        {
          exceptions: {
            resolve: () => {
              lookups++
              return Promise.resolve(
                list.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }))
              )
            },
            endpoint: (address) => {
              dialled.push(address)
              list = ["127.0.0.1"]
              return { host: "127.0.0.1", port }
            }
          }
        }
      )
      for (const addresses of lists) {
        list = addresses
        assert.match(yield* statusOf(notary, `${upstreamHost}:443`), / 403 /, addresses.join())
      }
      assert.deepStrictEqual(dialled, [])
      list = ["93.184.216.7"]
      lookups = 0
      assert.match(yield* statusOf(notary, `${upstreamHost}:443`), / 200 /)
      assert.deepStrictEqual([lookups, dialled], [1, ["93.184.216.7"]])
    })
  )

  it.live("states a session once, and logs it; a second try, a guess and a late one get nothing", () =>
    Effect.gen(function* () {
      const port = yield* nodeServer((request, answer) => answer.end(request.url))
      const upstreams = { [upstreamHost]: port }
      const notary = yield* runNotary(upstreams)
      const endedBy = Effect.fnUntraced(function* (carrier: TestNotary) {
        const run = yield* (yield* collecting([carrier.text], upstreams)).begin()
        yield* run.get("/a")
        return yield* Effect.promise(() => run.sessions())
      })
      const ended = endedBy(notary)
      const first = yield* ended
      const both = yield* Effect.all(
        [post(notary, first.id, first.secrets), post(notary, first.id, first.secrets)],
        {
          concurrency: 2
        }
      )
      assert.deepStrictEqual(both.map(({ status }) => status).sort(), [200, 404])
      assert.strictEqual((yield* post(notary, first.id, first.secrets)).status, 404)
      const note = both.find(({ status }) => status === 200)?.text ?? ""
      const read = readNotarisation(note, [parseVkey(notary.vkey)])
      assert.deepInclude(read?.statement, {
        collector: collectorName,
        n: 1,
        host: upstreamHost,
        cut: false
      })

      const second = yield* ended
      assert.strictEqual((yield* post(notary, second.id, first.secrets)).status, 422)
      assert.strictEqual((yield* post(notary, second.id, second.secrets)).status, 404)
      const third = yield* ended
      assert.strictEqual((yield* post(notary, third.id, { SERVER_TRAFFIC_SECRET_0: "zz" })).status, 422)
      // One that waits for no secrets.
      const brief = yield* runNotary(upstreams, { limits: { hold: 0 } })
      const late = yield* endedBy(brief)
      yield* hasEntries(brief, 2)
      assert.strictEqual((yield* post(brief, late.id, late.secrets)).status, 404)
      assert.deepInclude(entriesOf(brief)[1], {
        n: 1,
        what: "lost",
        why: "its secrets did not come in time"
      })
      assert.strictEqual((yield* post(notary, "0".repeat(32), {})).status, 404)

      const entries = entriesOf(notary)
      assert.deepStrictEqual(
        entries.map(({ n, what, why }) => [n, what, why]),
        [
          [1, "opened", undefined],
          [1, "stated", undefined],
          [2, "opened", undefined],
          [2, "refused", "a record does not open with these secrets"],
          [3, "opened", undefined],
          [3, "refused", "malformed secrets"]
        ]
      )
      assert.strictEqual(entries[1]?.["note"], noteHash(note))
      // Its place is free a moment after its entry can be read: first the head over it is signed.
      const health = yield* Effect.repeat(
        Effect.map(
          get(notary, "/health"),
          ({ body }) => JSON.parse(fromUtf8(body)) as Record<string, unknown>
        ),
        { until: ({ sessions }) => sessions === 0 }
      )
      assert.deepInclude(health, { status: "ok", vkey: notary.vkey, tape_bytes: 0 })
    })
  )

  it.live("carries what is larger than its bounds, and does not state it; memory is given back", () =>
    Effect.gen(function* () {
      const size = 3 << 20
      const port = yield* nodeServer((_request, answer) => answer.end(Buffer.alloc(size, 65)))
      const upstreams = { [upstreamHost]: port }
      const notary = yield* runNotary(upstreams, { limits: { tape: 1 << 20 } })
      const { begin } = yield* collecting([notary.text], upstreams)
      const run = yield* begin()
      assert.strictEqual((yield* run.get("/")).body.length, size)
      assert.isUndefined(yield* run.notes)
      assert.deepInclude(entriesOf(notary).at(-1), {
        what: "refused",
        why: "the tape was too large, and dropped"
      })
      const health = JSON.parse(fromUtf8((yield* get(notary, "/health")).body)) as Record<string, unknown>
      assert.strictEqual(health["tape_bytes"], 0)
    })
  )

  it.live("has a bounded number of sessions, for each collector too", () =>
    Effect.gen(function* () {
      const port = yield* nodeServer((_request, answer) => answer.end("x"))
      const notary = yield* runNotary({ [upstreamHost]: port }, { limits: { ofCollector: 2 } })
      // A closed one keeps its place until its secrets come, or do not.
      assert.match(yield* statusOf(notary, `${upstreamHost}:443`), / 200 /)
      assert.match(yield* statusOf(notary, `${upstreamHost}:443`), / 200 /)
      assert.match(yield* statusOf(notary, `${upstreamHost}:443`), / 503 /)

      const upstreams = { [upstreamHost]: port }
      const narrow = yield* runNotary(upstreams, { limits: { ofCollector: 1 } })
      const { begin } = yield* collecting([narrow.text], upstreams)
      for (let n = 0; n < 3; n++) {
        const run = yield* begin()
        yield* run.get("/x")
        assert.lengthOf((yield* run.notes)?.notes ?? [], 1)
      }
    })
  )

  it.live("serves its log as tiles: every entry is under the signed head", () =>
    Effect.gen(function* () {
      const port = yield* nodeServer((_request, answer) => answer.end("x"))
      const upstreams = { [upstreamHost]: port }
      const folder = yield* notaryFolder([upstreamHost])
      const count = 600
      const lines = Array.from({ length: count }, (_, k) => {
        const head = `{"at":"2026-11-01T00:00:00.000Z","collector":"c","day":"2026-11-01"`
        const n = `"n":${Math.floor(k / 2) + 1},"v":"service-notary-session-v1"`
        return k % 2 === 0
          ? `${head},"host":"a.test",${n},"what":"opened"}`
          : `${head},${n},"what":"lost","why":"x"}`
      })
      // Entries that a process wrote which died before it signed a head over them; the last one is cut off.
      appendFileSync(join(folder.folder, "entries"), `${lines.join("\n")}\n{"at":"20`)
      const notary = yield* serveNotary(folder, upstreams)
      const note = fromUtf8((yield* get(notary, "/checkpoint")).body)
      assert.lengthOf(verifyNote(parseNote(note), [parseVkey(notary.vkey)]) ?? [], 1)
      const { root, size } = parseCheckpointText(parseNote(note).text)
      // The day is over: its sums are the last entry.
      assert.isAtLeast(size, count)
      const tiles = new Map<string, Uint8Array>()
      const fetchTile = (path: string) =>
        Effect.map(get(notary, `/${path}`), ({ body, status }) => {
          assert.strictEqual(status, 200, path)
          tiles.set(path, body)
        })
      for (const path of ["tile/0/000", "tile/0/001", `tile/0/002.p/${size - 512}`, "tile/1/000.p/2"])
        yield* fetchTile(path)
      for (const path of ["tile/entries/000", "tile/entries/001", `tile/entries/002.p/${size - 512}`])
        yield* fetchTile(path)
      const nodeAt = tileNodes(size, (tile) => tiles.get(tilePath(tile)) ?? new Uint8Array())
      const entries = [...tiles]
        .filter(([path]) => path.includes("entries"))
        .flatMap(([, bytes]) => parseEntryBundle(bytes))
      assert.strictEqual(entries.length, size)
      for (const index of [0, 255, 256, 599, size - 1]) {
        const path = inclusionFrom(nodeAt, size, index).map(toHex)
        assert.isTrue(
          isIncluded(fromUtf8(entries[index] ?? new Uint8Array()), { index, size, path }, root),
          String(index)
        )
      }
      const sessions = new NotarySessions()
      for (const entry of entries) sessions.add(parseNotaryEntry(fromUtf8(entry)))
      for (const path of [
        "/tile/0/003",
        "/tile/0/002.p/200",
        "/tile/7/000",
        "/tile/x",
        "/tile/entries/000.p/4"
      ])
        assert.strictEqual((yield* get(notary, path)).status, 404, path)
    })
  )

  it.live("loses sessions that were open when it was stopped, and goes on with the numbers", () =>
    Effect.gen(function* () {
      const port = yield* nodeServer((_request, answer) => answer.end("x"))
      const upstreams = { [upstreamHost]: port }
      const folder = yield* notaryFolder([upstreamHost])
      yield* Effect.scoped(
        Effect.gen(function* () {
          const notary = yield* serveNotary(folder, upstreams)
          assert.match(yield* statusOf(notary, `${upstreamHost}:443`), / 200 /)
          yield* hasEntries(notary, 1)
        })
      )
      const notary = yield* serveNotary(folder, upstreams)
      assert.match(yield* statusOf(notary, `${upstreamHost}:443`), / 200 /)
      yield* hasEntries(notary, 3)
      assert.deepStrictEqual(
        entriesOf(notary).map(({ n, what, why }) => [n, what, why]),
        [
          [1, "opened", undefined],
          [1, "lost", "the notary was restarted"],
          [2, "opened", undefined]
        ]
      )
    })
  )

  it.live("does not start from an earlier copy of its log, with another key, or twice", () =>
    Effect.gen(function* () {
      const folder = yield* notaryFolder([upstreamHost])
      const refused = Effect.map(
        Effect.flip(Effect.scoped(serveNotary(folder, { [upstreamHost]: 9 }))),
        (error) => ("message" in error ? String(error.message) : "")
      )
      const entries = join(folder.folder, "entries")
      const line =
        '{"at":"2026-11-01T00:00:00.000Z","collector":"c","day":"2026-11-01","host":"a.test","n":1,"v":"service-notary-session-v1","what":"opened"}\n'
      writeFileSync(entries, line)
      yield* Effect.scoped(serveNotary(folder, { [upstreamHost]: 9 }))
      const whole = readFileSync(entries, "utf8")
      writeFileSync(entries, "")
      assert.match(yield* refused, /does not have the \d entries that the notary has signed/)
      writeFileSync(entries, whole.replace("a.test", "b.test"))
      assert.match(yield* refused, /does not have the \d entries/)
      writeFileSync(entries, whole.replace('"n":1', '"n":2'))
      assert.match(yield* refused, /line 1: .*session 2 was opened after session 0/)
      writeFileSync(entries, whole)
      const other = yield* notaryFolder([upstreamHost])
      writeFileSync(join(folder.folder, "key.pem"), readFileSync(join(other.folder, "key.pem")))
      assert.match(yield* refused, /not signed by this notary's key/)
      yield* serveNotary(other, { [upstreamHost]: 9 })
      assert.match(
        yield* Effect.map(Effect.flip(Effect.scoped(serveNotary(other, {}))), (error) => String(error)),
        /in use by another notary process/
      )
    })
  )
})
