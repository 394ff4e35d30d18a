/** Every Atom feed of the service, by the rules of Atom; and what happened, as a feed. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { EventLog } from "../../core/events/EventLog.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { Brief } from "../../core/publications/Brief.ts"
import { Incidents } from "../../core/readings/ingest/Incidents.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { atomText } from "../../http/explorer/html/atom.ts"
import { atomFaults } from "../support/atomFaults.ts"
import { layerNeeding } from "../support/layerNeeding.ts"
import * as Runs from "../support/runs.ts"
import { baseUrl, Service } from "../support/service.ts"

const name = { symbol: "FIL", metric: "active_storage_providers", source: "made-up" }

/** What is accepted at a time. */
const write = Effect.fnUntraced(function* (now: number, ...rows: ReadonlyArray<readonly [number, string]>) {
  yield* TestClock.setTime(now)
  yield* (yield* Ingest).write(
    Runs.delivery(
      now,
      rows.map(([value, as_of]) => Runs.row(value, as_of, name)),
      "made-up"
    )
  )
})

/** Two days that close, a value that its source restates, and an incident with signs that XML does not take as they are. */
const history = Effect.gen(function* () {
  const { run: close } = yield* DailyClose
  const incidents = yield* Incidents
  const { run } = yield* EventLog
  yield* write(Date.UTC(2026, 8, 6, 7), [300, "2026-09-05T10:00:00Z"])
  yield* run
  yield* TestClock.setTime(Date.UTC(2026, 8, 6, 8))
  yield* close
  yield* run
  yield* write(Date.UTC(2026, 8, 6, 9), [303, "2026-09-05T10:00:00Z"])
  yield* run
  yield* incidents.open(
    { ...name, from: Date.UTC(2026, 8, 5), to: Date.UTC(2026, 8, 5, 9) },
    'a <b>"test"</b> & \u0007 ]]> more'
  )
  yield* run
})

const feed = Effect.fnUntraced(function* (path: string) {
  const { body, headers, status } = yield* (yield* Service).call(path)
  assert.strictEqual(status, 200, path)
  assert.strictEqual(headers["content-type"], "application/atom+xml; charset=utf-8")
  const text = body.toString("utf8")
  const [, self = ""] = /<link rel="self" [^>]*href="([^"]*)"/.exec(text) ?? []
  const { pathname, search } = new URL(self.replaceAll("&amp;", "&"))
  assert.strictEqual((yield* (yield* Service).call(pathname + search)).status, 200, self)
  assert.deepStrictEqual(atomFaults(text), [], path)
  return [...text.matchAll(/<entry>\n<title>(.*?)<\/title>/g)].map(([, title]) => title ?? "")
})

layerNeeding("python")(Service.layer())("the feeds", (it) => {
  it.effect("keep to the rules of Atom", () =>
    Effect.gen(function* () {
      yield* history
      yield* TestClock.setTime(Date.UTC(2026, 8, 7, 8))
      yield* (yield* DailyClose).run
      yield* (yield* Brief).run
      assert.deepStrictEqual(yield* feed("/brief/atom.xml"), ["The weekly brief of 7 Sep 2026"])
      assert.isNotEmpty(yield* feed("/changelog/atom.xml"))
      const link = { href: "https://x.example/?a=1&b=<2>", type: "text/html" }
      const entry = {
        id: "urn:x:1",
        title: "a <b> & \u0000 \ud800",
        updated: "2026-09-05T10:00:00Z",
        page: link
      }
      const whole = { id: "urn:x", title: "T", self: "https://x.example/feed", entries: [entry] }
      assert.deepStrictEqual(atomFaults(atomText(whole)), [])
      assert.deepStrictEqual(atomFaults(atomText({ ...whole, entries: [] })), [])
      // The check itself turns red.
      assert.deepStrictEqual(
        atomFaults(atomText({ ...whole, id: "x", entries: [entry, { ...entry, updated: "today" }] })),
        [
          "feed: id x is no IRI",
          "feed: updated today is no date",
          "two entries have one id",
          "entry 1: updated today is no date"
        ]
      )
    })
  )

  it.effect("say in words what happened, newest first, without the many new values unless asked for", () =>
    Effect.gen(function* () {
      const titles = [
        "Incident 1 opened: active storage providers of Filecoin",
        "Revised: active storage providers of Filecoin on 5 Sep 2026, from 300 to 303",
        "5 Sep 2026 is closed: 1 value in entry"
      ]
      const all = yield* feed("/changes/atom.xml")
      assert.strictEqual(all.length, titles.length, all.join("\n"))
      for (const [n, title] of titles.entries()) assert.include(all[n] ?? "", title)
      assert.deepStrictEqual(yield* feed("/changes/atom.xml?symbol=STORJ"), [])
      assert.deepStrictEqual(yield* feed("/changes/atom.xml?symbol=FIL&kind=values"), [
        "New values of Filecoin: active storage providers 303",
        "New values of Filecoin: active storage providers 300"
      ])
      assert.deepStrictEqual(yield* feed("/changes/atom.xml?kind=revisions%2Cday_closed"), all.slice(1))
      assert.deepStrictEqual(yield* feed("/changes/atom.xml?category=wireless"), [])
    })
  )

  it.effect("lead to a page and a proof that are there, and refuse what they do not know", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const { body } = yield* call("/changes/atom.xml")
      const addresses = [...body.toString("utf8").matchAll(/<entry>[\s\S]*?<\/entry>/g)].flatMap(([entry]) =>
        [...entry.matchAll(/href="([^"]*)"/g)].map(([, href = ""]) => href.replaceAll("&amp;", "&"))
      )
      assert.strictEqual(addresses.length, 6)
      for (const address of addresses) {
        assert.isTrue(address.startsWith(`${baseUrl}/`), address)
        const { pathname, search } = new URL(address)
        assert.strictEqual((yield* call(pathname + search)).status, 200, address)
      }
      assert.strictEqual((yield* call("/changes/atom.xml?kind=nonsense")).status, 400)
      assert.strictEqual((yield* call("/changes/atom.xml?symbol=NOPE")).status, 404)
      const { body: page } = yield* call("/changes")
      assert.include(
        page.toString("utf8"),
        '<link rel="alternate" type="application/atom+xml" title="Plumbline: what happened" href="/changes/atom.xml">'
      )
    })
  )
})
