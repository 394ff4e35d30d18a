/** Composes an edition in full from published values. Pure: the same data give the same document. */
import { networks as catalog, isDepin, referenceSymbols } from "../../catalog/Catalog.ts"
import { exchangeWallets } from "../../catalog/ExchangeWallets.ts"
import { isSubnet } from "../../catalog/kindOf.ts"
import { day as dayMs, hour } from "../../plugin/time.ts"
import { compare, isoTime } from "../../plugin/Value.ts"
import { broadBaseWords, changeOver, type DatedValue, isBroadBase } from "../../readings/change.ts"
import { twoDecimals } from "../../readings/percent.ts"
import { staticAge } from "../../readings/read/freshness.ts"
import { pickSource } from "../../readings/read/pickSource.ts"
import type { Largest } from "../../readings/read/weekOfFindings.ts"
import { isBeyond } from "../../readings/read/wholes.ts"
import type { Anomaly } from "../../wire/data/anomalies.ts"
import type {
  Concentration,
  Divergence,
  Earlier,
  Figure,
  Flow,
  Missing,
  Mover,
  OnChain,
  Pair,
  Readable,
  Stalled,
  Unchanged,
  Unusual
} from "../../wire/log/brief.ts"
import {
  type DayValue,
  divergenceOf,
  excludedThisWeek,
  implausible,
  type SeriesDays,
  type Week
} from "../divergence.ts"
import { dateOf, type Series } from "./published.ts"

export interface EditionInput {
  /** The Monday, `YYYY-MM-DD`. */
  readonly date: string
  readonly series: ReadonlyArray<Series>
  /** Last answer of each collector before the cut-off, epoch milliseconds. */
  readonly answered: ReadonlyMap<string, number>
  /** Cadence of each collector in milliseconds. */
  readonly cadence: ReadonlyMap<string, number>
  /** True for a series that measures what its network can supply. */
  readonly isCapacity: (series: Series) => boolean
  /** What the rules found on `ofNetworks` in its week; undefined if the week was not judged. */
  readonly unusual: Largest | undefined
  readonly simulated: boolean
}

/** A published day with its provenance. */
interface PublishedDay extends DayValue {
  readonly figure: Figure
}

/** An edition with all its rows and every gap by network; `shorten` makes the brief of it. */
export type FullEdition = ReturnType<typeof compose>

/** A feed stopped when its newest published value is this old: its Sunday, of which the edition tells, is up to 32 hours. */
const staleAfter = 50 * hour

/** The earlier value of the same series: what it shares with the later one is said once. */
const earlierOf = ({ as_of, value, value_text, verify_url }: Figure, now: Figure): Earlier => ({
  value,
  ...(value_text === undefined ? {} : { value_text }),
  as_of,
  ...(verify_url === now.verify_url ? {} : { verify_url })
})

const datedOf = ({ as_of, value, value_text }: Figure): DatedValue => ({
  date: as_of.slice(0, 10),
  value,
  ...(value_text === undefined ? {} : { value_text })
})

const unusualOf = ({ date, high, low, rule, score, symbol, why, ...of }: Anomaly): Unusual => ({
  symbol,
  figure: {
    metric: of.metric,
    value: of.value,
    ...(of.value_text === undefined ? {} : { value_text: of.value_text }),
    unit: of.unit,
    source: of.source,
    as_of: of.as_of,
    verify_url: of.verify_url
  },
  date,
  rule,
  score,
  low,
  high,
  why
})

/** Baselines such as general chains are no part of an edition. */
const networks = catalog.filter(isDepin)

/** The series that the sections read. */
export const ofNetworks = (series: ReadonlyArray<Series>): ReadonlyArray<Series> =>
  series.filter(({ symbol, unconfirmed }) => !unconfirmed && !referenceSymbols.has(symbol))

export const compose = (input: EditionInput) => {
  const { date } = input
  const series = input.series.filter(({ unconfirmed }) => !unconfirmed)
  const unconfirmed = input.series.flatMap((one) => (one.unconfirmed ? [one.symbol] : []))
  const left_out = [...new Set(unconfirmed)]
    .sort(compare)
    .map((symbol): Missing => ({ symbol, reason: "unconfirmed" }))
  const edition = Date.parse(date)
  const cutOff = edition + 8 * hour
  const ago = (days: number) => dateOf(edition - days * dayMs)
  const bySymbol = Map.groupBy(series, ({ symbol }) => symbol)

  const within = ({ window }: Series, from: number, to: number) =>
    window.findLast(({ day }) => day >= ago(from) && day <= ago(to))?.figure

  /** The series that answers for a metric, with its value of the last three days and one about a week before. */
  const read = (
    symbol: string,
    metric: string
  ): { readonly pair: Pair; readonly series: Series } | undefined => {
    const candidates = (bySymbol.get(symbol) ?? [])
      .filter((one) => one.metric === metric)
      .flatMap((one) => {
        const now = within(one, 3, 1)
        return now === undefined
          ? []
          : [{ series: one, now, source: one.source, asOf: Date.parse(now.as_of) }]
      })
    const source = pickSource(symbol, metric, candidates)
    if (source === undefined) return undefined
    const { now } = source
    const earlier = within(source.series, 10, 8)
    const change =
      earlier === undefined ? undefined : changeOver(now.unit, [earlier, now].map(datedOf))?.relative
    const before = earlier === undefined ? null : earlierOf(earlier, now)
    return {
      series: source.series,
      pair: { now, before, change_pct: change === undefined || change === null ? null : twoDecimals(change) }
    }
  }

  /** Why a weekly change is implausible. */
  const doubtful = ({
    pair,
    series
  }: {
    readonly pair: Pair
    readonly series: Series
  }): string | undefined => {
    const { change_pct, now } = pair
    if (series.incident !== undefined) return excludedThisWeek(now.metric, series.incident)
    return change_pct === null ? undefined : implausible(now.metric, change_pct)
  }

  const names = networks.map(({ symbol }) => symbol).filter((symbol) => !isSubnet(symbol))

  /** The closed days of the series that answers for a metric, if it was measured in the week before the cut-off. */
  const daysOf = (symbol: string, metric: string): SeriesDays<PublishedDay> | undefined => {
    const candidates = (bySymbol.get(symbol) ?? []).flatMap((one) => {
      const asOf = Date.parse(one.newest.figure.as_of)
      return one.metric === metric && cutOff - asOf < staticAge ? [{ ...one, asOf }] : []
    })
    const answering = pickSource(symbol, metric, candidates)
    return answering === undefined
      ? undefined
      : {
          days: answering.window.map(({ day, figure }) => ({
            ...datedOf(figure),
            date: day,
            unit: figure.unit,
            figure
          })),
          incident: answering.incident
        }
  }

  const pairOf = ({ change_pct, from, to }: Week<PublishedDay>): Pair => ({
    now: to.figure,
    before: earlierOf(from.figure, to.figure),
    change_pct
  })

  const divergence = () => {
    const { missing, rows, withheld } = divergenceOf(
      networks.map(({ symbol }) => symbol),
      daysOf
    )
    return {
      rows: rows.map(
        (row): Divergence => ({ ...row, capacity: pairOf(row.capacity), demand: pairOf(row.demand) })
      ),
      withheld,
      missing
    }
  }

  const stopped = () => {
    const old = series.flatMap((one) => {
      const answered = input.answered.get(one.plugin)
      const age = cutOff - Date.parse(one.newest.figure.as_of)
      const patience = Math.max(staleAfter, 2 * (input.cadence.get(one.plugin) ?? 0))
      return answered === undefined || age < patience || age > 30 * dayMs ? [] : [{ one, answered, age }]
    })
    const stalled = [
      ...Map.groupBy(old, ({ one }) => `${one.plugin}|${one.symbol}|${one.source}`).values()
    ].flatMap((group): ReadonlyArray<Stalled> => {
      const [newest] = group.toSorted((a, b) => a.age - b.age || compare(a.one.metric, b.one.metric))
      if (newest === undefined) return []
      return [
        {
          plugin: newest.one.plugin,
          symbol: newest.one.symbol,
          source: newest.one.source,
          n_series: group.length,
          newest: newest.one.newest.figure,
          age_hours: twoDecimals(newest.age / hour),
          last_answered: isoTime(newest.answered)
        }
      ]
    })
    const unchanged = series.flatMap((one): ReadonlyArray<Unchanged> => {
      const days = one.window.filter(({ day }) => day >= ago(7))
      const { figure } = one.newest
      const still = days.length >= 6 && days.every((at) => at.figure.value === figure.value)
      return input.isCapacity(one) && figure.value >= 1000 && still
        ? [{ symbol: one.symbol, figure, days: days.length }]
        : []
    })
    stalled.sort(
      (a, b) => b.age_hours - a.age_hours || compare(a.symbol, b.symbol) || compare(a.source, b.source)
    )
    unchanged.sort((a, b) => compare(a.symbol, b.symbol) || compare(a.figure.metric, b.figure.metric))
    return { stalled, unchanged }
  }

  const verifiability = () => {
    const measured: Array<OnChain> = []
    const readable: Array<Readable> = []
    const reportedOnly: Array<string> = []
    const missing: Array<Missing> = []
    for (const { chain, symbol, token_contract } of networks) {
      if (isSubnet(symbol)) continue
      const own = read(symbol, "total_issuance")?.pair.now
      const reported = read(symbol, "total_supply")?.pair.now
      if (own !== undefined) {
        const comparable = reported !== undefined && own.value > 0
        measured.push({
          symbol,
          measured: own,
          reported: reported ?? null,
          difference_pct: comparable ? twoDecimals((reported.value / own.value - 1) * 100) : null
        })
      } else if (reported === undefined) {
        missing.push({ symbol, reason: "no feed reported a total supply in the last three days" })
      } else if (token_contract !== undefined && chain !== undefined) {
        readable.push({ symbol, chain, contract: token_contract, reported })
      } else reportedOnly.push(symbol)
    }
    return { measured, readable, reported_only: reportedOnly, missing }
  }

  const flows = () => {
    const labelled = new Set<string>(exchangeWallets.map(({ chain }) => chain))
    const rows: Array<Flow> = []
    const missing: Array<Missing> = []
    for (const { chain, symbol, token_contract } of networks) {
      if (isSubnet(symbol)) continue
      const balance = read(symbol, "exchange_balance")?.pair
      if (balance === undefined) {
        const reason =
          token_contract === undefined
            ? "no token contract is known"
            : chain !== undefined && labelled.has(chain)
              ? "the labelled wallets were not read in the last three days"
              : `no exchange wallets are labelled on ${chain ?? "its chain"}`
        missing.push({ symbol, reason })
        continue
      }
      const wallets = (bySymbol.get(symbol) ?? []).find(
        (one) => one.metric === "exchange_wallets" && one.source === balance.now.source
      )
      const countOf = (figure: Earlier) =>
        wallets?.window.find(({ day }) => day === figure.as_of.slice(0, 10))?.figure.value
      const { before, now } = balance
      if (before === null) {
        missing.push({ symbol, reason: "no reading from about a week earlier" })
        continue
      }
      const counts = [countOf(before), countOf(now)]
      if (counts[0] === undefined || counts[0] !== counts[1]) {
        missing.push({
          symbol,
          reason: `the readings cover ${counts[0] ?? "an unknown number of"} and ${counts[1] ?? "an unknown number of"} wallets, so no flow is computed`
        })
        continue
      }
      rows.push({ symbol, balance, wallets: counts[0], flow_tokens: now.value - before.value })
    }
    const change = ({ balance }: Flow) => balance.change_pct ?? 0
    const byChange = rows.toSorted((a, b) => change(b) - change(a) || compare(a.symbol, b.symbol))
    return {
      inflows: byChange.filter((row) => change(row) > 0),
      outflows: byChange.filter((row) => change(row) < 0).reverse(),
      missing
    }
  }

  const concentration = () => {
    const rows: Array<Concentration> = []
    const withheld: Array<Missing> = []
    const missing: Array<Missing> = []
    for (const symbol of names) {
      const top = read(symbol, "top_holder_balance")?.pair.now
      const circulating = read(symbol, "circulating_supply")?.pair.now
      if (top === undefined || circulating === undefined || circulating.value === 0) {
        if (circulating !== undefined && circulating.value > 0)
          missing.push({ symbol, reason: "its largest holder was not measured in the last three days" })
        else if (top !== undefined)
          missing.push({ symbol, reason: "its circulating supply was not measured in the last three days" })
        continue
      }
      const total = read(symbol, "total_supply")?.pair.now
      const share = (top.value / circulating.value) * 100
      if (total !== undefined && isBeyond(top.value, total.value))
        withheld.push({
          symbol,
          reason: `the largest account holds ${twoDecimals((top.value / total.value) * 100)} % of the total supply, so one of the two is not what it says`
        })
      else if (share > 100)
        withheld.push({
          symbol,
          reason: `the largest account holds ${twoDecimals(share)} % of the circulating supply, so some of its holdings do not circulate`
        })
      else rows.push({ symbol, top_holder: top, circulating, share_pct: twoDecimals(share) })
    }
    rows.sort((a, b) => b.share_pct - a.share_pct || compare(a.symbol, b.symbol))
    return { rows, withheld, missing }
  }

  const movers = () => {
    const rows: Array<Mover & { readonly change: number }> = []
    const withheld: Array<Missing> = []
    const missing: Array<Missing> = []
    for (const [symbol, all] of [...bySymbol].toSorted(([a], [b]) => compare(a, b))) {
      if (referenceSymbols.has(symbol)) continue
      const metrics = new Set(all.filter(input.isCapacity).map(({ metric }) => metric))
      if (metrics.size === 0) continue
      const figures = [...metrics].sort(compare).flatMap((metric) => read(symbol, metric) ?? [])
      const judged = figures.filter(
        ({ pair }) => pair.change_pct !== null && isBroadBase(pair.now, pair.before?.value ?? 0)
      )
      if (judged.length === 0) {
        missing.push({
          symbol,
          reason: "no capacity figure with a value from about a week earlier that is a base for percents"
        })
        continue
      }
      const sound = judged.filter((one) => {
        const doubt = doubtful(one)
        if (doubt !== undefined) withheld.push({ symbol, reason: doubt })
        return doubt === undefined
      })
      const [widest] = sound.toSorted(
        (a, b) => Math.abs(b.pair.change_pct ?? 0) - Math.abs(a.pair.change_pct ?? 0)
      )
      if (widest !== undefined)
        rows.push({ symbol, supply: widest.pair, change: widest.pair.change_pct ?? 0 })
    }
    rows.sort((a, b) => b.change - a.change || compare(a.symbol, b.symbol))
    const withoutChange = (list: typeof rows) => list.map(({ change: _, ...row }) => row)
    return {
      up: withoutChange(rows.filter(({ change }) => change > 0)),
      down: withoutChange(rows.filter(({ change }) => change < 0).reverse()),
      withheld,
      missing
    }
  }

  return {
    date,
    cut_off: `${date}T08:00:00Z`,
    days: [ago(7), ago(1)],
    method:
      "Uses published day values only. A figure is the newest of the last three days; the earlier one is the newest of 8 to " +
      "10 days before the edition. Capacity and demand are compared as in /v1/divergence: on the newest closed day that both " +
      "have, and on the day exactly a week before. Movers are capacity metrics of first-party feeds. Both begin with " +
      `${broadBaseWords}. Nothing is interpolated; gaps are named. ` +
      "General chains, oracles and exchanges (category reference) are left out.",
    attest_url: "/v1/attest?symbol={symbol}&metric={metric}&date={date}&source={source}",
    capacity_and_demand: divergence(),
    stopped_feeds: stopped(),
    supply_verifiability: verifiability(),
    exchange_flows: flows(),
    holder_concentration: concentration(),
    supply_movers: movers(),
    ...(input.unusual === undefined
      ? {}
      : {
          unusual_values: input.unusual.largest.map(unusualOf),
          n_unusual_values: input.unusual.n
        }),
    ...(left_out.length === 0 ? {} : { left_out }),
    ...(input.simulated ? { simulated: true as const } : {})
  }
}
