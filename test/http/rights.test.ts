/** Licence and attribution stand with each value, in every form in which it leaves the service. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { EventLog } from "../../core/events/EventLog.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { credited } from "../../core/products/credited.ts"
import { Anomalies } from "../../core/readings/anomalies/Anomalies.ts"
import { Feeds } from "../../core/readings/Feeds.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { rightsBySource } from "../../core/readings/read/rights.ts"
import { postgres } from "../support/database.ts"
import * as Runs from "../support/runs.ts"
import { manifest, Service } from "../support/service.ts"
import { ask } from "../support/serviceCall.ts"

const now = Date.parse("2026-09-05T12:00:00Z")
const rights = { licence: manifest.terms?.licence, attribution: manifest.terms?.attribution }

/** Rows with a value's time, wherever the answer has them. */
const rowsIn = (answer: unknown): ReadonlyArray<Record<string, unknown>> => {
  if (Array.isArray(answer)) return answer.flatMap(rowsIn)
  if (typeof answer !== "object" || answer === null) return []
  const nested = Object.values(answer).flatMap(rowsIn)
  return "source" in answer && "as_of" in answer ? [{ ...answer }, ...nested] : nested
}

layer(Service.layer({ database: postgres }))("a value of a source whose terms were read", (it) => {
  const answerTo = Effect.fnUntraced(function* (path: string, body?: unknown) {
    const { call } = yield* Service
    const reply = yield* call(
      body === undefined
        ? path
        : {
            path,
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify(body)
          }
    )
    assert.strictEqual(reply.status, 200, path)
    return String(reply.body)
  })

  it.effect("has them in each row of JSON and of CSV", () =>
    Effect.gen(function* () {
      const [metric = ""] = Object.keys(manifest.metrics)
      const { unit = "count" } = manifest.metrics[metric] ?? {}
      const source = manifest.source
      yield* TestClock.setTime(now)
      yield* (yield* Ingest).write(
        Runs.delivery(now, [Runs.row(5, "2026-09-05T11:00:00Z", { metric, unit, source })], manifest.id)
      )
      const lists = [
        "/v1/network/FIL",
        "/v1/supply",
        "/v1/provenance",
        "/v1/history?network=FIL",
        "/v1/networks?query=filecoin%20storage%20providers"
      ]
      for (const path of lists) {
        const rows = rowsIn(JSON.parse(yield* answerTo(path)))
        assert.isNotEmpty(rows, path)
        for (const row of rows) assert.deepInclude(row, rights, path)
      }
      const keyed = JSON.parse(yield* answerTo("/v1/supply?network=FIL"))
      assert.deepInclude(keyed.supply[metric], rights)
      const query = JSON.parse(yield* answerTo("/v1/query", { metrics: [metric], symbols: ["FIL"] }))
      assert.deepInclude(query.rows[0], rights)
      for (const path of ["/v1/network/FIL", "/v1/supply", "/v1/provenance", "/v1/history?network=FIL"]) {
        const table = yield* answerTo(`${path}${path.includes("?") ? "&" : "?"}format=csv`)
        const [head = "", first = ""] = table.split(/\r?\n/)
        assert.match(
          head,
          /,licence,attribution,(held,level_in_doubt,)?source_method,by_definition,by_definition_reason,reviewed(,rung)?$/,
          path
        )
        assert.include(first, `,${rights.licence},`, path)
      }
    })
  )
})

const dayLength = 86_400_000
const firstNoon = Date.UTC(2026, 7, 20, 12)

/** Writes a day's only reading, closes the day and judges it. */
const close = Effect.fnUntraced(function* (n: number, value: number) {
  const noon = firstNoon + n * dayLength
  yield* TestClock.setTime(noon)
  const [metric = ""] = Object.keys(manifest.metrics)
  const row = Runs.row(value, new Date(noon).toISOString(), { metric, source: manifest.source })
  yield* (yield* Ingest).write(Runs.delivery(noon, [row], manifest.id))
  yield* TestClock.setTime(noon + (dayLength * 5) / 6)
  yield* (yield* DailyClose).run
  yield* (yield* Anomalies).run
  return { ...row, at: noon }
})

layer(Anomalies.layer.pipe(Layer.provideMerge(Service.layer({ database: postgres }))))(
  "what is said of a value of a source whose terms were read",
  (it) => {
    const read = (path: string) =>
      Effect.map(ask(path), ({ body, status }) => {
        assert.strictEqual(status, 200, path)
        return body.toString("utf8")
      })

    it.effect("has them where the value changed, is unusual, is proved, and in events", () =>
      Effect.gen(function* () {
        for (let n = 0; n < 12; n++) yield* close(n, 1000 + ((7 * n) % 11))
        const { at, ...unusual } = yield* close(12, 1600)
        const restated = { ...unusual, value: 1500 }
        yield* (yield* Ingest).write(Runs.delivery(at + dayLength, [restated], manifest.id))
        yield* (yield* EventLog).run
        const series = `symbol=FIL&metric=${unusual.metric}`
        const since = new Date(at + dayLength / 2).toISOString()
        for (const [path, member] of [
          ["/v1/revisions", "revisions"],
          ["/v1/corrections", "revisions"],
          ["/v1/anomalies", "anomalies"],
          [`/v1/diff?network=FIL&from=${since}`, "differences"],
          ["/v1/events?kind=values", "values"],
          ["/v1/events?kind=revisions", "revisions"]
        ] as const) {
          const answer = JSON.parse(yield* read(path))
          const [row] = answer[member] ?? answer.events[0].data[member]
          assert.deepInclude(row, rights, path)
        }
        const proved = JSON.parse(yield* read(`/v1/attest?${series}&date=20260831`))
        assert.deepInclude(proved.value, rights)
        for (const list of ["revisions", "anomalies"]) {
          const [head = "", first = ""] = (yield* read(`/v1/${list}?format=csv`)).split(/\r?\n/)
          assert.match(head, /,licence,attribution,source_method$/, list)
          assert.include(first, `,${rights.licence},`, list)
        }
        const { body } = yield* ask({ path: "/network/FIL", headers: { accept: "text/html" } })
        const page = body.toString("utf8")
        assert.include(
          page,
          `<dt><code>${manifest.source}</code></dt><dd>Data: Made-up, Inc.; licence CC-BY-4.0;`
        )
      })
    )
  }
)

describe("rights by source", () => {
  const terms = {
    read: "2026-08-01",
    licence: "CC-BY-4.0",
    show: "yes",
    bulk: "yes",
    sell: "yes",
    bodies: "yes",
    attribution: "Data: Example"
  } as const
  const under = (more: object) =>
    Effect.provideService(
      Feeds,
      Feeds.of({ manifests: [{ ...Runs.manifest, ...more }], states: Effect.succeed(new Map()) })
    )

  it.effect("are those of the feed whose labels have it, with a number for a `*`", () =>
    Effect.gen(function* () {
      const rightsOf = yield* rightsBySource
      const { attribution, licence } = terms
      for (const source of ["test_feed", "other", "chain_7"])
        assert.deepStrictEqual(rightsOf(source), { attribution, licence })
      for (const source of ["chain_x", "nobody"]) assert.deepStrictEqual(rightsOf(source), {})
    }).pipe(under({ terms, sources: ["other", "chain_*"] }))
  )

  it.effect("are those of every source that a payload names, however deep, and of no other text", () =>
    Effect.gen(function* () {
      const payload = {
        source: "nobody",
        rows: [{ inputs: [{ source: "other" }] }, { a_source: "test_feed" }]
      }
      const { rights } = yield* credited(payload)
      assert.deepStrictEqual(Object.keys(rights ?? {}), ["other", "test_feed"])
      assert.deepStrictEqual(yield* credited({ text: "other", source: 5 }), { text: "other", source: 5 })
    }).pipe(under({ terms, sources: ["other"] }))
  )

  it.effect("are not made up where nobody has read the terms", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* rightsBySource)("test_feed"), {})
      assert.deepStrictEqual(yield* credited({ source: "test_feed" }), { source: "test_feed" })
    }).pipe(under({}))
  )
})
