import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { runId } from "../../runtime/demo/produce.ts"
import { instants, lastReading, nextReading, reads, start } from "../../runtime/tape/instants.ts"
import { change } from "../../runtime/tape/market.ts"
import type { Plan } from "../../runtime/tape/Plan.ts"
import { reel, tapeAt, timeOn } from "../../runtime/tape/tape.ts"

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
  const tape = tapeAt(reel("x", tapeOf(text), ["1.json"], plan(changes, more)), now)
  return new TextDecoder().decode(tape.exchanges[0]?.body)
}

describe("the tape", () => {
  const text = '{ "id": 7, "at": "2026-09-05T10:30:00Z",\n "list": [ {"n": 1000.50 }, {"n":2000} ] }\n'
  const changes = { walk: [{ at: "/list/*/n" }], shift: [{ at: "/at", form: "iso" as const }] }

  it("changes what the plan names and not a byte more", () => {
    const body = bodyAt(text, changes, base - 4 * day)
    const form = /^\{ "id": 7, "at": "(.*)",\n "list": \[ \{"n": (\d+\.\d\d) \}, \{"n":(\d+)\} \] \}\n$/
    const [, at, first, second] = form.exec(body) ?? []
    assert.strictEqual(at, "2026-09-01T10:30:00Z")
    assert.notStrictEqual(first, "1000.50")
    assert.notStrictEqual(second, "2000")
  })

  it("tells a past time again with other numbers", () => {
    const testReel = reel("x", tapeOf(text), ["1.json"], plan(changes))
    const bodyOf = (now: number, asOf?: number) =>
      new TextDecoder().decode(tapeAt(testReel, now, asOf).exchanges[0]?.body)
    const later = base - 3.6 * day
    const [first, again] = [bodyOf(base - 4 * day), bodyOf(later, base - 4 * day)]
    assert.include(first, "2026-09-01T10:30:00Z")
    assert.strictEqual(again, bodyOf(later).replace("2026-09-01T20:06:00Z", "2026-09-01T10:30:00Z"))
    assert.notStrictEqual(first, again)
  })

  it("is the same each time, with the hash of its bytes", () => {
    const testReel = reel("x", tapeOf(text), ["1.json"], plan(changes))
    const [a] = tapeAt(testReel, base - day).exchanges
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
    const [exchange] = tapeAt(reel("x", tape, ["1.json"], plan({})), base - day).exchanges
    assert.strictEqual(exchange?.request.url, "https://x.org/2026-09-03.json")
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
      const body = bodyAt(many, { thin: [{ at: "/list" }] }, base - back * 2 * day)
      return (JSON.parse(body) as { list: ReadonlyArray<unknown> }).list.length
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

  it("snaps to the period of a plugin that asks for something else each hour", () => {
    const periodic = reel("x", tapeOf("{}"), ["1.json"], plan({}, { period_hours: 3 }))
    assert.strictEqual(timeOn(periodic, base - 3_600_000), base - 3 * 3_600_000)
    assert.strictEqual(timeOn(periodic, base), base)
  })

  it("moves a price with those of its asset, however many digits it was recorded with", () => {
    const text = '[{"price":"2.4","token":{"id":"filecoin"}},{"price":9.60,"token":{"id":"filecoin"}}]'
    const body = bodyAt(text, { walk: [{ at: "/*/price", price: "/*/token/id" }] }, base - 3 * day)
    const [, first, second] = /"price":"(.*?)".*"price":(.*?),/.exec(body) ?? []
    assert.closeTo(Number(second) / Number(first), 4, 0.0001)
    assert.closeTo(Number(first), 2.4 * change("filecoin", base, base - 3 * day), 0.0001)
    assert.isAbove(String(first).length, 3)
  })

  it("lets an upstream that was slow when recorded tell of times nearer to now", () => {
    const text = '{"at":"2026-09-05T10:00:00Z","first":"2026-09-01T10:00:00Z"}'
    const shift = ["/at", "/first"].map((at) => ({ at, form: "iso" as const }))
    assert.strictEqual(
      bodyAt(text, { shift }, base + day, { ages: 0.1 }),
      '{"at":"2026-09-06T10:54:00Z","first":"2026-09-02T10:00:00Z"}'
    )
  })

  it("leaves the time that a list began with", () => {
    const text = '["2026-09-01","2026-09-02"]'
    const shift = [{ at: "/*", form: "date" as const, days: 4 }]
    assert.strictEqual(bodyAt(text, { shift }, base + day), '["2026-09-01","2026-09-03"]')
  })

  it("lets all numbers of a plugin that only grow grow alike", () => {
    const text = '{"parts":[1000000,3000000],"all":4000000}'
    const walk = ["/parts/*", "/all"].map((at) => ({ at, monotone: true as const }))
    const { all, parts } = JSON.parse(bodyAt(text, { walk }, base + 9 * day))
    assert.isAbove(all, 4_000_000)
    assert.closeTo(parts[0] + parts[1], all, 2)
  })
})

describe("bars", () => {
  const hour = 3_600_000
  const text = JSON.stringify(
    [0, 1, 2, 3].map((n) => {
      const start = base - (3 - n) * hour
      return [start, "11.00", "14.00", "9.00", "12.75", `${n}.5`, start + hour - 1, "0", 7]
    })
  )
  type Row = readonly [number, string, string, string, string, string, number, string, number]
  const at = (ms: number) =>
    JSON.parse(
      new TextDecoder().decode(
        tapeAt(
          reel(
            "x",
            tapeOf(text, "https://x.org/klines?symbol=FILUSDT"),
            ["1.json"],
            plan({}, { list: "bars" })
          ),
          ms
        ).exchanges[0]?.body
      )
    ) as ReadonlyArray<Row>

  it("go on hour by hour on the path of the asset's price, each from where the last one ended", () => {
    const closedHours = new Map<number, string>()
    for (let n = 1; n <= 25; n++) {
      const now = base + n * hour + 60_000
      const rows = at(now)
      assert.strictEqual(rows.at(-1)?.[0], base + n * hour)
      for (const [index, row] of rows.entries()) {
        const [start, open, high, low, close, , end] = row
        assert.strictEqual(end, start + hour - 1)
        assert.strictEqual(open, rows[index - 1]?.[4] ?? open)
        const ends = [Number(open), Number(close)]
        assert.isAtLeast(Number(high), Math.max(...ends))
        assert.isAtMost(Number(low), Math.min(...ends))
        assert.closeTo(Number(close), 12.75 * change("filecoin", base, Math.min(now, end + 1)), 0.01)
        if (end >= now) continue
        // What was told of an hour that is over stays.
        assert.strictEqual(closedHours.get(start) ?? JSON.stringify(row), JSON.stringify(row))
        closedHours.set(start, JSON.stringify(row))
      }
    }
  })

  it("are few long before the demo starts", () => {
    assert.strictEqual(at(base - 20 * day).length, 4)
  })
})

describe("the demo's instants", () => {
  it("cover each day of the tape once before the day before it is closed, oldest first, and then more often", () => {
    const daily = instants.filter(({ extra }) => !extra).map(({ at }) => new Date(at).toISOString())
    assert.strictEqual(daily[0], "2026-08-06T07:00:00.000Z")
    assert.strictEqual(daily.at(-1), "2026-09-05T07:00:00.000Z")
    assert.strictEqual(daily.length, 31)
    const times = instants.map(({ at }) => at)
    assert.deepStrictEqual(
      times,
      [...times].sort((a, b) => a - b)
    )
    const last = times.map((at) => new Date(at).toISOString()).filter((at) => at.startsWith("2026-09-04"))
    assert.strictEqual(last.length, 8)
    for (const at of times) assert.isBelow(at, start)
  })

  it("ask a slow plugin as seldom as it reads", () => {
    const extra = instants.filter((instant) => instant.extra)
    const extraReads = (every: "15 minutes" | "6 hours" | "1 day") =>
      extra.filter((instant) => reads(every, instant)).length
    assert.deepStrictEqual([extraReads("15 minutes"), extraReads("6 hours"), extraReads("1 day")], [10, 4, 0])
  })

  it("are followed by the cadence of each plugin, on a grid that stays", () => {
    const manifest = { id: "filecoin", every: "15 minutes" as const }
    const last = lastReading(manifest, start)
    assert.isAtMost(last, start)
    assert.strictEqual(nextReading(manifest, last), last + 900_000)
    assert.strictEqual(nextReading(manifest, last + 1), last + 900_000)
    assert.strictEqual(lastReading(manifest, last), last)
  })

  it("give each run an id of its own that is the same each time", () => {
    const ids = instants.flatMap(({ at }) => [runId("a", at), runId("b", at)])
    assert.strictEqual(new Set(ids).size, ids.length)
    for (const id of ids)
      assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    assert.strictEqual(runId("a", base), runId("a", base))
  })
})
