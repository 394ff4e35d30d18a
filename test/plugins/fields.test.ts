/** Each field that a plugin reads, put wrong in turn: an error, or its rows left out; no row turns into another. */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"
import * as Plugins from "../../runtime/collector/plugins.ts"
import { altered } from "../../runtime/contributor/check/fields.ts"
import * as Fixtures from "../../runtime/contributor/fixtures.ts"

/** Changes that are meant, as `plugin field symbol metric`, with the reason. */
const meant: ReadonlyArray<readonly [change: RegExp, because: string]> = [
  [
    /^(ais|military-aircraft) .* (AIS|MIL) /,
    "a union is that of the networks which answered, beside each one's own"
  ],
  [/^ais \/features\/#/, "a report without a ship, a place or a time is no vessel that is tracked"],
  [
    /^military-aircraft \/ac\/#\/seen .* put (nothing|null):/,
    "an aircraft that may not be heard any more is not in the air"
  ],
  [/^akash \/models\/#\/price .* put null:/, "a size that nobody offers has no price"],
  [
    /^akash \/models\/#\/model .* put (nothing|null|""|\[\]):/,
    "a size of no model that is told is of another"
  ],
  [/^arweave \/# AR nodes_online /, "an entry that is no address is no peer"],
  [/^blockscout .*_count [A-Z]+ holders_count /, "the token's own record holds the count too"],
  [/^defillama \/#\/staking /, "the value stands under chainTvls too"],
  [/^geckoterminal .*\/reserve_in_usd .* dex_liquidity_usd /, "some kinds of pool tell no liquidity"],
  [/^monero \/monero\/(clear|onion|web_compatible) /, "a kind of address that is not listed is none"],
  [/^monero \/monero\/(clear|onion|web_compatible)\/# /, "an entry that is no address is no node"],
  [/^mysterium \/#\/location/, "a node whose kind of address is not told is not known to be residential"],
  [/ nodes_country_\w+ put (nothing|null|""|\[\]):/, "a node in no country that is told is in another"],
  [/ gpu_alloca\w+ put (nothing|null|""|\[\]):/, "a card of no model that is told is of another"],
  [
    /^chutes-gpus \/5Illustrative/,
    "the answer is a map of servers, by their own keys, and of cards by model"
  ],
  [/^threefold-gpus \/#\/gpus TFT gpu/, "a node that did not report its cards has none in the list"],
  [/^solana \/result\/delinquent /, "no validator behind is what is hoped for"],
  [/^solana \/result\/#\/gossip /, "null is a node that does not gossip"]
]

const plugins = await Effect.runPromise(Plugins.all())

describe("a field that is put wrong", () => {
  it.effect.each(plugins.map((plugin) => [plugin.manifest.id, plugin] as const))("in %s", ([id, plugin]) =>
    Effect.gen(function* () {
      const { tape } = yield* Fixtures.load(join(Fixtures.root, id, "ok"))
      const changes = (yield* altered(plugin, tape)).map(
        ({ field, put, row, was }) =>
          `${id} ${field} ${row.symbol} ${row.metric} put ${put}: ${was.join()} becomes ${row.value}`
      )
      assert.deepStrictEqual(
        changes.filter((change) => !meant.some(([form]) => form.test(change))),
        []
      )
    })
  )

  it.effect("is found where a plugin takes the missing for 0 or leaves it out of a sum", () => {
    const careless = Plugin.define({
      id: "careless",
      title: "Careless",
      covers: { networks: ["FIL"] },
      tier: "supply_telemetry",
      source: "careless",
      hosts: ["api.careless.test"],
      every: "1 hour",
      grade: "A",
      owner: "plumbline",
      metrics: {
        nodes_online: { unit: "count", min: 0, meaning: "Nodes." },
        STORAGE_TOTAL_BYTES: { unit: "bytes", min: 0, meaning: "Bytes." }
      },
      collect: (observe) =>
        Effect.gen(function* () {
          const Entry = Schema.Struct({ bytes: Upstream.maybe(Schema.Finite) })
          const answer = yield* Upstream.json(
            "https://api.careless.test/",
            Schema.Struct({ nodes: Upstream.maybe(Schema.Finite), list: Schema.Array(Entry) })
          )
          const total = answer.body.list.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0)
          return observe(answer, { nodes_online: answer.body.nodes ?? 0, STORAGE_TOTAL_BYTES: total })
        })
    })
    const body = new TextEncoder().encode(
      JSON.stringify({ nodes: 7, list: [{ bytes: 5 }, { bytes: 6 }], name: "x" })
    )
    const exchange = {
      request: { method: "GET", url: "https://api.careless.test/" } as const,
      at: 1e12,
      status: 200,
      headers: {},
      sha256: "",
      body
    }
    return Effect.gen(function* () {
      const found = yield* altered(careless, { now: 1e12, targets: [], settings: {}, exchanges: [exchange] })
      const fields = new Set(found.map(({ field, row }) => `${field} ${row.metric}`))
      assert.deepStrictEqual([...fields].sort(), [
        "/list STORAGE_TOTAL_BYTES",
        "/list/#/bytes STORAGE_TOTAL_BYTES",
        "/nodes nodes_online"
      ])
    })
  })
})
