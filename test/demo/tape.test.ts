import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { instants, reads, start } from "../../runtime/demo/instants.ts"
import type { Plan } from "../../runtime/demo/Plan.ts"
import { runId } from "../../runtime/demo/produce.ts"
import { reel, tapeAt, timeOn } from "../../runtime/demo/tape.ts"

const base = Date.parse("2026-09-05T11:00:00Z")
const day = 86_400_000

const tapeOf = (text: string, url = "https://x.org/a") => {
  const body = new TextEncoder().encode(text)
  const request = { method: "GET", url } as const
  const headers = { date: new Date(base).toUTCString(), etag: '"1"' }
  const sha256 = createHash("sha256").update(body).digest("hex")
  return {
    now: base,
    targets: [],
    settings: {},
    exchanges: [{ request, at: base, status: 200, headers, sha256, body }]
  }
}

const plan = (changes: Partial<Plan["payloads"][string]>, more: Omit<Plan, "payloads"> = {}): Plan => ({
  ...more,
  payloads: { "1.json": { walk: [], shift: [], thin: [], ...changes } }
})

const bodyAt = (text: string, changes: Partial<Plan["payloads"][string]>, now: number, more = {}): string => {
  const made = tapeAt(reel("x", tapeOf(text), ["1.json"], plan(changes, more)), now)
  return new TextDecoder().decode(made.exchanges[0]?.body)
}

describe("the tape", () => {
  const text = '{ "id": 7, "at": "2026-09-05T10:30:00Z",\n "list": [ {"n": 1000.50 }, {"n":2000} ] }\n'
  const changes = { walk: [{ at: "/list/*/n" }], shift: [{ at: "/at", form: "iso" as const }] }

  it("changes what the plan names and not a byte more", () => {
    const made = bodyAt(text, changes, base - 4 * day)
    const form = /^\{ "id": 7, "at": "(.*)",\n "list": \[ \{"n": (\d+\.\d\d) \}, \{"n":(\d+)\} \] \}\n$/
    const [, at, first, second] = form.exec(made) ?? []
    assert.strictEqual(at, "2026-09-01T10:30:00Z")
    assert.notStrictEqual(first, "1000.50")
    assert.notStrictEqual(second, "2000")
  })

  it("tells a past time again with other numbers", () => {
    const made = reel("x", tapeOf(text), ["1.json"], plan(changes))
    const bodyOf = (now: number, told?: number) =>
      new TextDecoder().decode(tapeAt(made, now, told).exchanges[0]?.body)
    const later = base - 3.6 * day
    const [first, again] = [bodyOf(base - 4 * day), bodyOf(later, base - 4 * day)]
    assert.include(first, "2026-09-01T10:30:00Z")
    assert.strictEqual(again, bodyOf(later).replace("2026-09-01T20:06:00Z", "2026-09-01T10:30:00Z"))
    assert.notStrictEqual(first, again)
  })

  it("is the same each time, with the hash of its bytes", () => {
    const made = reel("x", tapeOf(text), ["1.json"], plan(changes))
    const [a] = tapeAt(made, base - day).exchanges
    const [b] = tapeAt(reel("x", tapeOf(text), ["1.json"], plan(changes)), base - day).exchanges
    assert.deepStrictEqual(a, b)
    assert.strictEqual(
      a?.sha256,
      createHash("sha256")
        .update(a?.body ?? "")
        .digest("hex")
    )
    assert.strictEqual(a?.at, base - day)
    assert.strictEqual(a?.headers["date"], "Fri, 04 Sep 2026 11:00:00 GMT")
    assert.strictEqual(a?.headers["etag"], '"1"')
  })

  it("is the recording itself at the recording's own time", () => {
    const tape = tapeOf(text)
    assert.strictEqual(tapeAt(reel("x", tape, ["1.json"], plan(changes)), base), tape)
  })

  it("walks two plugins apart", () => {
    const one = tapeAt(reel("x", tapeOf(text), ["1.json"], plan(changes)), base - day)
    const two = tapeAt(reel("y", tapeOf(text), ["1.json"], plan(changes)), base - day)
    assert.notDeepEqual(one.exchanges[0]?.body, two.exchanges[0]?.body)
  })

  it("asks by the date of its time", () => {
    const tape = tapeOf("{}", "https://x.org/2026-09-04.json")
    const [made] = tapeAt(reel("x", tape, ["1.json"], plan({})), base - day).exchanges
    assert.strictEqual(made?.request.url, "https://x.org/2026-09-03.json")
  })

  it("stands still for a day where the upstream publishes once a day", () => {
    const noon = base - 2 * day
    const at = (ms: number, more: Omit<Plan, "payloads">) =>
      bodyAt('{"n":100000}', { walk: [{ at: "/n" }] }, ms, more)
    assert.notStrictEqual(at(noon, {}), at(noon + 3_600_000, {}))
    assert.strictEqual(at(noon, { daily: true }), at(noon + 3_600_000, { daily: true }))
    assert.notStrictEqual(at(noon, { daily: true }), at(noon - day, { daily: true }))
  })

  it("leaves items of a list out, and the list stays JSON", () => {
    const many = JSON.stringify({ list: Array.from({ length: 300 }, (_, n) => ({ n, tags: ["a", "b"] })) })
    const lengths = Array.from({ length: 10 }, (_, back) => {
      const made = bodyAt(many, { thin: [{ at: "/list" }] }, base - back * 2 * day)
      return (JSON.parse(made) as { list: ReadonlyArray<unknown> }).list.length
    })
    assert.strictEqual(lengths[0], 300)
    assert.isAbove(new Set(lengths).size, 3)
    for (const length of lengths) assert.isAtLeast(length, 255)
  })

  it("thins dictionaries and walks lines and cells too", () => {
    const dictionary = JSON.stringify(
      Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`k${n}`, [n]]))
    )
    assert.isBelow(
      Object.keys(JSON.parse(bodyAt(dictionary, { thin: [{ at: "" }] }, base - 5 * day))).length,
      200
    )
    assert.match(
      bodyAt('{"n":1000}\n{"n":2000}\n', { walk: [{ at: "/*/n" }] }, base - day),
      /^\{"n":\d+\}\n\{"n":\d+\}\n$/
    )
    const cells = bodyAt("h,n\na,1000\nb,2000\n", { walk: [{ at: "/*/1" }] }, base - day)
    assert.match(cells, /^h,n\na,\d+\nb,\d+\n$/)
    assert.notStrictEqual(cells, "h,n\na,1000\nb,2000\n")
  })

  it("tells of no time before bars that hold their own past, and snaps to a bar or a period", () => {
    const bars = reel("x", tapeOf("[]"), ["1.json"], plan({}, { bar_hours: 1 }))
    assert.isUndefined(timeOn(bars, base - 1))
    assert.strictEqual(timeOn(bars, base), base)
    assert.strictEqual(timeOn(bars, base + 3_599_999), base)
    assert.strictEqual(timeOn(bars, base + 2 * 3_600_000), base + 2 * 3_600_000)
    const periodic = reel("x", tapeOf("{}"), ["1.json"], plan({}, { period_hours: 3 }))
    assert.strictEqual(timeOn(periodic, base - 3_600_000), base - 3 * 3_600_000)
    assert.strictEqual(timeOn(periodic, base), base)
  })
})

describe("bars", () => {
  const hour = 3_600_000
  const prices = ["10.00", "12.50", "11.25", "13.00", "12.75"]
  const text = JSON.stringify(
    prices.slice(1).map((close, n) => {
      const start = base - (4 - n) * hour
      return [start, prices[n], "14.00", "9.00", close, `${n}.5`, start + hour - 1, "0", 7]
    })
  )
  type Row = readonly [number, string, string, string, string, string, number, string, number]
  const at = (ms: number) => JSON.parse(bodyAt(text, {}, base + ms, { bar_hours: 1 })) as ReadonlyArray<Row>

  it("go on hour by hour, each from the price that the last one ended with", () => {
    const told = new Map<number, string>()
    for (let n = 0; n <= 25; n++) {
      const rows = at(n * hour)
      assert.strictEqual(rows.length, 4)
      for (const [index, row] of rows.entries()) {
        const [start, open, high, low, close, , end] = row
        assert.strictEqual(start, base - (4 - index - n) * hour)
        assert.strictEqual(end, start + hour - 1)
        assert.deepStrictEqual([high, low], ["14.00", "9.00"])
        assert.strictEqual(open, rows[index - 1]?.[4] ?? open)
        assert.include(prices, close)
        // What was told of an hour stays.
        assert.strictEqual(told.get(start) ?? JSON.stringify(row), JSON.stringify(row))
        told.set(start, JSON.stringify(row))
      }
    }
    assert.strictEqual(told.size, 29)
  })

  it("are those of the recording until the next bar is closed", () => {
    assert.strictEqual(JSON.stringify(at(hour - 1)), text)
  })
})

describe("the demo's instants", () => {
  it("cover each day of the tape once, newest first, and then the other hours of the last", () => {
    const daily = instants.filter(({ hourly }) => !hourly).map(({ at }) => at)
    const days = daily.map((at) => new Date(at).toISOString().slice(0, 10))
    assert.strictEqual(days[0], "2026-09-04")
    assert.strictEqual(days.at(-1), "2026-08-06")
    assert.strictEqual(new Set(days).size, 30)
    assert.deepStrictEqual(
      daily,
      [...daily].sort((a, b) => b - a)
    )
    assert.deepStrictEqual(
      instants.slice(0, 30).map(({ at }) => at),
      daily
    )
    const last = instants
      .map(({ at }) => new Date(at).toISOString())
      .filter((at) => at.startsWith("2026-09-04"))
    assert.strictEqual(new Set(last.map((at) => at.slice(0, 13))).size, 24)
    for (const { at } of instants) assert.isBelow(at, start)
  })

  it("ask a slow plugin as seldom as it reads", () => {
    const hours = instants.filter(({ hourly }) => hourly)
    const asked = (every: "15 minutes" | "6 hours" | "1 day") =>
      hours.filter((instant) => reads(every, instant)).length
    assert.deepStrictEqual([asked("15 minutes"), asked("6 hours"), asked("1 day")], [23, 3, 0])
  })

  it("give each run an id of its own that is the same each time", () => {
    const ids = instants.flatMap(({ at }) => [runId("a", at), runId("b", at)])
    assert.strictEqual(new Set(ids).size, ids.length)
    for (const id of ids)
      assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    assert.strictEqual(runId("a", base), runId("a", base))
  })
})
