/** Where a comparison with other operators shows: the feed, metrics, answers, pages and the doctor. */
import { assert } from "@effect/vitest"
import { Effect, Layer, Metric, Option, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { EventLog } from "../../core/events/EventLog.ts"
import { events, eventsText } from "../../core/events/read/events.ts"
import type { Observer } from "../../core/log/observers/Observers.ts"
import { noteKeyText, verifierOf } from "../../core/proof/checkpoint.ts"
import { keyless } from "../../core/readings/read/Access.ts"
import { countsBetween } from "../../core/readings/read/agreementCounts.ts"
import { history } from "../../core/readings/read/history.ts"
import { network } from "../../core/readings/read/network.ts"
import { EventsResponse } from "../../core/wire/events/event.ts"
import { Vouching } from "../../http/Vouching.ts"
import { observerFindings } from "../../runtime/doctor/observers.ts"
import { ofObservers } from "../../runtime/metrics/observers.ts"
import { accountOf, crossingsOf, look, newAlert } from "./alerts.ts"
import { Service } from "./service.ts"

/** The day that was compared. */
const first = "2026-09-04"

/** What differs is an event for each network, a metric, and a mark on the page. */
export const toldOnce = Effect.fnUntraced(function* (differing: string) {
  const eventLog = yield* EventLog
  const { ask } = yield* accountOf("agent")
  const alert = yield* newAlert(ask, { condition: { kind: "disagree" } })
  yield* eventLog.run
  yield* eventLog.run
  yield* look
  const [crossing, ...more] = yield* crossingsOf(ask, alert.id)
  assert.deepStrictEqual(more, [])
  assert.match(crossing?.says ?? "", /^nodes_online of FIL is 100 \(count\) by .*, and 150 \(count\) by /)
  assert.include(crossing?.says ?? "", `by ${differing} at `)
  assert.include(crossing?.proof_url ?? "", "date=20260904")
  const feed = yield* events({ access: { ...keyless, breadth: "all" }, kind: "observer_disagreement" })
  const decoded = yield* Schema.decodeUnknownEffect(EventsResponse)(JSON.parse(eventsText(feed)))
  const [event, ...others] = decoded.events
  assert.deepStrictEqual(others, [])
  assert(event?.kind === "observer_disagreement")
  assert.strictEqual(event.symbol, "FIL")
  const [value, ...rest] = event.data.disagreements
  assert.deepStrictEqual(rest, [])
  assert.deepInclude(value, { day: first, metric: "nodes_online", value: 100, n_observers: 2, n_agree: 1 })
  assert.deepStrictEqual(
    value?.others.map(({ origin, unit, value: agreeing }) => [origin, unit, agreeing]),
    [[differing, "count", 150]]
  )

  yield* ofObservers(Date.parse("2026-09-05T09:00:00Z"))
  const gauges = (yield* Metric.snapshot).flatMap((one) =>
    one.type === "Gauge" && one.id.startsWith("plumbline_observe")
      ? [[one.id, Object.values(one.attributes ?? {}).join(), one.state.value] as const]
      : []
  )
  const gauge = (id: string, label: string) => gauges.find(([name, of]) => name === id && of === label)?.[2]
  assert.strictEqual(gauge("plumbline_observed_values", "differs"), 1)
  assert.strictEqual(gauge("plumbline_observed_values", "close"), 1)
  assert.strictEqual(gauge("plumbline_observed_values", "silent"), 0)
  assert.strictEqual(gauge("plumbline_observed_age_seconds", ""), 9 * 3600)
  assert.strictEqual(gauge("plumbline_observer_unread", differing), 0)

  const html = yield* page("/network/FIL/nodes_online")
  assert.match(html, /Another operator has another value<\/strong> of 4 Sep 2026/)
  assert.include(html, `${differing} has `)
  assert.match(html, /1 of 2 other operators saw the same; log entry \d/)
})

/** Points of history, rows of the network and the pages say by how many a value was seen; another value of the day does not. */
export const seenBySome = Effect.gen(function* () {
  const window = { network: "FIL", days: 2, access: keyless }
  const { data } = yield* history(window)
  const points = Object.entries(data["FIL"] ?? {}).map(([metric, { points }]) => [metric, points])
  assert.deepStrictEqual(points, [
    ["nodes_online", [{ date: first, value: 100, n_observations: 1, n_observers: 2, n_agree: 1 }]],
    ["storage_bytes", [{ date: first, value: 1000, n_observations: 1, n_observers: 2, n_agree: 2 }]]
  ])
  const rows = yield* network("FIL")
  assert.deepStrictEqual(
    rows.map(({ agreement, metric }) => [metric, agreement]),
    [
      ["nodes_online", { day: first, n_observers: 2, n_agree: 1 }],
      ["storage_bytes", { day: first, n_observers: 2, n_agree: 2 }]
    ]
  )
  const sql = yield* SqlClient.SqlClient
  const [{ series } = { series: 0 }] = yield* sql<{
    series: number
  }>`select series from agreement_value where place = 0`
  for (const from of [first, "2026-07-01"]) {
    const bounds = { from: Date.parse(from), to: Date.parse(first) }
    const seenOn = yield* countsBetween([series], bounds, 100)
    assert.deepStrictEqual(seenOn(series, first, 100), { n_observers: 2, n_agree: 1 })
    assert.isUndefined(seenOn(series, first, 101), "a restated value is not the one that was compared")
    assert.isUndefined(seenOn(series + 1000, first, 100))
  }

  assert.match(yield* page("/network/FIL"), /seen by 1 of 2[\s\S]*seen by 2 of 2/)
  assert.match(
    yield* page("/v1/history?network=FIL&days=2&format=csv"),
    /n_observers,n_agree,licence,attribution,source_method,by_definition,by_definition_reason,reviewed\r?\n[^\n]*,2,1,,,,,,\r?\n/
  )
})

/** The page names the observers with their keys, and says what they have. */
export const saidOnTrust = Effect.fnUntraced(function* (observers: ReadonlyArray<Observer>) {
  const html = yield* page("/trust")
  const rows = [...html.matchAll(/<tr role="row"><th scope="row".*?<\/tr>/g)].map(([row]) => row)
  for (const [n, { key }] of observers.entries()) {
    const row = rows.find((one) => one.includes(noteKeyText(key)))
    assert.match(
      row ?? "",
      n === 0 ? />4 Sep 2026, log entry \d+<.*>2<.*>0</ : />4 Sep 2026, log entry \d+<.*>1<.*>1</
    )
  }
  assert.include(html, "of 2 values of 4 Sep 2026 they have 2.")
})

/** The doctor tells an observer that answers from one with another key and one that is away. */
export const examined = Effect.fnUntraced(function* (agreeing: Observer, other: Observer) {
  const setting = [
    `${noteKeyText(agreeing.key)} ${agreeing.url}`,
    `${noteKeyText(verifierOf(agreeing.key.name, other.key.publicKey))} ${agreeing.url}/`,
    `${noteKeyText(other.key)} http://127.0.0.1:1`
  ].join("\n")
  const findings = yield* observerFindings({ observers: Option.some(setting) })
  assert.deepStrictEqual(
    findings.map(({ check, state }) => [check, state]),
    [
      ["reach", "ok"],
      ["reach", "warn"],
      ["reach", "warn"]
    ]
  )
  const [fine, forged, away] = findings.map(({ message }) => message)
  assert.match(fine ?? "", /shows a head of \d+ entries, signed by the key in OBSERVERS/)
  assert.match(forged ?? "", /the key that OBSERVERS names did not sign it/)
  assert.match(away ?? "", /127\.0\.0\.1:1: /)
  assert.deepStrictEqual(yield* observerFindings({ observers: Option.none() }), [])
})

export const page = Effect.fnUntraced(function* (path: string) {
  const { body } = yield* (yield* Service).call(path)
  return Buffer.from(body).toString()
})

/** The observers that the settings name, to the pages. */
const named: { of: ReadonlyArray<Observer> } = { of: [] }
export const nameObservers = (of: ReadonlyArray<Observer>) =>
  Effect.sync(() => {
    named.of = of
  })

export const vouching = Layer.succeed(
  Vouching,
  Effect.sync(() => ({
    observers: named.of.map(({ key, url }) => ({ vkey: noteKeyText(key), url })),
    notaries: [],
    witnesses: [],
    needsWitnesses: false,
    mirrors: []
  }))
)
