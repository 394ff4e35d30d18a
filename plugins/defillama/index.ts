import { Effect, Result, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import * as Fields from "../../core/plugin/shapes/fields.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"

/** One odd figure among thousands of rows costs its own network alone. */
const figure = Schema.optional(Schema.Unknown)

const Protocol = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  slug: Schema.String,
  gecko_id: Fields.text,
  parentProtocol: Fields.text,
  module: Fields.text,
  tvl: figure,
  staking: figure,
  chainTvls: Upstream.maybe(Schema.Struct({ staking: figure }))
})
interface Protocol extends Schema.Schema.Type<typeof Protocol> {}

const Chain = Schema.Struct({ name: Schema.String, gecko_id: Fields.text, tvl: figure })

const FeeRow = Schema.Struct({
  defillamaId: Fields.text,
  name: Schema.String,
  slug: Fields.text,
  protocolType: Fields.text,
  latestFetchIsOk: Upstream.maybe(Schema.Boolean),
  total24h: figure,
  total7d: figure,
  total30d: figure
})
interface FeeRow extends Schema.Schema.Type<typeof FeeRow> {}

const api = "https://api.llama.fi"

const listOf = Effect.fnUntraced(function* <A>(answer: Upstream.Answer<unknown>, rows: ReadonlyArray<A>) {
  if (rows.length === 0) {
    return yield* Upstream.implausible(answer, "", "an empty list, where thousands are normal")
  }
  return rows
})

const protocols = Effect.gen(function* () {
  const answer = yield* Upstream.json(`${api}/protocols`, Schema.Array(Protocol))
  return { answer, rows: yield* listOf(answer, answer.body) }
})

const chains = Effect.gen(function* () {
  const answer = yield* Upstream.json(`${api}/v2/chains`, Schema.Array(Chain))
  return { answer, rows: yield* listOf(answer, answer.body) }
})

const fees = Effect.gen(function* () {
  const answer = yield* Upstream.json(
    `${api}/overview/fees?excludeTotalDataChart=true&excludeTotalDataChartBreakdown=true&dataType=dailyFees`,
    Schema.Struct({ protocols: Schema.Array(FeeRow) })
  )
  return { answer, rows: yield* listOf(answer, answer.body.protocols) }
})

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "")

/**
 * The rows that stand for a network, of those that name its CoinGecko id: the only one; else the one of the same name;
 * else all, when they are the parts of one parent. Otherwise nobody can say which, and none is taken.
 */
const chosen = (rows: ReadonlyArray<Protocol>, network: string): ReadonlyArray<Protocol> => {
  const named = rows.filter(({ name }) => plain(name) === plain(network))
  const [only] = named
  if (only !== undefined && named.length === 1) return [only]
  const parents = new Set(rows.map(({ parentProtocol }) => parentProtocol ?? ""))
  return rows.length === 1 || (parents.size === 1 && !parents.has("")) ? rows : []
}

/** A listing without an adapter for locked value carries the module `dummy.js` and no figure worth the name. */
const tvlOf = ({ module, tvl }: Protocol) =>
  module === "dummy.js" || (tvl === 0 && !module) ? undefined : Fields.figure(tvl)

const stakingOf = ({ chainTvls, staking }: Protocol) => Fields.figure(staking ?? chainTvls?.staking)

/** Fees of one row; a row whose last fetch failed says nothing about now. */
const feesOf = (row: FeeRow | undefined) => (row?.latestFetchIsOk === true ? row : undefined)

const feeValues = (rows: ReadonlyArray<FeeRow | undefined>) => ({
  fees_24h_usd: Fields.sum(rows.map((row) => Fields.figure(row?.total24h))),
  fees_7d_usd: Fields.sum(rows.map((row) => Fields.figure(row?.total7d))),
  fees_30d_usd: Fields.sum(rows.map((row) => Fields.figure(row?.total30d)))
})

export default Plugin.define({
  id: "defillama",
  title: "DefiLlama fees and locked value",
  covers: { catalog: "coingecko_id" },
  tier: "fees_tvl",
  source: "defillama_fees",
  hosts: ["api.llama.fi"],
  every: "1 hour",
  timeout: "3 minutes",
  calls: 3,
  grade: "B",
  keep: 30,
  owner: "plumbline",
  metrics: {
    fees_24h_usd: {
      unit: "usd",
      min: 0,
      collapse: 1,
      meaning: "Fees paid by users in the last full day that DefiLlama has; 0 is a measured 0."
    },
    fees_7d_usd: { unit: "usd", min: 0, collapse: 1, meaning: "Fees paid by users in the last 7 days." },
    fees_30d_usd: { unit: "usd", min: 0, collapse: 1, meaning: "Fees paid by users in the last 30 days." },
    tvl_usd: {
      unit: "usd",
      min: 0,
      meaning: "Value locked in the protocol; for a chain without a protocol of its own, on the chain."
    },
    staking_tvl_usd: { unit: "usd", min: 0, meaning: "Value of the protocol's own token staked with it." }
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const targets = yield* Upstream.targets
      const listed = yield* protocols
      const paid = yield* Effect.result(fees)
      const onChains = yield* Effect.result(chains)
      const byGecko = Map.groupBy(listed.rows, ({ gecko_id }) => gecko_id ?? "")
      const chainByGecko = Result.isSuccess(onChains)
        ? Map.groupBy(onChains.success.rows, ({ gecko_id }) => gecko_id ?? "")
        : new Map<string, never>()
      const feeRows = Result.isSuccess(paid) ? paid.success.rows : []
      const feesById = Map.groupBy(feeRows, ({ defillamaId }) => defillamaId ?? "")
      const chainFees = Map.groupBy(
        feeRows.filter(({ protocolType }) => protocolType === "chain"),
        ({ name }) => name
      )

      const rows = targets.flatMap(({ id, name, symbol }): ReadonlyArray<Plugin.Given> => {
        const parts = chosen(byGecko.get(id) ?? [], name)
        const [first] = parts
        const chain = chainByGecko.get(id)?.[0]
        const page =
          first !== undefined
            ? `protocol/${parts.length === 1 ? first.slug : first.parentProtocol?.replace("parent#", "")}`
            : chain !== undefined
              ? `chain/${encodeURIComponent(chain.name)}`
              : undefined
        if (page === undefined) return []
        const facts = { symbol, verify_url: `https://defillama.com/${page}` }
        const feeParts =
          first !== undefined
            ? parts.map((part) => feesById.get(part.id)?.find(({ protocolType }) => protocolType !== "chain"))
            : [chainFees.get(chain?.name ?? "")?.[0]]
        return [
          ...(first !== undefined
            ? observe(
                listed.answer,
                {
                  tvl_usd: Fields.sum(parts.map(tvlOf)),
                  staking_tvl_usd: Fields.sum(parts.map(stakingOf))
                },
                { ...facts, source: "defillama_tvl" }
              )
            : Result.isSuccess(onChains)
              ? observe(
                  onChains.success.answer,
                  { tvl_usd: Fields.figure(chain?.tvl) },
                  { ...facts, source: "defillama_chains" }
                )
              : []),
          ...(Result.isSuccess(paid)
            ? observe(paid.success.answer, feeValues(feeParts.map(feesOf)), facts)
            : [])
        ]
      })
      return [
        ...rows,
        ...(Result.isFailure(paid) ? [Plugin.missed(paid.failure, "*", "fees_*")] : []),
        ...(Result.isFailure(onChains) ? [Plugin.missed(onChains.failure, "*", "tvl_usd")] : [])
      ]
    })
})
