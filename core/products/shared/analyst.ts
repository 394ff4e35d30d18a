/**
 * Statements about a network by the operator's language model, through `effect/ai`. Its output is not trusted: a statement
 * is kept only if it cites measured values the model saw, and every number in it is one of them.
 */
import { createHash } from "node:crypto"
import { Context, Effect, Layer, Schema } from "effect"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as DataClock from "../../clock/DataClock.ts"
import { day, hour } from "../../plugin/time.ts"
import { texts } from "../../readings/ingest/arrays.ts"
import type { Current } from "../../readings/read/Current.ts"
import type { Versions } from "../../readings/read/Versions.ts"
import { rowsOf } from "../../sql/rows.ts"
import { Input } from "../../wire/products/payload.ts"
import { inputOf, type Measured, networks, readings } from "./inputs.ts"

export const Kind = Schema.Literals(["thesis", "moat", "risk"])
export type Kind = typeof Kind.Type

/** A statement and the values that support it. */
export const Statement = Schema.Struct({ kind: Kind, text: Schema.String, on: Schema.NonEmptyArray(Input) })
export interface Statement extends Schema.Schema.Type<typeof Statement> {}

/** The language model's current statements by symbol, from memory. Null if no model is configured. */
export const Analyst = Context.Reference<Effect.Effect<ReadonlyMap<string, ReadonlyArray<Statement>>> | null>(
  "core/products/Analyst",
  { defaultValue: () => null }
)

/** Limits: values shown per network, statements kept per answer, characters per statement. */
const limits = { facts: 40, statements: 9, characters: 280 }
/** How long until a network is analysed again. */
const interval = day
/** How long until a retry after a failure. */
const retryDelay = hour
/** Networks per pass. */
const round = 10

/** The requested output. Anything too long or too much is truncated or dropped, not rejected. */
const Answer = Schema.Struct({
  statements: Schema.Array(
    Schema.Struct({
      kind: Kind,
      text: Schema.String.annotate({
        description: `One sentence of at most ${limits.characters} characters`
      }),
      cites: Schema.Array(Schema.String).annotate({ description: "Ids of the facts it rests on" })
    })
  ).annotate({ description: `At most ${limits.statements}` })
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
    .slice(0, limits.facts)
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
export const acceptStatement = (
  { cites, kind, text }: (typeof Answer.Type)["statements"][number],
  facts: ReadonlyArray<Fact>
): Statement | undefined => {
  const on = [...new Set(cites)].map((id) => facts.find((fact) => fact.id === id)?.input)
  const [first, ...others] = on.filter((input) => input !== undefined)
  if (first === undefined || others.length + 1 !== on.length) return undefined
  const trimmed = text.trim()
  if (trimmed === "" || trimmed.length > limits.characters || advice.test(trimmed)) return undefined
  // One line of plain words: no markup, no address, and no digits but those that are compared below.
  if (/[\p{C}\p{Zl}\p{Zp}<>[\]{}`|\\]|:\/\/|www\./iu.test(trimmed) || /(?![0-9])\p{N}/u.test(trimmed))
    return undefined
  const cited = [first, ...others]
  const values = cited.flatMap(({ metric, value }) => [value, ...(metric.match(/\d+/g) ?? []).map(Number)])
  const numbers = trimmed.match(/\d[\d,]*(?:\.\d+)?/g) ?? []
  return numbers.every((written) => isOne(written, values))
    ? { kind, text: trimmed, on: [first, ...others] }
    : undefined
}

const statementRows = rowsOf({ symbol: Schema.String, said: Schema.fromJsonString(Schema.Array(Statement)) })
const claimRows = rowsOf({ symbol: Schema.String, facts: Schema.NullOr(Schema.String) })

export class Analyses extends Context.Service<
  Analyses,
  {
    /**
     * Analyses a few due networks and keeps the acceptable statements; returns how many networks. Replicas share the work:
     * claiming a network moves its due time.
     */
    readonly run: Effect.Effect<number, SqlError>
    readonly statements: Effect.Effect<ReadonlyMap<string, ReadonlyArray<Statement>>>
  }
>()("core/products/Analyses") {
  static readonly layer = Layer.effect(
    Analyses,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const read = yield* Effect.context<Current | Versions>()
      const model = yield* LanguageModel.LanguageModel
      let statementsBySymbol: ReadonlyMap<string, ReadonlyArray<Statement>> = new Map()

      const refresh = Effect.gen(function* () {
        const rows = yield* sql`
          select symbol, said from analysis where said is not null order by symbol limit 5000`.pipe(
          statementRows
        )
        statementsBySymbol = new Map(rows.map(({ said: statements, symbol }) => [symbol, statements]))
      })

      /** Claims the next due network, so no other replica takes it for a while. */
      const take = Effect.fnUntraced(function* (symbols: ReadonlyArray<string>, now: number) {
        const [claim] = yield* sql`
          update analysis set due_at = ${new Date(now + retryDelay)} where symbol = (
            select symbol from analysis where due_at <= ${new Date(now)} and symbol = any(${texts(symbols)})
            order by due_at, symbol limit 1 for update skip locked
          ) returning symbol, facts`.pipe(claimRows)
        return claim
      })

      const ask = Effect.fn("Analyses.ask")(function* (
        symbol: string,
        category: string,
        facts: ReadonlyArray<Fact>
      ) {
        const promptFacts = facts.map(({ id, input: { as_of, metric, unit, value } }) => ({
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
              content: [{ type: "text", text: JSON.stringify({ symbol, category, facts: promptFacts }) }]
            }
          ]
        })
        return value.statements
          .flatMap((one) => acceptStatement(one, facts) ?? [])
          .slice(0, limits.statements)
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
        let analysed = 0
        for (let n = 0; n < round; n++) {
          const claim = yield* take(symbols, now)
          const about = claim === undefined ? undefined : there.get(claim.symbol)
          if (claim === undefined || about === undefined) break
          const factValues = about.facts.map(({ input }) => [input.metric, input.value])
          const facts = createHash("sha256").update(JSON.stringify(factValues)).digest("hex")
          const due_at = new Date(now + interval)
          if (facts === claim.facts) {
            yield* sql`update analysis set due_at = ${due_at} where symbol = ${claim.symbol}`
            continue
          }
          const reply = yield* Effect.result(ask(claim.symbol, about.category, about.facts))
          if (reply._tag === "Failure") {
            yield* Effect.logWarning("language model analysis failed; retrying in an hour", {
              symbol: claim.symbol,
              reason: reply.failure.reason._tag
            })
            break
          }
          yield* sql`update analysis set due_at = ${due_at}, facts = ${facts}, said = ${JSON.stringify(reply.success)}
            where symbol = ${claim.symbol}`
          analysed++
        }
        yield* refresh
        return analysed
      }).pipe(Effect.provideContext(read), Effect.withSpan("Analyses.run"))

      yield* refresh
      return Analyses.of({ run, statements: Effect.sync(() => statementsBySymbol) })
    })
  )

  /** Provides the statements to the products. */
  static readonly layerAnalyst = Layer.effect(
    Analyst,
    Effect.map(Analyses, ({ statements }) => statements)
  )
}
