/** An operator's first day in one sitting: how many keys and screens it takes, and what is left. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { day, hour } from "../../core/plugin/time.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { Feeds } from "../../core/readings/Feeds.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { confirm, confirmSome, FeedEvidence } from "../../core/readings/ingest/compare/confirmation.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { standings } from "../../core/readings/read/standings.ts"
import { page } from "../../runtime/confirming/page.ts"
import { figureKey } from "../../runtime/confirming/recorded.ts"
import { isOdd, type Sheet, sheetNow } from "../../runtime/confirming/sheet.ts"
import { type Decision, pressed, reasons, screenOf, sitting } from "../../runtime/confirming/sitting.ts"
import { postgres } from "../support/database.ts"
import { plugins } from "../support/plugins.ts"
import * as Runs from "../support/runs.ts"
import { changes, noon, playDayOne } from "./dayOne.ts"

const services = Ingest.layer.pipe(
  Layer.provideMerge(Current.layer),
  Layer.provideMerge(Blobs.layerTable),
  Layer.provideMerge(Layer.effectDiscard(Effect.orDie(partitions.ensure(noon)))),
  Layer.provideMerge(
    Layer.succeed(
      Feeds,
      Feeds.of({ manifests: plugins.map(({ manifest }) => manifest), states: Effect.succeed(new Map()) })
    )
  ),
  Layer.provideMerge(
    Layer.succeed(FeedEvidence, {
      hasCase: () => Effect.succeed(false),
      isShapeKept: () => Effect.succeed(false)
    })
  ),
  Layer.provideMerge(postgres)
)

/** Everything that a person decides in one sitting: keys for what he sees to be right, Enter past the rest. */
const sit = (sheet: Sheet, isRight: (plugin: string) => boolean) => {
  const counted = { keys: 0, screens: 0 }
  const decisions: Array<Decision> = []
  let state = sitting(sheet, { height: 40, width: 120 })
  const press = (key: string) => {
    counted.keys++
    const { decision, state: next } = pressed(state, key)
    if (decision !== undefined) decisions.push(decision)
    state = next
  }
  while (!state.over) {
    counted.screens++
    const lines = screenOf(state)
    assert.isAtMost(lines.length, 40)
    assert.isAtMost(Math.max(...lines.map((line) => line.length)), 120)
    const marks = lines.flatMap((line) => {
      const [, letter = "", mark, plugin = ""] = /^\[([a-z])\] ([●○]) ([a-z0-9-]+):/.exec(line) ?? []
      return letter === "" ? [] : [{ letter, isChosen: mark === "●", plugin }]
    })
    for (const { isChosen, letter, plugin } of marks) if (isChosen !== isRight(plugin)) press(letter)
    press(marks.some(({ plugin }) => isRight(plugin)) ? "2" : "enter")
  }
  return { ...counted, decisions }
}

const carryOut = (decision: Decision) =>
  "feeds" in decision
    ? Effect.forEach(decision.feeds, (plugin) => confirm(plugin, "operator", decision.reason))
    : Effect.die("no feed was opened")

const seriesRows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ plugin: string; how: string; n: number; stated: unknown }>`
    select plugin, how, cardinality(series) as n, stated from series_standing where state = 'confirmed' order by id`
})

layer(services)("the first day of an operator", (it) => {
  it.effect(
    "takes at most 60 keys and 10 screens, and leaves the ten feeds that sent something else",
    () =>
      Effect.gen(function* () {
        const ids = yield* playDayOne
        assert.isAtLeast(ids.length, 85)
        const sheet = yield* sheetNow()
        assert.sameMembers(
          sheet.feeds.map(({ plugin }) => plugin),
          ids
        )
        const wrong = Object.keys(changes)
        assert.lengthOf(wrong, 10)
        // Each of the ten is odd, and stands before all of which nothing is.
        const odd = sheet.feeds.filter(isOdd).map(({ plugin }) => plugin)
        assert.includeMembers(odd, wrong)
        assert.isAtMost(odd.length, 14)
        assert.deepStrictEqual(
          [...sheet.feeds.slice(0, odd.length - 1), ...sheet.feeds.slice(-1)].map(({ plugin }) => plugin),
          odd
        )
        assert.deepInclude(sheet.feeds.at(-1), {
          plugin: "btfs",
          figures: [],
          doubts: ["its last run failed: https://scan-backend.btfs.io/v1/storage_provider/list: code 1: "]
        })

        const { decisions, keys, screens } = sit(sheet, (plugin) => !wrong.includes(plugin))
        assert.isAtMost(keys, 60)
        assert.isAtMost(screens, 10)
        for (const decision of decisions) yield* carryOut(decision)
        const left = [...(yield* standings())].flatMap(([plugin, { state }]) =>
          state === "unconfirmed" ? [plugin] : []
        )
        assert.sameMembers(left, wrong)
        assert.sameMembers(
          (yield* sheetNow()).feeds.map(({ plugin }) => plugin),
          wrong
        )
        const sql = yield* SqlClient.SqlClient
        const [{ n = 0 } = {}] = yield* sql<{ n: number }>`
          select count(*)::int as n from feed_confirmation where state = 'confirmed' and reason = ${reasons["2"] ?? ""}`
        assert.strictEqual(n, ids.length - 10)
      }),
    120_000
  )

  it.effect(
    "has what agrees by itself confirmed by itself, with what was compared, and says what contradicts",
    () =>
      Effect.gen(function* () {
        const seconds = (yield* seriesRows).filter(({ how }) => how === "second source")
        assert.isNotEmpty(seconds)
        for (const { n, plugin, stated } of seconds) {
          assert.lengthOf(stated as ReadonlyArray<unknown>, n)
          assert.notInclude(
            JSON.stringify((stated as ReadonlyArray<{ second: unknown }>)[0]?.second),
            `"plugin":"${plugin}"`
          )
        }
        const [weather] = (yield* sheetNow(["weatherxm"])).feeds
        const supply = weather?.figures[0]
        assert.deepInclude(supply, { metric: "circulating_supply", recorded: 57_000_102.517 })
        assert.match(
          supply?.doubts.join() ?? "",
          /^coingecko_markets has 57000000 of .*; they may differ by 10 %/
        )
        assert.deepInclude(supply?.seconds[0], { plugin: "coingecko", agrees: false, tolerance: 0.1 })
      })
  )

  it.effect(
    "says of a figure what it means, how large it can be, how old it is, and what contradicts it",
    () =>
      Effect.gen(function* () {
        const [sia] = (yield* sheetNow(["sia"])).feeds
        assert.deepInclude(sia, { canaries: 1, confirmed: 0, doubts: [] })
        assert.deepInclude(sia?.figures[0], {
          metric: "active_storage_providers",
          value: 4210,
          recorded: 421,
          greatest: Number.MAX_SAFE_INTEGER,
          verify_url: "https://api.siascan.com/metrics/host",
          doubts: ["10 times its author's case, which has 421 (about 10: another unit?)"]
        })
        assert.include(sia?.figures[0]?.meaning ?? "", "Hosts that answered")
        const paper = page(yield* sheetNow(["sia"]))
        assert.include(paper, "10 times its author&#39;s case")
        assert.include(paper, 'href="https://api.siascan.com/metrics/host"')
        assert.include(paper, "1 figure that cannot move is asked once a day")
        assert.include(paper, "4 figures that nothing contradicts")
        const [tor] = (yield* sheetNow(["tor"])).feeds
        assert.deepStrictEqual(tor?.figures[0]?.doubts, [
          "84 days old, read every 60 min; 45 min in its author's case"
        ])
      })
  )

  it.effect("says what the day before was, and what a newer reading is that is held", () =>
    Effect.gen(function* () {
      const { write } = yield* Ingest
      const read = (at: number, hosts: number) =>
        Effect.andThen(
          TestClock.setTime(at),
          write(
            Runs.delivery(
              at,
              [
                Runs.row(hosts, isoTime(at), {
                  symbol: "SC",
                  metric: "active_storage_providers",
                  source: "siascan"
                })
              ],
              "sia"
            )
          )
        )
      yield* read(noon + day, 4300)
      yield* read(noon + day + hour, 4_300_000)
      const [sia] = (yield* sheetNow(["sia"])).feeds
      const figure = sia?.figures.find(({ metric }) => metric === "active_storage_providers")
      assert.deepInclude(figure, { value: 4300, before: { value: 4210, as_of: "2026-09-15T11:58:30Z" } })
      assert.match(figure?.doubts[0] ?? "", /^a newer 4300000 is held: 4300000 is 1,000 times 4300/)
      yield* TestClock.setTime(noon)
    })
  )

  it.effect("decides single figures of a feed, and leaves its odd ones", () =>
    Effect.gen(function* () {
      const sheet = yield* sheetNow(["weatherxm"])
      const opened = pressed(sitting(sheet, { height: 40, width: 120 }), "A").state
      assert.include(screenOf(opened)[0] ?? "", "Figures of weatherxm")
      const { decision } = pressed(opened, "1")
      if (decision === undefined || "feeds" in decision) return assert.fail("no figures were decided")
      assert.lengthOf(decision.series, 5)
      assert.notInclude(decision.series.join(), "circulating_supply")
      const figures = sheet.feeds[0]?.figures ?? []
      const ids = figures
        .filter((one) => decision.series.includes(figureKey(one)))
        .map(({ series }) => series)
      assert.isTrue(yield* confirmSome("weatherxm", ids, decision.reason))
      const [left] = (yield* sheetNow(["weatherxm"])).feeds
      assert.strictEqual(left?.confirmed, 5)
      assert.deepStrictEqual(
        left?.figures.map(({ metric }) => metric),
        ["circulating_supply"]
      )
      const snapshot = yield* (yield* Current).snapshot
      const marks = snapshot.rows.filter(({ plugin }) => plugin === "weatherxm").map((row) => row.unconfirmed)
      assert.deepStrictEqual(marks.filter(Boolean), [true])
    })
  )
})
