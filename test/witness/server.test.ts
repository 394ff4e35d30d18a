/** The witness over real HTTP: what it signs, what it refuses, and what it remembers. */
import { createHash } from "node:crypto"
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { addCheckpointText } from "../../core/log/addCheckpoint.ts"
import { toBase64 } from "../../core/proof/bytes.ts"
import { checkpointText, type Note, noteText, parseNote } from "../../core/proof/checkpoint.ts"
import { type Cosigner, cosignaturesOf, parseCosigner } from "../../core/proof/cosignature.ts"
import { ask, makeLog, newWitness, post, runWitness, stateOf } from "../support/witness.ts"

const hash = (origin: string) => createHash("sha256").update(origin).digest("hex")

/** When the cosigner signed the note, in seconds. */
const cosignedAt = (note: Note, cosigner: Cosigner) =>
  cosignaturesOf(note.text, note.signatures, [cosigner])[0]?.timestamp

const started = Effect.gen(function* () {
  const log = makeLog("log.example/one")
  const { folder, vkey } = yield* newWitness([log.vkey])
  return { log, folder, cosigner: parseCosigner(vkey), address: yield* runWitness(folder) }
})

describe("a witness", () => {
  it.live("cosigns a checkpoint that follows the one before, and serves it", () =>
    Effect.gen(function* () {
      const { address, cosigner, log } = yield* started
      assert.strictEqual((yield* ask(`${address}/${hash(log.origin)}/checkpoint`)).status, 404)
      for (const [from, to] of [
        [0, 5],
        [5, 5],
        [5, 8],
        [8, 13]
      ] as const) {
        const response = yield* post(address, log.body(from, to))
        assert.strictEqual(response.status, 200, response.text)
        assert.match(response.text, /^\u2014 witness\.example\/w1 [A-Za-z0-9+/]+={0,2}\n$/)
        const time = cosignedAt(parseNote(noteText(log.text(to), [response.text])), cosigner)
        assert.closeTo(time ?? 0, Date.now() / 1000, 60)
        const served = yield* ask(`${address}/${hash(log.origin)}/checkpoint`)
        assert.strictEqual(served.text, noteText(log.text(to), [log.line(log.text(to)), response.text]))
      }
      assert.strictEqual((yield* ask(`${address}/${hash("log.example/two")}/checkpoint`)).status, 404)
    })
  )

  it.live("answers 409 with its size, as text/x.tlog.size, to any other old size", () =>
    Effect.gen(function* () {
      const { address, log } = yield* started
      assert.deepStrictEqual(yield* post(address, log.body(3, 5)), {
        status: 409,
        type: "text/x.tlog.size",
        text: "0\n"
      })
      assert.strictEqual((yield* post(address, log.body(0, 5))).status, 200)
      for (const [from, to] of [
        [0, 5],
        [0, 8],
        [4, 8],
        [6, 8],
        // An older head again.
        [2, 3]
      ] as const) {
        assert.deepStrictEqual(yield* post(address, log.body(from, to)), {
          status: 409,
          type: "text/x.tlog.size",
          text: "5\n"
        })
      }
    })
  )

  it.live("does not sign a forked log, whatever the log's key says", () =>
    Effect.gen(function* () {
      const { address, folder, log } = yield* started
      assert.strictEqual((yield* post(address, log.body(0, 5))).status, 200)
      const before = stateOf(folder)
      const fork = log.forked(3)
      for (const [from, to] of [
        [5, 5],
        [5, 8]
      ] as const) {
        assert.strictEqual((yield* post(address, fork.body(from, to))).status, 422)
      }
      assert.strictEqual(stateOf(folder), before)
      assert.strictEqual((yield* post(address, log.body(5, 8))).status, 200)
    })
  )

  it.live("refuses with the status that the protocol names", () =>
    Effect.gen(function* () {
      const { address, log } = yield* started
      const note = log.checkpoint(5)
      const status = (body: string) => Effect.map(post(address, body), (response) => response.status)
      const stranger = makeLog("log.example/other")
      const impostor = log.rekeyed()
      assert.strictEqual(yield* status(stranger.body(0, 5)), 404)
      assert.strictEqual(yield* status(impostor.body(0, 5)), 403)
      // A line with the name and id of the known key, over another text.
      const forged = noteText(log.text(5), [log.line(log.text(6))])
      assert.strictEqual(yield* status(addCheckpointText({ oldSize: 0, path: [], note: forged })), 403)
      const both = noteText(log.text(5), [log.line(log.text(5)), log.line(log.text(6))])
      assert.strictEqual(yield* status(addCheckpointText({ oldSize: 0, path: [], note: both })), 403)
      assert.strictEqual(yield* status(addCheckpointText({ oldSize: 6, path: [], note })), 400)
      // From size zero there is nothing to prove.
      assert.strictEqual(
        yield* status(addCheckpointText({ oldSize: 0, path: [new Uint8Array(32)], note })),
        422
      )
      const odd = checkpointText({ origin: log.origin, size: 0, root: new Uint8Array(32) })
      const oddNote = noteText(odd, [log.line(odd)])
      assert.strictEqual(yield* status(addCheckpointText({ oldSize: 0, path: [], note: oddNote })), 422)
      assert.strictEqual(yield* status(log.body(0, 0)), 200)
      assert.strictEqual(yield* status(log.body(0, 5)), 200)
      assert.strictEqual(
        yield* status(addCheckpointText({ oldSize: 5, path: log.path(4, 8), note: log.checkpoint(8) })),
        422
      )
      // Equal sizes need no proof.
      assert.strictEqual(yield* status(addCheckpointText({ oldSize: 5, path: log.path(5, 8), note })), 422)
      assert.strictEqual((yield* ask(`${address}/add-checkpoint`)).status, 404)
    })
  )

  it.live("refuses what is malformed", () =>
    Effect.gen(function* () {
      const { address, log } = yield* started
      const note = log.checkpoint(5)
      const hashLine = toBase64(new Uint8Array(32))
      const bodies = [
        "",
        "\n\n",
        note,
        `old 0\n${note}`,
        `\n${note}`,
        `old\n\n${note}`,
        `old 00\n\n${note}`,
        `old -1\n\n${note}`,
        `old +0\n\n${note}`,
        `old 1.0\n\n${note}`,
        `old 99999999999999999999\n\n${note}`,
        `new 0\n\n${note}`,
        `old 0 \n\n${note}`,
        `old 0\r\n\r\n${note}`,
        `old 0\n${hashLine.slice(4)}\n\n${note}`,
        `old 0\n${hashLine} \n\n${note}`,
        `old 0\n${`${hashLine}\n`.repeat(64)}\n${note}`,
        `old 0\n\n`,
        `old 0\n\n${log.text(5)}`,
        `old 0\n\n${note.slice(0, -1)}`,
        `old 0\n\n${note.replace("\n5\n", "\n05\n")}`,
        `old 0\n\n${note.replace("\n5\n", "\nfive\n")}`,
        `old 0\n\n${note.replace("\u2014", "-")}`,
        `old 0\n\n${note}\u0000`
      ]
      for (const body of bodies) {
        const response = yield* post(address, body)
        assert.strictEqual(response.status, 400, JSON.stringify(body))
        assert.notInclude(response.text, "    at ")
      }
      const notUtf8 = yield* post(address, new Uint8Array([...Buffer.from("old 0\n\n"), 0xff, 0xfe]))
      assert.strictEqual(notUtf8.status, 400)
      const long = yield* post(address, `old 0\n\n${note}${"x".repeat(200_000)}`)
      assert.strictEqual(long.status, 400)
      assert.strictEqual((yield* post(address, log.body(0, 5))).status, 200)
    })
  )

  it.live("passes extension lines and lines of other keys through, and accepts 16 signatures of 5 kB", () =>
    Effect.gen(function* () {
      const { address, cosigner, log } = yield* started
      const text = `${log.text(5)}time not a time\n`
      const strangers = Array.from(
        { length: 16 },
        (_, n) => `\u2014 other.example/${n} ${toBase64(new Uint8Array(5000).fill(n))}\n`
      )
      const note = noteText(text, [...strangers, log.line(text)])
      const response = yield* post(address, addCheckpointText({ oldSize: 0, path: [], note }))
      assert.strictEqual(response.status, 200, response.text)
      assert.isDefined(cosignedAt(parseNote(noteText(text, [response.text])), cosigner))
      const served = yield* ask(`${address}/${hash(log.origin)}/checkpoint`)
      assert.strictEqual(served.text, noteText(text, [log.line(text), response.text]))
    })
  )

  it.live("takes either key of a log that rotates its key", () =>
    Effect.gen(function* () {
      const old = makeLog("log.example/rotating")
      const next = old.rekeyed()
      const { folder } = yield* newWitness([old.vkey, next.vkey])
      const address = yield* runWitness(folder)
      assert.strictEqual((yield* post(address, old.body(0, 3))).status, 200)
      const both = noteText(next.text(5), [old.line(old.text(5)), next.line(next.text(5))])
      const response = yield* post(
        address,
        addCheckpointText({ oldSize: 3, path: next.path(3, 5), note: both })
      )
      assert.strictEqual(response.status, 200, response.text)
      assert.strictEqual((yield* post(address, next.body(5, 8))).status, 200)
    })
  )

  it.live("signs one of fifty heads that are offered at once, and then each in its turn", () =>
    Effect.gen(function* () {
      const { address, cosigner, folder, log } = yield* started
      const offers = Array.from({ length: 50 }, (_, n) =>
        n % 2 === 0 ? log.body(0, n + 1) : log.forked(0).body(0, n + 1)
      )
      const all = yield* Effect.forEach(offers, (body) => post(address, body), { concurrency: "unbounded" })
      const signed = all.filter(({ status }) => status === 200)
      assert.strictEqual(signed.length, 1)
      assert.strictEqual(all.filter(({ status }) => status === 409).length, 49)
      const [checkpoint = ""] = (JSON.parse(stateOf(folder)) as { checkpoints: Array<string> }).checkpoints
      assert.include(checkpoint, signed[0]?.text ?? "none")
      assert.isDefined(cosignedAt(parseNote(checkpoint), cosigner))

      // Clients that follow its size all get there.
      const other = makeLog("log.example/second")
      const { folder: second } = yield* newWitness([other.vkey])
      const place = yield* runWitness(second)
      const climb = (to: number, from = 0): Effect.Effect<number> =>
        Effect.flatMap(post(place, other.body(from, to)), ({ status, text }) =>
          status === 409 && Number(text) <= to ? climb(to, Number(text)) : Effect.succeed(status)
        )
      const climbed = yield* Effect.forEach(
        Array.from({ length: 50 }, (_, n) => n + 1),
        (to) => climb(to),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(climbed.at(-1), 200)
      assert.match(stateOf(second), /log\.example\/second\\n50\\n/)
    })
  )

  it.live("goes on after a restart from where it was", () =>
    Effect.gen(function* () {
      const log = makeLog("log.example/one")
      const { folder } = yield* newWitness([log.vkey])
      yield* Effect.scoped(
        Effect.gen(function* () {
          const address = yield* runWitness(folder)
          assert.strictEqual((yield* post(address, log.body(0, 5))).status, 200)
        })
      )
      const address = yield* runWitness(folder)
      assert.strictEqual((yield* post(address, log.forked(2).body(0, 7))).status, 409)
      assert.strictEqual((yield* post(address, log.forked(2).body(5, 7))).status, 422)
      assert.strictEqual((yield* post(address, log.body(5, 7))).status, 200)
    })
  )

  it.live("signs nothing that it cannot store", () =>
    Effect.gen(function* () {
      const { address, folder, log } = yield* started
      assert.strictEqual((yield* post(address, log.body(0, 5))).status, 200)
      const before = stateOf(folder)
      // Where the new state is written first there is no room for a file.
      const obstacle = join(folder, "state.json.new")
      mkdirSync(obstacle)
      const response = yield* post(address, log.body(5, 8))
      assert.strictEqual(response.status, 503)
      assert.notInclude(response.text, "witness.example")
      assert.strictEqual(stateOf(folder), before)
      assert.include((yield* ask(`${address}/${hash(log.origin)}/checkpoint`)).text, "\n5\n")
      rmSync(obstacle, { recursive: true })
      assert.strictEqual((yield* post(address, log.body(5, 8))).status, 200)
    })
  )

  it.live("does not start without its state, without its key, with another's, or twice", () =>
    Effect.gen(function* () {
      const log = makeLog("log.example/one")
      const refusal = (folder: string) =>
        Effect.map(Effect.flip(Effect.scoped(runWitness(folder))), ({ message }) => message)
      const { folder } = yield* newWitness([log.vkey])
      const other = yield* newWitness([log.vkey])
      const state = join(folder, "state.json")
      const key = join(folder, "key.pem")
      const whole = { state: stateOf(folder), key: readFileSync(key, "utf8") }

      rmSync(state)
      assert.match(yield* refusal(folder), /state\.json is missing.*second history/)
      writeFileSync(state, stateOf(other.folder))
      assert.match(yield* refusal(folder), /belongs to another key/)
      writeFileSync(state, whole.state.slice(0, 40))
      assert.match(yield* refusal(folder), /is not the state of a witness/)
      writeFileSync(state, whole.state.replace("[]", JSON.stringify([log.checkpoint(5)])))
      assert.match(yield* refusal(folder), /did not sign/)
      writeFileSync(state, whole.state)
      rmSync(key)
      assert.match(yield* refusal(folder), /key\.pem is missing/)
      writeFileSync(key, whole.key, { mode: 0o644 })
      assert.match(yield* refusal(folder), /chmod 600/)
      rmSync(key)
      rmSync(state)
      assert.match(yield* refusal(folder), /witness new/)
      writeFileSync(join(other.folder, "logs"), "log nonsense\n")
      assert.match(yield* refusal(other.folder), /logs, line 1: "nonsense" is not a verifier key/)
      writeFileSync(
        join(other.folder, "logs"),
        `witness x ${other.vkey}\nquorum x\nlog ${log.vkey} https://l\n`
      )
      yield* runWitness(other.folder)
      assert.match(yield* refusal(other.folder), /in use by another witness/)
    })
  )
})
