/** `plumbline verify notary`: a log that only appends, statements that are in it, and every lie about either. */
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { verifierOf } from "../../core/proof/checkpoint.ts"
import type { Get } from "../../core/proof/fetched.ts"
import { noteHash } from "../../core/proof/notarisation.ts"
import type { NotaryEntry } from "../../core/proof/notaryLog.ts"
import { get } from "../../http/client/verifier/src/cli/get.ts"
import { main } from "../../http/client/verifier/src/cli.ts"
import { publicKeyOf } from "../support/ed25519.ts"
import { upstreamHost } from "../support/notary/certificates.ts"
import { clientOf, headOf, notaryUrl, published, sessionEntries } from "../support/notary/logs.ts"
import { noteOf, type StatingNotary, statingNotary } from "../support/notary/statements.ts"
import { nodeServer } from "../support/notary/upstreams.ts"
import { collecting, runNotary } from "../support/notary/world.ts"
import { missing } from "../support/programs.ts"

const notary = statingNotary(1)
const folder = mkdtempSync(join(tmpdir(), "plumbline-following-"))
let files = 0
const fileOf = (text: string): string => {
  const path = join(folder, `${files++}`)
  writeFileSync(path, text)
  return path
}
const newState = (): string => join(folder, `state-${files++}`)

const run = async (client: Get, url: string, ...args: ReadonlyArray<string>) => {
  const lines: Array<string> = []
  const exit = await main(["notary", url, ...args], {
    print: (line) => lines.push(line),
    env: {},
    get: client
  })
  return { exit, text: lines.join("\n") }
}

/** Looks at a log of the notary. */
const look = (log: ReadonlyMap<string, Uint8Array>, ...args: ReadonlyArray<string>) =>
  run(clientOf(log), notaryUrl, "--key", notary.vkey, ...args)

const lost = (n: number, day?: string) => sessionEntries(n, { why: "its secrets did not come" }, day)

/** Sessions of a day, all lost. */
const sessions = (from: number, to: number, day?: string): ReadonlyArray<NotaryEntry> =>
  Array.from({ length: to - from + 1 }, (_, at) => lost(from + at, day)).flat()

const exchange = {
  asked_at: "2026-09-05T12:00:00.000Z",
  answered_at: "2026-09-05T12:00:00.000Z",
  request: { method: "GET", target: "/v1/nodes" },
  response: { status: 200, whole: "length", sha256: "2".repeat(64), size: 1, encoded_size: 1 }
} as const

/** A statement of a session that was signed when the log had these entries. */
const stated = (n: number, before: ReadonlyArray<NotaryEntry>, by: StatingNotary = notary) =>
  noteOf(by, "stats.example.net", [exchange], { n, log: headOf(before) })

const [opened] = sessionEntries(201, { why: "x" })
const before = [...sessions(1, 200), ...(opened === undefined ? [] : [opened])]
const note = stated(201, before)
const log = [...sessions(1, 200), ...sessionEntries(201, { note: noteHash(note) }), ...sessions(202, 300)]

describe("the log of a notary", () => {
  it("only appends, from one look to the next, and statements are in it", async () => {
    const state = newState()
    const first = await look(published(notary, log.slice(0, 399)), "--state", state)
    assert.strictEqual(first.exit, 0, first.text)
    assert.match(first.text, /not checked +append-only: this is the first head that is seen/)
    const next = await look(published(notary, log), "--state", state, "--statements", fileOf(note))
    assert.strictEqual(next.exit, 0, next.text)
    assert.match(next.text, /ok +append-only: the first 399 of 600 entries are those that were remembered/)
    assert.match(
      next.text,
      /ok +sessions: 201 new entries; of 300 sessions of the last 1 days, numbered without a gap, 1 were stated, 0 refused, 299 lost, 0 are open/
    )
    assert.match(
      next.text,
      /ok +statement [0-9a-f]{12}: session 201 with stats\.example\.net is entry 401, and the head of 401 entries that it names is of this log/
    )
    // The key is in the state from then on.
    const again = await run(clientOf(published(notary, log)), notaryUrl, "--state", state)
    assert.strictEqual(again.exit, 0, again.text)
    assert.match(again.text, /sessions: 0 new entries/)
    // A later day, after which the first one is forgotten.
    const later = [...log, ...sessions(1, 3, "2026-09-20")]
    const days = await look(published(notary, later), "--state", state)
    assert.strictEqual(days.exit, 0, days.text)
  })

  it("is looked at alone by the key that is given, of the notary that it is given for", async () => {
    const stranger = statingNotary(2)
    const other = await run(clientOf(published(stranger, log)), notaryUrl, "--key", notary.vkey)
    assert.strictEqual(other.exit, 1)
    assert.match(other.text, /FAILED +operator's key: the head is not signed with the key notary\.test\/n1/)
    const origin = await look(published(notary, log, { origin: "notary.test/elsewhere" }))
    assert.match(origin.text, /FAILED +operator's key: the head is of notary\.test\/elsewhere/)
    const state = newState()
    assert.strictEqual((await look(published(notary, log), "--state", state)).exit, 0)
    for (const [args, says] of [
      [["--key", stranger.vkey, "--state", state], /is of the notary notary\.test\/n1/],
      [[], /--key \(the verifier key of the notary\) is missing/],
      [["--key", "x"], /--key: /],
      [["--key", notary.vkey, "--state", fileOf("{}")], /--state .*: the state file/]
    ] as const) {
      const { exit, text } = await run(clientOf(published(notary, log)), notaryUrl, ...args)
      assert.strictEqual(exit, 2, text)
      assert.match(text, says)
    }
    // What is away says nothing of the log.
    const away = await run(clientOf(new Map()), notaryUrl, "--key", notary.vkey)
    assert.deepStrictEqual([away.exit, /no such file/.test(away.text)], [2, true], away.text)
  })

  it("that was shortened, rewritten or forked is found, and what contradicts it is kept", async () => {
    const forked = [...log.slice(0, 598), ...lost(301).slice(0, 1), ...lost(302).slice(0, 1)]
    const rewritten = [...sessions(1, 200), ...sessions(201, 400)]
    for (const [lie, says] of [
      [log.slice(0, 500), /stale: the log shows 500 entries, but you kept 600/],
      [forked, /two different roots for 600 entries: history was rewritten/],
      [rewritten, /the log of 800 entries does not start with the 600 you kept/]
    ] as const) {
      const state = newState()
      assert.strictEqual((await look(published(notary, log), "--state", state)).exit, 0)
      const remembered = JSON.parse(readFileSync(state, "utf8")) as Record<string, unknown>
      const { exit, text } = await look(published(notary, lie), "--state", state)
      assert.strictEqual(exit, 1, text)
      assert.match(text, says)
      const evidence = JSON.parse(readFileSync(state, "utf8")) as {
        checkpoint: string
        contradictions: ReadonlyArray<{ checkpoint: string }>
      }
      assert.strictEqual(evidence.checkpoint, remembered["checkpoint"])
      assert.match(
        evidence.contradictions[0]?.checkpoint ?? "",
        new RegExp(`^notary.test/n1\n${lie.length}\n`)
      )
      // It is not forgotten because the notary shows the first log again.
      const after = await look(published(notary, log), "--state", state)
      assert.strictEqual(after.exit, 1)
      assert.match(after.text, /FAILED +append-only: a head that was seen at .* contradicts the log/)
    }
  })

  it("that serves other entries than it signed, or sessions that cannot be, is found", async () => {
    const [, last] = sessionEntries(300, { why: "another reason" })
    const altered = last === undefined ? [] : [...log.slice(0, -1), last]
    const served = await look(published(notary, log, { served: altered }))
    assert.strictEqual(served.exit, 1, served.text)
    assert.match(served.text, /FAILED +sessions: the 600 entries that are served have the root/)
    const gap = [...sessions(1, 5), ...sessions(7, 8)]
    const twice = [...sessions(1, 5), ...lost(5).slice(1)]
    const back = [...sessions(1, 1, "2026-09-06"), ...sessions(1, 1, "2026-09-05")]
    for (const [lie, says] of [
      [gap, /FAILED +sessions: entry 10: .*session 7 was opened after session 5/],
      [twice, /FAILED +sessions: entry 10: .*session 5 ended without being open/],
      [
        back,
        /FAILED +sessions: entry 2: .*a session was opened on 2026-09-05, and there are entries of 2026-09-06/
      ]
    ] as const) {
      const state = newState()
      const { exit, text } = await look(published(notary, lie), "--state", state)
      assert.strictEqual(exit, 1, text)
      assert.match(text, says)
    }
  })

  it("that lacks a statement, or was another one when it was signed, is found", async () => {
    const hidden = stated(250, log.slice(0, 499))
    const elsewhere = stated(201, [...sessions(1, 199), ...sessions(200, 200, "2026-09-06").slice(0, 2)])
    const renumbered = noteOf(notary, "stats.example.net", [exchange], { n: 7, log: headOf(before) })
    const future = stated(201, [...log, ...sessions(301, 310)])
    const entry = sessionEntries(201, { note: noteHash(renumbered) })
    for (const [statement, says, of] of [
      [hidden, /session 250 of .*: the log has no entry of it after the 499 entries/, log],
      [elsewhere, /does not start with the 400 you kept: history was rewritten/, log],
      [future, /stale: the log shows 600 entries, but you kept 620/, log],
      [
        renumbered,
        /entry 401 has it as session 201 of .*, and the statement says 7/,
        [...sessions(1, 200), ...entry]
      ]
    ] as const) {
      const { exit, text } = await look(published(notary, of), "--statements", fileOf(statement))
      assert.strictEqual(exit, 1, text)
      assert.match(text, says)
    }
    // Of another notary, whose log this is not; and under the name of this one, without its key.
    const foreign = stated(201, before, statingNotary(2))
    const other = await look(published(notary, log), "--statements", fileOf(foreign))
    assert.deepStrictEqual(
      [other.exit, /not checked +statements: 1 are of other/.test(other.text)],
      [0, true]
    )
    const secret = new Uint8Array(32).fill(2)
    const forger = { ...statingNotary(2), verifier: verifierOf("notary.test/n1", publicKeyOf(secret)) }
    const forged = await look(published(notary, log), "--statements", fileOf(stated(201, before, forger)))
    assert.strictEqual(forged.exit, 1, forged.text)
    assert.match(forged.text, /FAILED +statement .*: it is not signed by this notary/)
  })
})

describe.skipIf(missing("openssl"))("the log of a real notary", () => {
  it.live("is followed over HTTP while it carries, and has what it stated", () =>
    Effect.gen(function* () {
      const port = yield* nodeServer((_request, answer) => answer.end("x"))
      const upstreams = { [upstreamHost]: port }
      const { authority, text: configured, vkey } = yield* runNotary(upstreams)
      const { begin } = yield* collecting([configured], upstreams)
      const state = newState()
      const follow = (...more: ReadonlyArray<string>) =>
        Effect.promise(() => run(get, `http://${authority}/`, "--key", vkey, "--state", state, ...more))
      const empty = yield* follow()
      assert.strictEqual(empty.exit, 0, empty.text)
      const notes: Array<string> = []
      for (let n = 0; n < 2; n++) {
        const carried = yield* begin()
        yield* carried.get("/x")
        const [note = ""] = (yield* carried.notes)?.notes ?? []
        notes.push(note)
        const { exit, text } = yield* follow(...notes.flatMap((one) => ["--statements", fileOf(one)]))
        assert.strictEqual(exit, 0, text)
        assert.match(text, new RegExp(`the first ${2 * n} of ${2 * n + 2} entries`))
        assert.match(text, /sessions: 2 new entries/)
      }
    })
  )
})
