/** Two copies of one service, each of which goes on with the log: who meets both of them tells. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { Cosignatures } from "../../core/log/Cosignatures.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { Log, LogKey } from "../../core/log/Log.ts"
import { MirrorHosts } from "../../core/log/Mirrors.ts"
import type { Witness } from "../../core/log/Witnesses.ts"
import { WitnessHeads } from "../../core/log/WitnessHeads.ts"
import { vkey } from "../../core/proof/checkpoint.ts"
import { parseCosigner } from "../../core/proof/cosignature.ts"
import { entryTag } from "../../core/proof/entry.ts"
import type { Finding } from "../../core/proof/finding.ts"
import { quorumOf } from "../../core/proof/policy.ts"
import { savedHead } from "../../core/proof/saved.ts"
import { Changes } from "../../core/readings/Changes.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { mirror } from "../../http/client/verifier/src/mirror.ts"
import { served } from "../../http/client/verifier/src/monitor/source.ts"
import { lookReportOf, monitor } from "../../http/client/verifier/src/monitor.ts"
import { mirrorHostAt } from "../../runtime/outside/mirrorHosts.ts"
import * as Http from "../../runtime/outside/witnesses.ts"
import { pgliteIn } from "../support/database.ts"
import * as LogKeys from "../support/logKey.ts"
import { client, monitorOnce } from "../support/monitorOnce.ts"
import * as Runs from "../support/runs.ts"
import { startScriptedServer } from "../support/scriptedServer.ts"
import { baseUrl, Service } from "../support/service.ts"
import { header } from "../support/signed.ts"
import { newWitness, runWitness } from "../support/witness.ts"

interface LookReport {
  readonly findings: ReadonlyArray<Finding>
  readonly unproved: ReadonlyArray<string>
}

const start = Date.UTC(2026, 8, 5, 9)
const at = (day: number, hour = 8) => Date.UTC(2026, 8, day, hour)

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "plumbline-copies-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

const databaseIn = (home: string, isNew = false) => pgliteIn(join(home, "pglite"), isNew)

interface Others {
  readonly witnesses: ReadonlyArray<Witness>
  /** Addresses. */
  readonly mirrors: ReadonlyArray<string>
}

/** The log of a service over such a database, and who cosigns or copies it. */
const logOver = (database: ReturnType<typeof databaseIn>, { mirrors, witnesses }: Others) =>
  Cosignatures.layer.pipe(
    Layer.provideMerge(Log.layer),
    Layer.provideMerge(WitnessHeads.layer),
    Layer.provideMerge(
      Http.layer(() => ({
        all: witnesses,
        quorum: quorumOf(
          witnesses.map(({ key }) => key),
          witnesses.length
        )
      }))
    ),
    Layer.provideMerge(
      Layer.succeed(
        MirrorHosts,
        mirrors.map((url) => mirrorHostAt("mirror.example", url))
      )
    ),
    Layer.provideMerge(LogKeys.layer()),
    Layer.provideMerge(Changes.layer),
    Layer.provideMerge(database)
  )

const append = Effect.fnUntraced(function* (subject: string) {
  const log = yield* Log
  const sql = yield* SqlClient.SqlClient
  const recorded_at = "2026-09-05T08:00:00Z"
  const entry = { v: entryTag, kind: "brief", sha256: "0".repeat(64), subject, recorded_at } as const
  yield* sql.withTransaction(log.append([entry], start))
  return (yield* log.refresh).note ?? ""
})

const opened = Effect.fnUntraced(function* (home: string, others: Others, isNew = false) {
  const context = yield* Layer.build(Layer.fresh(logOver(databaseIn(home, isNew), others)))
  const provided = Effect.provideContext(context)
  const { offer } = Context.get(context, Cosignatures)
  return {
    append: (subject: string) => provided(append(subject)),
    round: Effect.forEach(others.witnesses, offer, { discard: true }),
    halted: Context.get(context, Log).halted,
    refresh: Context.get(context, Log).refresh,
    size: Effect.map(Context.get(context, Log).signed, ({ size }) => size)
  }
})

/** Two folders with one log of two entries, whose head `others` have seen. */
const twoCopies = Effect.fnUntraced(function* (others: Others) {
  const [original, copied] = [yield* folder, yield* folder]
  const scope = yield* Scope.make()
  const first = yield* opened(original, others, true).pipe(Scope.provide(scope))
  yield* first.append("a")
  const note = yield* first.append("b")
  yield* first.round
  yield* Scope.close(scope, Exit.void)
  cpSync(original, copied, { recursive: true })
  return { original, copied, note }
})

const witnessOfLog = Effect.gen(function* () {
  const { origin } = yield* LogKey
  const { folder: home, vkey: text } = yield* newWitness([vkey(origin, LogKeys.publicKey)])
  return { name: "w1", key: parseCosigner(text), url: yield* runWitness(home) } satisfies Witness
}).pipe(Effect.provide(LogKeys.layer()))

describe("two copies of one folder", () => {
  it.effect("that ask the same mirror or witness: the one that these do not follow signs nothing", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const host = yield* startScriptedServer
      let copy = ""
      host.handle = (request, response) =>
        request.url === "/v1/log/checkpoint" && copy !== ""
          ? response.end(copy)
          : response.writeHead(404).end()
      const others = { witnesses: [yield* witnessOfLog], mirrors: [host.url] }
      const twins = yield* twoCopies(others)
      // Both start from the head that the witness holds.
      const [one, two] = [yield* opened(twins.original, others), yield* opened(twins.copied, others)]
      copy = yield* one.append("of the first")
      const ofMirror = yield* Effect.flip(two.append("of the second"))
      assert.match(ofMirror.message, /The mirror mirror\.example has 3 entries, but the database has only 2/)
      yield* one.round
      const ofWitness = yield* Effect.flip(two.append("of the second"))
      assert.match(ofWitness.message, /The witness w1 has 3 entries, but the database has only 2/)
      assert.strictEqual(yield* two.size, 2)
      // A mirror that lags behind does not contradict the log, nor does a head that somebody made up.
      copy = twins.note
      yield* one.append("more")
      copy = copy.replace("\n2\n", "\n9\n")
      yield* one.append("still more")
      assert.isUndefined(yield* one.halted)
    })
  )

  it.effect("that both signed before a witness heard of it: the second halts when it is refused", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const others = { witnesses: [yield* witnessOfLog], mirrors: [] }
      const { copied, original } = yield* twoCopies(others)
      const [one, two] = [yield* opened(original, others), yield* opened(copied, others)]
      yield* one.append("of the first")
      yield* two.append("of the second")
      yield* one.round
      assert.isUndefined(yield* two.halted)
      yield* two.round
      assert.match((yield* two.halted) ?? "", /The witness w1 has another root for the first 3 entries/)
      // It does not sign again because it reads its own database once more.
      yield* two.refresh
      assert.match((yield* two.halted) ?? "", /another root/)
      assert.match((yield* Effect.flip(two.append("more"))).message, /continued elsewhere/)
      yield* one.append("more")
    })
  )

  it.effect("are found by a monitor and by a mirror that meet both", () =>
    Effect.gen(function* () {
      const [original, copied] = [yield* folder, yield* folder]
      const service = (home: string, isNew: boolean) =>
        Service.layer({ database: databaseIn(home, isNew), keyFolder: join(home, "keys") })
      /** Closes the day before `day` with a value of its own. */
      const closed = Effect.fnUntraced(function* (day: number, value: number) {
        const reading = Runs.row(value, `2026-09-0${day - 1}T01:00:00Z`, {
          symbol: "FIL",
          metric: "active_storage_providers",
          source: "made-up"
        })
        yield* TestClock.setTime(at(day))
        yield* (yield* Ingest).write(Runs.delivery(at(day, 7), [reading], "made-up"))
        yield* (yield* DailyClose).run
      })
      yield* closed(4, 100).pipe(Effect.provide(service(original, true), { local: true }))
      cpSync(original, copied, { recursive: true })

      const copiedLog = yield* folder
      const options = { trust: {}, now: () => at(5), random: () => 0, say: () => undefined }
      const copy = Effect.gen(function* () {
        const { get } = yield* client
        return yield* Effect.promise(() => mirror(served(get, baseUrl), copiedLog, options))
      })
      const answers = yield* folder
      /** A look with saved answers; what it found, by kind. */
      const watched = Effect.gen(function* () {
        const { get } = yield* client
        const lines: Array<string> = []
        const state = join(copiedLog, "state.json")
        const exit = yield* Effect.promise(() =>
          monitor(
            { url: baseUrl, answers, state, logOnly: true, json: true, trust: {} },
            {
              print: (line) => lines.push(line),
              progress: () => undefined,
              get,
              now: () => at(5),
              wait: () => Promise.resolve(),
              signal: new AbortController().signal
            }
          )
        )
        rmSync(state)
        const { findings, unproved } = JSON.parse(lines.join("")) as LookReport
        return { exit, findings, unproved: unproved.filter((why) => !why.includes("nobody vouches")) }
      })
      /** Saves an answer that names the newest head, as `verify response --save` does. */
      const save = Effect.fnUntraced(function* (name: string) {
        const { call } = yield* Service
        // Answers read the head once a second.
        yield* TestClock.adjust("1 second")
        const reply = yield* call("/terms")
        const headers = Object.fromEntries(
          Object.keys(reply.headers).map((each) => [each, header(reply, each)])
        )
        const head = savedHead(`${baseUrl}/terms`, { status: reply.status, headers, body: reply.body })
        writeFileSync(join(answers, name), Buffer.concat([Buffer.from(head, "latin1"), reply.body]))
      })
      const firstLook = yield* Effect.gen(function* () {
        yield* closed(5, 200)
        assert.deepStrictEqual((yield* copy).findings, [])
        yield* save("to-the-first-reader")
        writeFileSync(join(answers, "notes.txt"), "no answer")
        const own = yield* watched
        assert.deepStrictEqual(own.findings, [])
        assert.match(
          own.unproved.join(),
          /^[^,]*notes\.txt is no saved answer: its first line must be the URL/
        )
        return yield* monitorOnce(at(5))
      }).pipe(Effect.provide(service(original, false), { local: true }))
      const mirrored = readFileSync(join(copiedLog, "v1/log/checkpoint"), "utf8")

      const [again, other] = yield* Effect.gen(function* () {
        yield* closed(5, 201)
        // A monitor that meets the copy alone, and has what somebody else was told.
        const alone = yield* watched
        assert.deepStrictEqual([alone.exit, alone.findings.map(({ what }) => what)], [1, ["split view"]])
        assert.match(alone.findings[0]?.found ?? "", /as .*to-the-first-reader of 2026-\S+ says$/)
        // What one told and the other tells differ, whatever log the monitor reads.
        yield* save("to-the-second-reader")
        assert.match((yield* watched).findings[0]?.expected ?? "", /as .*to-the-second-reader/)
        return [yield* copy, yield* monitorOnce(at(5), firstLook.state)] as const
      }).pipe(Effect.provide(service(copied, false), { local: true }))
      for (const met of [again, other]) {
        assert.strictEqual(met.findings[0]?.what, "fork")
        assert.include(met.findings[0]?.expected, mirrored)
        assert.strictEqual(lookReportOf(met).exit, 1)
        assert.lengthOf(met.state?.forks ?? [], 1)
      }
      // The copy stays what it was.
      assert.strictEqual(readFileSync(join(copiedLog, "v1/log/checkpoint"), "utf8"), mirrored)
    })
  )
})
