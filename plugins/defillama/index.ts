import { Effect, Result, Schema } from "effect"
import {
  atMost,
  endOfDay,
  isNumber,
  mayDropToZero,
  metric,
  type Numeric,
  notHandedOn,
  Plugin,
  readOn,
  termsOn,
  Upstream
} from "#plugin"
import * as Fields from "#plugin/fields"

/** What `/protocols` says of one listing; members are read one by one, so that an odd one costs its own network alone. */
const listing = (row: unknown) => ({
  id: idOf(Fields.at(row, "id")),
  name: Fields.textAt(row, "name") ?? "",
  slug: Fields.textAt(row, "slug"),
  gecko_id: Fields.textAt(row, "gecko_id"),
  parentProtocol: Fields.textAt(row, "parentProtocol"),
  module: Fields.textAt(row, "module"),
  deadFrom: Fields.textAt(row, "deadFrom"),
  isDeprecated: Fields.at(row, "deprecated") === true,
  tvl: Fields.figure(Fields.at(row, "tvl")),
  staking: Fields.figure(Fields.at(row, "staking") ?? Fields.at(row, "chainTvls", "staking"))
})
type Listing = ReturnType<typeof listing>

const chainOf = (row: unknown) => ({
  name: Fields.textAt(row, "name") ?? "",
  gecko_id: Fields.textAt(row, "gecko_id"),
  tvl: Fields.figure(Fields.at(row, "tvl"))
})

type Chain = ReturnType<typeof chainOf>

/** What `/overview/fees` says of one listing or chain. */
const feeRow = (row: unknown) => ({
  id: idOf(Fields.at(row, "defillamaId")),
  name: Fields.textAt(row, "name") ?? "",
  slug: Fields.textAt(row, "slug"),
  protocolType: Fields.textAt(row, "protocolType"),
  latestFetchIsOk: Fields.at(row, "latestFetchIsOk"),
  total24h: Fields.figure(Fields.at(row, "total24h")),
  total7d: Fields.figure(Fields.at(row, "total7d")),
  total30d: Fields.figure(Fields.at(row, "total30d"))
})
type FeeRow = ReturnType<typeof feeRow>

/** Ids travel as text; undefined for anything that is none. */
const idOf = (id: unknown): string | undefined =>
  isNumber(id) ? String(id) : typeof id === "string" && id !== "" ? id : undefined

const api = "https://api.llama.fi"

/** A list of named rows; an empty one, or one in which more than one row in a hundred has no name, is another shape. */
const listOf = Effect.fnUntraced(function* <Row extends { readonly name: string }>(
  answer: Upstream.Answer<unknown>,
  entries: ReadonlyArray<unknown>,
  toRow: (entry: unknown) => Row
) {
  const rows = entries.map(toRow)
  if (rows.length === 0) {
    return yield* Upstream.implausible(answer, "", "an empty list, where thousands are normal")
  }
  const nameless = rows.filter(({ name }) => name === "").length
  if (nameless * 100 > rows.length) {
    return yield* Upstream.implausible(answer, '["name"]', `${nameless} of ${rows.length} rows have none`)
  }
  return { answer, rows }
})

const Entries = Schema.Array(Schema.Unknown)

const protocols = Effect.gen(function* () {
  const answer = yield* Upstream.json(`${api}/protocols`, Entries)
  return yield* listOf(answer, answer.body, listing)
})

const chains = Effect.gen(function* () {
  const answer = yield* Upstream.json(`${api}/v2/chains`, Entries)
  return yield* listOf(answer, answer.body, chainOf)
})

const fees = Effect.gen(function* () {
  const answer = yield* Upstream.json(
    `${api}/overview/fees?excludeTotalDataChart=true&excludeTotalDataChartBreakdown=true&dataType=dailyFees`,
    Schema.Struct({ protocols: Entries })
  )
  const { rows } = yield* listOf(answer, answer.body.protocols, feeRow)
  // Since 2026 no row says whether its last fetch went well; before, each one did.
  const isTold = rows.some(({ latestFetchIsOk }) => typeof latestFetchIsOk === "boolean")
  return { answer, rows: isTold ? rows.filter(({ latestFetchIsOk }) => latestFetchIsOk === true) : rows }
})

/**
 * When the fees of a listing were last complete, epoch milliseconds: the last one of the newest full UTC day of its chart,
 * which the overview has no room for. Undefined where the chart has none.
 */
const paidUntil = Effect.fnUntraced(function* (slug: string) {
  const answer = yield* Upstream.json(
    `${api}/summary/fees/${encodeURIComponent(slug)}?dataType=dailyFees&excludeTotalDataChartBreakdown=true`,
    Schema.Struct({ totalDataChart: Entries })
  )
  const ends = answer.body.totalDataChart.flatMap((point) => {
    const [start, value] = Array.isArray(point) ? (point as ReadonlyArray<unknown>) : []
    const end = Fields.combine([Fields.tally(start)], ([seconds]) => endOfDay(seconds * 1000))
    return isNumber(value) && typeof end === "number" && end < answer.date ? [end] : []
  })
  return ends.length === 0 ? undefined : Math.max(...ends)
})

/** Charts that one run asks for at most. */
const charts = 80

/** The end of the newest full day by slug, of as many listings as can be asked; the others are not in it. */
const completeDays = Effect.fnUntraced(function* (slugs: ReadonlySet<string>) {
  const read = yield* Effect.forEach(
    [...slugs].sort().slice(0, charts),
    (slug) => Effect.map(Effect.result(paidUntil(slug)), (outcome) => ({ slug, outcome })),
    { concurrency: 4 }
  )
  return new Map(
    read.flatMap(({ outcome, slug }) =>
      Result.isSuccess(outcome) && outcome.success !== undefined ? [[slug, outcome.success]] : []
    )
  )
})

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "")

/** Of rows that name one CoinGecko id, the one of the network's name; else the only one. */
const theOne = <Row extends { readonly name: string }>(rows: ReadonlyArray<Row>, network: string) => {
  const named = rows.filter(({ name }) => plain(name) === plain(network))
  return named.length === 1 ? named[0] : rows.length === 1 ? rows[0] : undefined
}

/**
 * What stands for a network: the listing of its name; else the chain, whose token it is; else the only listing, or all
 * of them when they are the parts of one parent. Otherwise nobody can say which, and none is taken; nor where the list
 * of chains could not be read, so that a network is not one thing in one hour and another in the next.
 */
const chosen = (
  listings: ReadonlyArray<Listing>,
  onChains: ReadonlyArray<Chain> | undefined,
  network: string
): { readonly parts: ReadonlyArray<Listing>; readonly chain?: Chain } => {
  const one = theOne(listings, network)
  if (one !== undefined && plain(one.name) === plain(network)) return { parts: [one] }
  if (onChains === undefined) return { parts: [] }
  const chain = theOne(onChains, network)
  if (chain !== undefined) return { parts: [], chain }
  if (onChains.length > 0) return { parts: [] }
  const parents = new Set(listings.map(({ parentProtocol }) => parentProtocol ?? ""))
  return { parts: listings.length === 1 || (parents.size === 1 && !parents.has("")) ? listings : [] }
}

/** A listing without an adapter for locked value carries the module `dummy.js` and no figure worth the name. */
const tvlOf = ({ module, tvl }: Listing) =>
  module === "dummy.js" || (tvl === 0 && module === undefined) ? undefined : tvl

/** A listing that has ended: its locked value stays permanently as it was on its last day. */
const isDead = ({ deadFrom, isDeprecated }: Listing, at: number): boolean => {
  const end = Upstream.time(deadFrom)
  return isDeprecated || (end !== undefined && !(typeof end === "number" && end > at))
}

/** The row of the fee overview that stands for a listing: by its id, else by its slug. */
const byListing = (rows: ReadonlyArray<FeeRow>) => {
  const own = rows.filter(({ protocolType }) => protocolType !== "chain")
  const [byId, bySlug] = [Map.groupBy(own, ({ id }) => id), Map.groupBy(own, ({ slug }) => slug)]
  return ({ id, slug }: Listing): FeeRow | undefined =>
    (id === undefined ? undefined : byId.get(id)?.[0]) ??
    (slug === undefined ? undefined : bySlug.get(slug)?.[0])
}

/** Days of different length may end at different hours: a part may pass its whole by this much. */
const slack = 1.01

/** A day of this many times the mean of the other days of its week is an upstream's mistake far more often than a market's. */
const spike = 100

/**
 * Fees of a day, a week and a month, and what is refused of them. The newest day may be today's, which is in neither of the others:
 * alone it is refused where it is more than they are, which a wrong day is far more often than a first one. A day that is nearly all
 * of its week is refused with the totals that hold it, because the upstream takes such days back later.
 */
const feesUpTo30Days = (rows: ReadonlyArray<FeeRow | undefined>, symbol: string) => {
  const day = Fields.sum(rows.map((row) => row?.total24h))
  const week = Fields.sum(rows.map((row) => row?.total7d))
  const month = Fields.sum(rows.map((row) => row?.total30d))
  const exceeds = (part: Numeric | undefined, whole: Numeric | undefined) =>
    Fields.combine([part, whole], ([part, whole]) => part > whole * slack) === true
  const others = Fields.combine([day, week], ([day, week]) => (week > day ? week - day : undefined))
  const isSpike = Fields.combine([day, others], ([day, others]) => day > (spike * others) / 6) === true
  if (isSpike) {
    const reason = `the newest day makes ${day}, and the six others of its week ${others}: more than ${spike} times as much a day`
    const metrics = ["fees_24h_usd", "fees_7d_usd", "fees_30d_usd"]
    return { refused: metrics.map((metric) => ({ symbol, metric, reason })), values: {} }
  }
  const longer = [week, month].find((whole) => exceeds(day, whole))
  const reason = `${day} is more than ${longer}, the fees of a longer time`
  const refused = longer === undefined ? [] : [{ symbol, metric: "fees_24h_usd", reason }]
  const values = {
    fees_24h_usd: longer === undefined ? day : undefined,
    fees_7d_usd: week,
    fees_30d_usd: month
  }
  return { refused, values }
}

/** When somebody read the sources. */
const read = "2026-11-25"

/** When somebody read what the adapters' authors say of them. */
const methodRead = "2026-11-28"

const adapters = {
  name: "DefiLlama/DefiLlama-Adapters",
  address: "https://github.com/DefiLlama/DefiLlama-Adapters",
  read: methodRead
}

export default Plugin.define({
  id: "defillama",
  title: "DefiLlama fees and locked value",
  covers: { catalog: "coingecko_id" },
  tier: "fees_tvl",
  source: "defillama_fees",
  sources: ["defillama_tvl", "defillama_chains"],
  hosts: ["api.llama.fi"],
  every: "1 hour",
  timeout: "3 minutes",
  calls: 3 + charts,
  grade: "B",
  evidence: readOn(read, {
    "DefiLlama/defillama-server@9b5e9984cd34c2bca124bcbff55c0dda11bb67a7 defi/src/api2/cron-task/dimensions.ts":
      "total24h, total7d, total30d",
    "DefiLlama/defillama-server@8065c1c56d3440f7b4a71b326b8d417fc2e0c0db defi/src/api2/routes/dimensions.ts":
      "protocols, defillamaId, name, slug, protocolType, totalDataChart",
    "DefiLlama/defillama-server@ac67f36291379c0004dff31a88209b8fa66144e2 defi/src/getProtocols.ts":
      "slug, tvl, chainTvls, staking, gecko_id, module"
  }),
  terms: termsOn(read, "Data: DefiLlama, defillama.com", {
    address: "DefiLlama/defillama-app@27f782d7e0acf55702ea25c78a39ed94374dc227 src/pages/terms.tsx",
    licence: "proprietary",
    // "In any form" leaves no form in which a page could show a value.
    show: "no",
    ...notHandedOn,
    quote:
      "You may view the Site and its data under a limited licence; you agree not to: […] resell the data or resell access to the data through your plan without permission; republish the data in any form without permission;"
  }),
  methods: {
    defillama_fees: {
      name: "DefiLlama/dimension-adapters",
      address: "https://github.com/DefiLlama/dimension-adapters",
      read: methodRead,
      spans: ["fees_24h_usd", "fees_7d_usd", "fees_30d_usd"],
      zeros: [
        {
          symbol: "HNT",
          metrics: ["fees_24h_usd", "fees_7d_usd", "fees_30d_usd"],
          from: "2026-01-02",
          because:
            "by a fixed date in the adapter, from which on it counts nothing while the revenue goes on",
          source: "DefiLlama/dimension-adapters#7534, #7779"
        }
      ]
    },
    defillama_tvl: adapters,
    defillama_chains: adapters
  },
  // Days of different length may end at different hours.
  relations: [atMost("fees_7d_usd", "fees_30d_usd", { tolerance: 0.01 })],
  keep: 30,
  // Where a chart cannot be had, nothing else in the answers says when the figures were true.
  orHeaders: true,
  metrics: {
    fees_24h_usd: mayDropToZero(
      "usd",
      "Fees paid by users in the newest 24 hours that DefiLlama has: the last hours where it counts each hour, else the last full UTC day, as its adapters define them; a 0 that they prescribe is marked."
    ),
    fees_7d_usd: mayDropToZero(
      "usd",
      "Fees paid by users in the 7 full UTC days up to yesterday, as DefiLlama's adapters define them."
    ),
    fees_30d_usd: mayDropToZero(
      "usd",
      "Fees paid by users in the 30 full UTC days up to yesterday, as DefiLlama's adapters define them."
    ),
    tvl_usd: metric(
      "usd",
      "Value locked in the protocol, as DefiLlama's adapters define it; for a chain without a protocol of its own, on the chain."
    ),
    staking_tvl_usd: metric(
      "usd",
      "Value of the protocol's own token staked with it, which the value locked does not contain."
    )
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const targets = yield* Upstream.targets
      const listed = yield* protocols
      const paid = yield* Effect.result(fees)
      const onChains = yield* Effect.result(chains)
      const byGecko = Map.groupBy(listed.rows, ({ gecko_id }) => gecko_id)
      const chainByGecko = Result.map(onChains, ({ rows }) => Map.groupBy(rows, ({ gecko_id }) => gecko_id))
      const chainsOf = Result.isSuccess(chainByGecko)
        ? (id: string) => chainByGecko.success.get(id) ?? []
        : undefined
      const feeRows = Result.isSuccess(paid) ? paid.success.rows : []
      const feesOf = byListing(feeRows)
      const chainFees = Map.groupBy(
        feeRows.filter(({ protocolType }) => protocolType === "chain"),
        ({ name }) => name
      )

      const joined = targets.flatMap(({ id, name, symbol }) => {
        const { chain, parts } = chosen(byGecko.get(id) ?? [], chainsOf?.(id), name)
        const [first] = parts
        const page =
          first !== undefined
            ? `protocol/${parts.length === 1 ? first.slug : first.parentProtocol?.replace("parent#", "")}`
            : chain !== undefined
              ? `chain/${encodeURIComponent(chain.name)}`
              : undefined
        if (page === undefined) return []
        const paidBy = first !== undefined ? parts.map(feesOf) : [chainFees.get(chain?.name ?? "")?.[0]]
        return [{ chain, paidBy, parts, facts: { symbol, verify_url: `https://defillama.com/${page}` } }]
      })
      const until = yield* completeDays(
        new Set(joined.flatMap(({ paidBy }) => paidBy.flatMap((row) => row?.slug ?? [])))
      )

      const rows = joined.flatMap(({ chain, facts, paidBy, parts }): ReadonlyArray<Plugin.CollectedPart> => {
        // A sum is as old as its oldest part.
        const ends = paidBy.flatMap((row) => until.get(row?.slug ?? "") ?? [])
        const as_of = ends.length === 0 ? undefined : Math.min(...ends)
        const living = parts.filter((part) => !isDead(part, listed.answer.at))
        const { refused, values } = feesUpTo30Days(paidBy, facts.symbol)
        return [
          ...(parts.length > 0
            ? observe(
                listed.answer,
                {
                  tvl_usd: Fields.sum(living.map(tvlOf)),
                  staking_tvl_usd: Fields.sum(living.map(({ staking }) => staking))
                },
                { ...facts, source: "defillama_tvl" }
              )
            : Result.isSuccess(onChains)
              ? observe(
                  onChains.success.answer,
                  { tvl_usd: chain?.tvl },
                  { ...facts, source: "defillama_chains" }
                )
              : []),
          ...(Result.isSuccess(paid)
            ? [...observe(paid.success.answer, values, { ...facts, as_of }), ...refused]
            : [])
        ]
      })
      return [
        ...rows,
        ...(Result.isFailure(paid) ? [Plugin.failedPart(paid.failure, "*", "fees_*")] : []),
        ...(Result.isFailure(onChains) ? [Plugin.failedPart(onChains.failure, "*", "tvl_usd")] : [])
      ]
    })
})
