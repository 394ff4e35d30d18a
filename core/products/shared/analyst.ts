/**
 * Statements about a network by the operator's language model, through `effect/ai`. Its output is not trusted: a statement
 * is kept only if it cites measured values the model saw, and every number in it is one of them.
 */
import { createHash } from "node:crypto"
import { Context, Effect, Layer, Schema } from "effect"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as DataClock from "../../data/DataClock.ts"
import { texts } from "../../data/ingest/arrays.ts"
import type { Current } from "../../data/read/Current.ts"
import type { Versions } from "../../data/read/Versions.ts"
import { rowsOf } from "../../data/rows.ts"
import { Input } from "../../wire/products/payload.ts"
import { inputOf, type Measured, networks, readings } from "./inputs.ts"

export const Kind = Schema.Literals(["thesis", "moat", "risk"])
export type Kind = typeof Kind.Type

/** A statement and the values that support it. */
export const Said = Schema.Struct({ kind: Kind, text: Schema.String, on: Schema.NonEmptyArray(Input) })
export interface Said extends Schema.Schema.Type<typeof Said> {}

/** The language model's current statements by symbol, from memory. Null if no model is configured. */
export const Analyst = Context.Reference<Effect.Effect<ReadonlyMap<string, ReadonlyArray<Said>>> | null>(
  "core/products/Analyst",
  { defaultValue: () => null }
)

/** Limits: values shown per network, statements kept per answer, characters per statement. */
const most = { facts: 40, statements: 9, characters: 280 }
/** How long until a network is analysed again. */
const daily = 86_400_000
/** How long until a retry after a failure. */
const patience = 3_600_000
/** Networks per pass. */
const round = 10

/** The requested output. Anything too long or too much is truncated or dropped, not rejected. */
const Answer = Schema.Struct({
  statements: Schema.Array(
    Schema.Struct({
      kind: Kind,
      text: Schema.String.annotate({ description: `One sentence of at most ${most.characters} characters` }),
      cites: Schema.Array(Schema.String).annotate({ description: "Ids of the facts it rests on" })
    })
  ).annotate({ description: `At most ${most.statements}` })
})

const instructions = [
  "You describe one network from measured facts, each with an id.",
  "thesis: what speaks for activity. moat: what is hard to copy. risk: what speaks against it.",
  "Each statement is one plain sentence about these facts alone and cites the ids it rests on.",
  "Write a number only in digits as the cited fact gives it, rounded at most; compute none.",
  "No advice, no forecast, no opinion on the price, nothing that the facts do not say."
].join(" ")

interface Fact {
  readonly id: string
  readonly input: Input
}

const factsOf = (network: Measured): ReadonlyArray<Fact> =>
  [...new Set(network.rows.map(({ row }) => row.metric))]
    .flatMap((metric) => network.of(metric) ?? [])
    .slice(0, most.facts)
    .map((row, n) => ({ id: `f${n + 1}`, input: inputOf(row) }))

/** Words that give advice, which no statement may do. */
const advice =
  /\b(?:buy|sell|invest|investors?|bullish|bearish|(?:over|under)valued|should|recommend\w*|price target)\b/i

/** True if a written number equals one of the values, rounded to the decimals it shows. */
const isOne = (written: string, values: ReadonlyArray<number>): boolean => {
  const plain = written.replaceAll(",", "")
  const decimals = plain.split(".")[1]?.length ?? 0
  const number = Number(plain)
  return values.some((value) => Math.abs(Math.abs(value) - number) <= 0.5000001 * 10 ** -decimals)
}

/** The statement if acceptable: it cites shown values, contains no uncited number and gives no advice. */
export const accepted = (
  { cites, kind, text }: (typeof Answer.Type)["statements"][number],
  facts: ReadonlyArray<Fact>
): Said | undefined => {
  const on = [...new Set(cites)].map((id) => facts.find((fact) => fact.id === id)?.input)
  const [first, ...others] = on.filter((input) => input !== undefined)
  if (first === undefined || others.length + 1 !== on.length) return undefined
  const said = text.trim()
  if (said === "" || said.length > most.characters || advice.test(said)) return undefined
  // One line of plain words: no markup, no address, and no digits but those that are compared below.
  if (/[\p{C}\p{Zl}\p{Zp}<>[\]{}`|\\]|:\/\/|www\./iu.test(said) || /(?![0-9])\p{N}/u.test(said))
    return undefined
  const cited = [first, ...others]
  const values = cited.flatMap(({ metric, value }) => [value, ...(metric.match(/\d+/g) ?? []).map(Number)])
  const numbers = said.match(/\d[\d,]*(?:\.\d+)?/g) ?? []
  return numbers.every((written) => isOne(written, values))
    ? { kind, text: said, on: [first, ...others] }
    : undefined
}

const saidRows = rowsOf({ symbol: Schema.String, said: Schema.fromJsonString(Schema.Array(Said)) })
const takenRows = rowsOf({ symbol: Schema.String, facts: Schema.NullOr(Schema.String) })

export class Analyses extends Context.Service<
  Analyses,
  {
    /**
     * Analyses a few due networks and keeps the acceptable statements; returns how many networks. Replicas share the work:
     * claiming a network moves its due time.
     */
    readonly run: Effect.Effect<number, SqlError>
    readonly said: Effect.Effect<ReadonlyMap<string, ReadonlyArray<Said>>>
  }
>()("core/products/Analyses") {
  static readonly layer = Layer.effect(
    Analyses,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const read = yield* Effect.context<Current | Versions>()
      const model = yield* LanguageModel.LanguageModel
      let known: ReadonlyMap<string, ReadonlyArray<Said>> = new Map()

      const refresh = Effect.gen(function* () {
        const rows = yield* sql`
          select symbol, said from analysis where said is not null order by symbol limit 5000`.pipe(saidRows)
        known = new Map(rows.map(({ said, symbol }) => [symbol, said]))
      })

      /** Claims the next due network, so no other replica takes it for a while. */
      const take = Effect.fnUntraced(function* (symbols: ReadonlyArray<string>, now: number) {
        const [taken] = yield* sql`
          update analysis set due_at = ${new Date(now + patience)} where symbol = (
            select symbol from analysis where due_at <= ${new Date(now)} and symbol = any(${texts(symbols)})
            order by due_at, symbol limit 1 for update skip locked
          ) returning symbol, facts`.pipe(takenRows)
        return taken
      })

      const ask = Effect.fn("Analyses.ask")(function* (
        symbol: string,
        category: string,
        facts: ReadonlyArray<Fact>
      ) {
        const shown = facts.map(({ id, input: { as_of, metric, unit, value } }) => ({
          id,
          metric,
          value,
          unit,
          as_of
        }))
        const { value } = yield* model.generateObject({
          objectName: "analysis",
          schema: Answer,
          prompt: [
            { role: "system", content: instructions },
            {
              role: "user",
              content: [{ type: "text", text: JSON.stringify({ symbol, category, facts: shown }) }]
            }
          ]
        })
        return value.statements.flatMap((one) => accepted(one, facts) ?? []).slice(0, most.statements)
      })

      const run = Effect.gen(function* () {
        const { measured } = yield* readings
        const now = yield* DataClock.now
        const there = new Map(
          networks.flatMap(({ category, symbol }) => {
            const facts = factsOf(measured(symbol))
            return facts.length < 3 ? [] : [[symbol, { category, facts }] as const]
          })
        )
        const symbols = [...there.keys()]
        yield* sql`insert into analysis (symbol, due_at)
          select symbol, ${new Date(now)} from unnest(${texts(symbols)}) as t(symbol) on conflict do nothing`
        let made = 0
        for (let n = 0; n < round; n++) {
          const taken = yield* take(symbols, now)
          const about = taken === undefined ? undefined : there.get(taken.symbol)
          if (taken === undefined || about === undefined) break
          const shown = about.facts.map(({ input }) => [input.metric, input.value])
          const facts = createHash("sha256").update(JSON.stringify(shown)).digest("hex")
          const due_at = new Date(now + daily)
          if (facts === taken.facts) {
            yield* sql`update analysis set due_at = ${due_at} where symbol = ${taken.symbol}`
            continue
          }
          const said = yield* Effect.result(ask(taken.symbol, about.category, about.facts))
          if (said._tag === "Failure") {
            yield* Effect.logWarning("language model analysis failed; retrying in an hour", {
              symbol: taken.symbol,
              reason: said.failure.reason._tag
            })
            break
          }
          yield* sql`update analysis set due_at = ${due_at}, facts = ${facts}, said = ${JSON.stringify(said.success)}
            where symbol = ${taken.symbol}`
          made++
        }
        yield* refresh
        return made
      }).pipe(Effect.provideContext(read), Effect.withSpan("Analyses.run"))

      yield* refresh
      return Analyses.of({ run, said: Effect.sync(() => known) })
    })
  )

  /** Provides the statements to the products. */
  static readonly layerAnalyst = Layer.effect(
    Analyst,
    Effect.map(Analyses, ({ said }) => said)
  )
}
