/** Questions that people ask, on the recorded values of all plugins, each with the answer that must come first. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Feeds } from "../../../core/readings/Feeds.ts"
import { Current } from "../../../core/readings/read/Current.ts"
import { search } from "../../../core/readings/read/search.ts"
import { chosenOf } from "../../../core/readings/read/selection.ts"
import { postgres } from "../../support/database.ts"
import { fixtureNow, rowsOfFixtures } from "../../support/fixtureRows.ts"
import { plugins } from "../../support/plugins.ts"
import { setSnapshot } from "../../support/views.ts"
import questions from "./questions.json" with { type: "json" }
import strangers from "./strangers.json" with { type: "json" }

const rows = await Effect.runPromise(rowsOfFixtures(plugins))

const services = Current.layer.pipe(
  Layer.provideMerge(
    Layer.succeed(
      Feeds,
      Feeds.of({ manifests: plugins.map(({ manifest }) => manifest), states: Effect.succeed(new Map()) })
    )
  ),
  Layer.provideMerge(postgres),
  Layer.orDie
)

/** What stands first: a network by its symbol, a figure by its series, a metric of any network as `* metric`. */
const first = Effect.fnUntraced(function* (question: string, expected: string) {
  const { answers, networks, ofNetworks, ofPage, pages } = yield* search(question)
  const [answer] = answers
  if (expected.startsWith("/")) return ofPage ? pages[0]?.path : `no page, but ${answer?.metric}`
  if (ofPage) return pages[0]?.path
  if (!expected.includes(" ")) return ofNetworks ? networks[0] : `no network, but ${answer?.metric}`
  if (answer === undefined) return "nothing"
  return expected.startsWith("* ") ? `* ${answer.metric}` : `${answer.symbol} ${answer.metric}`
})

/** What answers a question rightly, or comes near and says so. */
interface Judged {
  /** The series that stands first; null where no figure may. */
  readonly first?: string | null
  /** The page that was asked for, and one that is named beside figures. */
  readonly page?: string
  readonly near?: string
  /** The network that is meant. */
  readonly network?: string
  /** Words of which it is said that nothing is measured. */
  readonly without?: ReadonlyArray<string>
}

layer(services)((it) => {
  it.effect("every question has its answer first", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(fixtureNow)
      yield* setSnapshot(...rows)
      const wrong: Array<string> = []
      for (const [question, expected] of Object.entries(questions)) {
        const answer = yield* first(question, expected)
        if (answer !== expected) wrong.push(`${question}: ${expected}, but ${answer}`)
      }
      assert.deepStrictEqual(wrong, [])
      assert.isAtLeast(Object.keys(questions).length, 100)
    })
  )

  it.effect("answers what strangers ask, and says what it leaves out", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(fixtureNow)
      yield* setSnapshot(...rows)
      const wrong: Array<string> = []
      for (const [question, expected] of Object.entries<Judged>(strangers)) {
        const { answers, networks, ofNetworks, ofPage, pages, unmeasured } = yield* search(question)
        const [answer] = answers
        const figure = answer === undefined ? null : `${answer.symbol} ${answer.metric}`
        const paths = pages.map(({ path }) => path)
        const holds =
          (expected.first === undefined || figure === expected.first) &&
          (expected.page === undefined || (ofPage && paths[0] === expected.page)) &&
          (expected.near === undefined || paths.includes(expected.near)) &&
          (expected.network === undefined || (ofNetworks && networks[0] === expected.network)) &&
          (expected.without ?? []).every((word) => unmeasured.includes(word))
        if (!holds) wrong.push(`${question}: ${figure}; ${paths.join(" ")}; without ${unmeasured.join(" ")}`)
      }
      assert.deepStrictEqual(wrong, [])
    })
  )

  it.effect("says what is measured nowhere, and gives no figure of another thing", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(fixtureNow)
      yield* setSnapshot(...rows)
      for (const [question, symbol, word] of [
        ["bitcoin hashrate", "BTC", "hashrate"],
        ["helium staking rewards", "HNT", "reward"],
        ["worldcoin", undefined, "worldcoin"],
        ["submarine cables", undefined, "submarine"]
      ] as const) {
        const { answers, unmeasured } = yield* search(question)
        assert.include(unmeasured, word, question)
        assert.deepStrictEqual(
          answers.filter((answer) => answer.symbol !== symbol),
          [],
          question
        )
      }
    })
  )

  it.effect(
    "a word of plain English names no network, but alone, in capitals that are no such word, or after a $",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(fixtureNow)
        yield* setSnapshot(...rows)
        for (const question of [
          "what does a GPU cost",
          "planes over europe",
          "internet outages",
          "unlock schedule"
        ])
          assert.notIncludeMembers(
            (yield* search(question)).answers.map(({ symbol }) => symbol),
            ["GPU", "OVR", "ICP", "UPR"],
            question
          )
        assert.strictEqual((yield* search("gpu")).ofNetworks, true)
        assert.strictEqual((yield* search("$GPU price")).answers[0]?.symbol, "GPU")
      })
  )

  it.effect("answers are among the series that are chosen, whatever is asked", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(fixtureNow)
      yield* setSnapshot(...rows)
      const ofStorage = chosenOf(undefined, undefined, "storage")
      for (const question of [
        "storage",
        "filecoin",
        "price",
        "storage price",
        "filecoin price",
        "ai",
        "akash"
      ]) {
        const all = (yield* search(question)).answers
        const { answers } = yield* search(question, ofStorage)
        assert.isNotEmpty(all, question)
        assert.deepStrictEqual(
          answers.filter(({ symbol }) => !ofStorage.hasSymbol(symbol)),
          [],
          question
        )
        if (!["ai", "akash"].includes(question)) assert.isNotEmpty(answers, question)
      }
      const price = chosenOf(new Set(["FIL", "AR"]), new Set(["price_usd"]), undefined)
      const { answers } = yield* search("filecoin", price)
      assert.deepStrictEqual(
        answers.map(({ metric, symbol }) => [symbol, metric]),
        [["FIL", "price_usd"]]
      )
    })
  )
})
