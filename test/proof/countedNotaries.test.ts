/** `verify value --notaries 2`, by command: a notary counts that alone stated all of a run, and two that share one do not. */
import { createHash } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { LogKey } from "../../core/log/Log.ts"
import { RunLog } from "../../core/log/RunLog.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { thumbprint } from "../../core/proof/keys.ts"
import type { NotarisedExchange } from "../../core/proof/notarisation.ts"
import { noteHash } from "../../core/proof/notarisation.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import type { RunExchange } from "../../core/readings/ingest/Run.ts"
import { keepNotes } from "../../core/readings/ingest/runs/notes.ts"
import { get } from "../../http/client/verifier/src/cli/get.ts"
import { main } from "../../http/client/verifier/src/cli.ts"
import { postgres } from "../support/database.ts"
import { freePort } from "../support/freePort.ts"
import { noteOf, type StatingNotary, statedExchange, statingNotary } from "../support/notary/statements.ts"
import * as Operators from "../support/operators.ts"
import * as Runs from "../support/runs.ts"
import { Service } from "../support/service.ts"

const hour = 3_600_000
const host = "stats.example.net"
/** SHA-256 of no bytes. */
const nothing = createHash("sha256").digest("hex")
const [one, two] = [statingNotary(1), statingNotary(2)]

/** A statement of a notary about one exchange, in a session of its own unless the case says otherwise. */
const note = (
  notary: StatingNotary,
  exchange: NotarisedExchange,
  more: { readonly of?: string; readonly session?: string } = {}
) =>
  noteOf(notary, more.of ?? host, [exchange], {
    collector: "plumbline.test/log",
    session: more.session ?? (notary === one ? "1" : "2").repeat(64)
  })

interface Case {
  /** The exchanges of the run, made of the one that all runs here have. */
  readonly exchanges: (first: RunExchange) => ReadonlyArray<RunExchange>
  /** What is stated of each. */
  readonly notes: (exchange: RunExchange) => ReadonlyArray<string>
  readonly says: RegExp
}

const both = (exchange: RunExchange) => [one, two].map((notary) => note(notary, statedExchange(exchange)))
const few = /^not proved +notaries: 0 notaries of the 2 that you ask for/m

const cases: Readonly<Record<string, Case>> = {
  "of which each stated all": {
    exchanges: (first) => [first],
    notes: both,
    says: /^ok +notaries: 2 notaries \(notary\.test\/n1, notary\.test\/n2\) carried this answer/m
  },
  "of which one stated the 304 and the other the body that it confirms": {
    exchanges: (first) => [{ ...first, confirmed: true }],
    notes: (exchange) => {
      const { request, response, ...rest } = statedExchange(exchange)
      if (request === undefined) throw new Error("no request")
      const at = isoTime(Date.parse(exchange.at) - 24 * hour)
      return [
        note(one, {
          ...rest,
          request: { ...request, if_none_match: '"v1"' },
          response: { status: 304, whole: "none", sha256: nothing, size: 0, encoded_size: 0 }
        }),
        note(two, {
          ...rest,
          asked_at: at,
          answered_at: at,
          request,
          response: { ...response, etag: '"v1"' }
        })
      ]
    },
    says: few
  },
  "of which one stated the first answer and the other the second": {
    exchanges: (first) => [first, { ...first, n: 1, url: `https://${host}/v1/more` }],
    notes: (exchange) => [note(exchange.n === 0 ? one : two, statedExchange(exchange))],
    says: few
  },
  "of which one stated the redirect and the other the answer": {
    exchanges: (first) => [first],
    notes: (exchange) => {
      const { response, ...rest } = statedExchange(exchange)
      const elsewhere = "b.example.net"
      return [
        note(one, { ...rest, response: { ...response, status: 302, location: `https://${elsewhere}/x` } }),
        note(two, statedExchange({ ...exchange, url: `https://${elsewhere}/x` }), { of: elsewhere })
      ]
    },
    says: few
  },
  "of which both claim one session": {
    exchanges: (first) => [first],
    notes: (exchange) =>
      [one, two].map((notary) => note(notary, statedExchange(exchange), { session: "3".repeat(64) })),
    says: /^not proved +notaries: 1 notary of the 2 that you ask for/m
  }
}

const services = Layer.unwrap(
  Effect.map(Effect.promise(freePort), (port) =>
    RunLog.layer.pipe(
      Layer.provideMerge(
        Service.layer({ database: postgres, manifests: Operators.manifests, port, mode: "live" })
      )
    )
  )
)

layer(services)("two notaries", (it) => {
  it.effect.each(Object.entries(cases).map(([name, of], n) => [name, n, of] as const))(
    "%s",
    ([, n, { exchanges, notes, says }]) =>
      Effect.gen(function* () {
        const evening = Date.parse("2026-09-03T20:00:00Z") + n * 24 * hour
        yield* TestClock.setTime(evening)
        const { bodies, run } = Runs.delivery(evening, [Runs.row(901 + n, isoTime(evening - 60_000))])
        const [first] = run.exchanges
        if (first === undefined) return assert.fail("no exchange")
        const all = exchanges(first)
        yield* (yield* Ingest).write({ bodies, run: { ...run, exchanges: all } })
        const stated = all.map((exchange) => ({ n: exchange.n, notes: notes(exchange) }))
        assert.isTrue(
          yield* keepNotes(
            {
              run: run.id,
              notes: stated.flatMap(({ notes }) => notes),
              exchanges: stated.map(({ n, notes }) => ({ n, notes: notes.map(noteHash) }))
            },
            [one.verifier, two.verifier]
          )
        )
        yield* TestClock.setTime(evening + 2 * hour)
        yield* (yield* RunLog).run
        yield* Operators.closeAt(isoTime(evening + 12 * hour))
        const { port } = yield* Service
        const kid = (yield* LogKey).keys().find(({ purpose }) => purpose === "log")?.publicKey
        if (kid === undefined) return assert.fail("no key of the log")
        const date = isoTime(evening).slice(0, 10).replaceAll("-", "")
        const { exit, text } = yield* Effect.promise(async () => {
          const lines: Array<string> = []
          const exit = await main(
            [
              ...["value", "--symbol", "FIL", "--metric", "nodes_online", "--date", date],
              ...["--url", `http://127.0.0.1:${port}`, `--key=${thumbprint(kid)}`],
              ...["--notary", one.vkey, "--notary", two.vkey, "--notaries", "2"]
            ],
            {
              print: (line) => lines.push(line),
              env: { ESPLORA_URL: "http://127.0.0.1:9", PLUMBLINE_PINS: "none" },
              get
            }
          )
          return { exit, text: lines.join("\n") }
        })
        assert.match(text, says, text)
        // Whoever carried it, no lot says how these runs' notaries were drawn.
        assert.match(text, /^not proved +drawn:/m)
        assert.strictEqual(exit, 2, text)
      })
  )
})
