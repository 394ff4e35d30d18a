/** What is never 0 or empty, data in an envelope, and a part of a run for each target. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import { dataOf } from "../../core/plugin/shapes/envelope.ts"
import { nonEmpty, nonEmptyMap, positive, positiveAmount } from "../../core/plugin/shapes/fields.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"
import { answers } from "../support/cannedUpstream.ts"

const url = "https://stats.example.net/v1"
const Body = Schema.Struct({
  nodes: positive,
  stake: positiveAmount,
  list: Schema.optional(nonEmpty(Schema.Unknown)),
  map: Schema.optional(nonEmptyMap(Schema.Unknown))
})

const read = <A, E>(body: unknown, request: Effect.Effect<A, E, Upstream.Upstream>) =>
  request.pipe(Effect.provide(answers([{ request: url, body }])))

const failureText = (body: unknown) =>
  Effect.map(
    Effect.flip(read(body, Upstream.json(url, Body))),
    (error) => `${error._tag} ${error.message.slice(`GET ${url}: `.length)}`
  )

describe("what is never 0 or empty", () => {
  it.effect("fails the whole answer and names the field", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* failureText({ nodes: 0 }),
        `UpstreamChanged at ["nodes"]: Expected more than 0, got 0`
      )
      for (const stake of [0, "0", "0.000"]) {
        assert.include(yield* failureText({ stake }), `at ["stake"]: Expected more than 0, got 0`)
      }
      assert.include(yield* failureText({ list: [] }), `at ["list"]: Expected at least one entry, got none`)
      assert.include(yield* failureText({ map: {} }), `at ["map"]: Expected at least one entry, got none`)
    })
  )

  it.effect("may be missing, and costs no other field where it is no count", () =>
    Effect.gen(function* () {
      const nodesOf = (body: unknown) =>
        Effect.map(read(body, Upstream.json(url, Body)), (it) => it.body.nodes)
      assert.strictEqual(yield* nodesOf({ nodes: 7, list: [1], map: { a: 1 } }), 7)
      assert.isUndefined(yield* nodesOf({}))
      assert.isNull(yield* nodesOf({ nodes: null }))
      assert.strictEqual(yield* nodesOf({ nodes: 7, stake: "590123456789012345678901234" }), 7)
      assert.strictEqual(yield* nodesOf({ nodes: 7, stake: null }), 7)
      assert.deepStrictEqual(yield* nodesOf({ nodes: "many" }), Upstream.unexpected("many", "a number"))
    })
  )
})

describe("data in an envelope", () => {
  const data = (body: unknown) => read(body, dataOf(url, ["status", "success"], Body))

  it.effect("is the body where the envelope says that it went well, or nothing of it", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* data({ status: "success", data: { nodes: 7 } })).body, { nodes: 7 })
      assert.deepStrictEqual((yield* data({ data: { nodes: 7 } })).body, { nodes: 7 })
    })
  )

  it.effect("is refused where it says another word, and changed where the data is another", () =>
    Effect.gen(function* () {
      const refusal = yield* Effect.flip(data({ status: "error", data: { code: -28 } }))
      assert.strictEqual(refusal._tag, "UpstreamRefused")
      assert.include(refusal.message, `status error: {"code":-28}`)
      const changed = yield* Effect.flip(data({ status: "success", data: { nodes: 0 } }))
      assert.include(changed.message, `at ["data"]["nodes"]: Expected more than 0`)
    })
  )
})

describe("a part for each target", () => {
  const part = ({ symbol }: { readonly symbol: string }) =>
    symbol === "FIL"
      ? Effect.succeed([symbol])
      : Effect.fail(new Upstream.UpstreamUnreachable({ request: symbol, detail: "no answer" }))
  const collected = (...symbols: ReadonlyArray<string>) =>
    Plugin.forEach(
      symbols.map((symbol) => ({ symbol })),
      part
    )

  it.effect("that fails costs its own symbol, and the run where all of them do", () =>
    Effect.gen(function* () {
      const refused = { symbol: "AR", metric: "*", reason: "AR: no answer" }
      assert.deepStrictEqual(yield* collected("AR", "FIL"), [refused, "FIL"])
      assert.strictEqual((yield* Effect.flip(collected("AR", "STORJ"))).message, "AR: no answer")
      assert.deepStrictEqual(yield* collected(), [])
    })
  )

  it.effect("is of the chains that the plugin knows, with what it says of them", () =>
    Effect.gen(function* () {
      const target = (symbol: string, chain?: string) => ({
        symbol,
        name: symbol,
        id: "0x1",
        ...(chain === undefined ? {} : { chain })
      })
      const targets = [target("FIL", "base"), target("AR", "solana"), target("STORJ")]
      const matching = yield* Upstream.targetsOn({ base: "basescan.org" }).pipe(
        Effect.provideService(Upstream.Upstream, {
          now: 0,
          targets,
          settings: {},
          exchange: () => Effect.die("nothing is asked for")
        })
      )
      assert.deepStrictEqual(matching, [
        { chain: "base", id: "0x1", name: "FIL", on: "basescan.org", symbol: "FIL" }
      ])
    })
  )
})
