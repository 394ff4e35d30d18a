/** A sitting at a terminal: which keys reach it, and what is carried out before the next screen. */
import { assert, it } from "@effect/vitest"
import { Effect, Option, Queue, Terminal } from "effect"
import type { Sheet, SheetFeed } from "../../runtime/confirming/sheet.ts"
import { sit } from "../../runtime/confirming/sit.ts"
import { type Decision, reasons } from "../../runtime/confirming/sitting.ts"

const figure = (symbol: string, doubts: ReadonlyArray<string> = []): SheetFeed["figures"][number] => ({
  series: 1,
  symbol,
  metric: "nodes_online",
  source: "made_up",
  unit: "count",
  value: 421,
  as_of: "2026-09-05T10:00:00Z",
  verify_url: "https://stats.example.net/v1/nodes",
  meaning: "Nodes that answer.",
  greatest: 1e9,
  seconds: [],
  recorded: 420,
  doubts
})

const feed = (plugin: string, figures: SheetFeed["figures"]): SheetFeed => ({
  plugin,
  title: `Network ${plugin}`,
  every: 3_600_000,
  canaries: 0,
  confirmed: 0,
  figures,
  doubts: []
})

const sheet: Sheet = {
  at: "2026-09-05T11:00:00Z",
  feeds: [feed("odd", [figure("FIL", ["10 times"]), figure("SC")]), feed("plain", [figure("AR")])]
}

const enter: Terminal.UserInput = {
  input: Option.some("\r"),
  key: { name: "return", ctrl: false, meta: false, shift: false }
}

const typed = (text: string): Terminal.UserInput => ({
  input: Option.some(text),
  key: { name: text.toLowerCase(), ctrl: false, meta: false, shift: text !== text.toLowerCase() }
})

/** Sits with these keys; afterwards the terminal is closed. */
const sitWith = Effect.fnUntraced(function* (keys: ReadonlyArray<Terminal.UserInput>) {
  const input = yield* Queue.unbounded<Terminal.UserInput, import("effect").Cause.Done>()
  yield* Queue.offerAll(input, keys)
  yield* Queue.end(input)
  const screens: Array<string> = []
  const decisions: Array<Decision> = []
  const terminal = Terminal.make({
    columns: Effect.succeed(120),
    rows: Effect.succeed(40),
    size: Effect.die("nobody asks for it"),
    readInput: Effect.succeed(input),
    readLine: Effect.die("nobody reads lines"),
    display: (text) => Effect.sync(() => screens.push(text))
  })
  yield* sit(sheet, (decision) => Effect.sync(() => decisions.push(decision))).pipe(
    Effect.provideService(Terminal.Terminal, terminal)
  )
  return { screens, decisions }
})

it.effect("confirms what is chosen for the reason of the key, and ends after the last screen", () =>
  Effect.gen(function* () {
    const { decisions, screens } = yield* sitWith([typed("1"), typed("1")])
    assert.lengthOf(screens, 1)
    assert.match(screens[0] ?? "", /\[a\] ○ odd: .*\n(.*\n)+\[b\] ● plain: /)
    assert.deepStrictEqual(decisions, [{ feeds: ["plain"], reason: reasons["1"] ?? "" }])
  })
)

it.effect("opens a feed with a capital letter, and decides its figures one by one", () =>
  Effect.gen(function* () {
    const { decisions, screens } = yield* sitWith([typed("A"), typed("a"), typed("3"), enter])
    assert.match(screens[1] ?? "", /Figures of odd.*\n\[a\] ○ FIL nodes_online.*\n.*! 10 times\n\[b\] ● SC /)
    assert.deepStrictEqual(decisions, [
      {
        feed: "odd",
        series: ["FIL nodes_online made_up", "SC nodes_online made_up"],
        reason: reasons["3"] ?? ""
      }
    ])
    // The feeds come again, without a choice of what was decided by figures.
    assert.match(screens[3] ?? "", /\[a\] ○ odd: /)
  })
)

it.effect("stops without deciding at 0, at Enter, and where the terminal is closed", () =>
  Effect.gen(function* () {
    for (const keys of [[typed("0"), typed("1")], [enter], [typed("z")], []])
      assert.deepStrictEqual((yield* sitWith(keys)).decisions, [])
  })
)
