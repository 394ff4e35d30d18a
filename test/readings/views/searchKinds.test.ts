/** Kinds of questions, several of each: no figure of another thing is given for an answer, and the first line says what is not told. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { bySymbol } from "../../../core/catalog/Catalog.ts"
import { Feeds } from "../../../core/readings/Feeds.ts"
import { Current } from "../../../core/readings/read/Current.ts"
import { search } from "../../../core/readings/read/search.ts"
import { alikeTo } from "../../../core/readings/read/searchWords.ts"
import { postgres } from "../../support/database.ts"
import { fixtureNow, rowsOfFixtures } from "../../support/fixtureRows.ts"
import { plugins } from "../../support/plugins.ts"
import { setSnapshot } from "../../support/views.ts"
import kinds from "./kinds.json" with { type: "json" }

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

interface Kind {
  readonly ask: string
  /** The series that stands first; none where no figure may. */
  readonly first?: string
  readonly none?: boolean
  /** A page that is named. */
  readonly near?: string
  /** What is said not to be told: nothing where the list is empty. */
  readonly says?: ReadonlyArray<string>
}

layer(services)((it) => {
  for (const [kind, questions] of Object.entries<ReadonlyArray<Kind>>(kinds)) {
    it.effect(`answers ${kind}`, () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(fixtureNow)
        yield* setSnapshot(...rows)
        const wrong: Array<string> = []
        for (const { ask, first, near, none, says } of questions) {
          const { answers, note, pages, unmeasured } = yield* search(ask)
          const [answer] = answers
          const figure = answer && `${answer.symbol} ${answer.metric}`
          const paths = pages.map(({ path }) => path)
          const holds =
            (none === undefined || figure === undefined) &&
            (first === undefined || figure === first) &&
            (near === undefined || paths.includes(near)) &&
            (says === undefined ||
              (says.length === 0
                ? unmeasured.length === 0
                : note !== undefined && says.every((one) => unmeasured.includes(one))))
          if (!holds) wrong.push(`${ask}: ${figure}; ${paths.join(" ")}; ${unmeasured.join(", ")}; ${note}`)
        }
        assert.deepStrictEqual(wrong, [])
      })
    )
  }

  it.effect(
    "says of every metric that a network does not have that it is not told, or gives one that counts the same",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(fixtureNow)
        yield* setSnapshot(...rows)
        const networks = [...new Set(rows.map(({ symbol }) => symbol))].filter(
          (symbol) => bySymbol.has(symbol) && !/^SN\d/.test(symbol)
        )
        const metrics = [...new Set(rows.map(({ metric }) => metric))].filter(
          (metric) => !metric.includes("_country_")
        )
        const phrasings: ReadonlyArray<(words: string, name: string) => string> = [
          (words, name) => `${name} ${words}`,
          (words, name) => `how many ${words} does ${name} have`,
          (words, name) => `${words} of ${name} right now`,
          (words, name) => `What is the ${words} for ${name}?`
        ]
        let silent = 0
        const ofAnother: Array<string> = []
        for (const [n, metric] of metrics.entries()) {
          const symbol = networks[(n * 7) % networks.length] ?? ""
          const name = bySymbol.get(symbol)?.name ?? symbol
          const ask = phrasings[n % phrasings.length]?.(metric.toLowerCase().replaceAll("_", " "), name) ?? ""
          const { answers, unmeasured } = yield* search(ask)
          const [answer] = answers
          const isIt =
            answer?.symbol === symbol &&
            (answer.metric === metric || alikeTo(answer.metric) === alikeTo(metric))
          if (answer !== undefined && !isIt && unmeasured.length === 0)
            ofAnother.push(`${ask}: ${answer.symbol} ${answer.metric}`)
          if (answer === undefined && unmeasured.length === 0) silent++
        }
        assert.isAtLeast(metrics.length, 400)
        // What is left counts the same under another name, as validators registered and active do.
        assert.deepStrictEqual(
          ofAnother.filter((one) => !one.includes(": BTC TOTAL_NODES")),
          []
        )
        assert.isAtMost(silent, 2)
      })
  )
})
