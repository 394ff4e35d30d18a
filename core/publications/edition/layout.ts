/** The brief as people read it: its sections, their tables and what stands in each cell, for whoever writes them out. */
import { twoDecimals } from "../../readings/percent.ts"
import { oneAccount } from "../../readings/read/wholes.ts"
import { findingMeaning } from "../../wire/data/anomalies.ts"
import type { BriefDocument, Figure, Flow, Gap, Mover, Pair } from "../../wire/log/brief.ts"

/** What stands in a cell; a text may have a second line. */
export type Cell =
  | { readonly kind: "network"; readonly symbol: string }
  | { readonly kind: "figure"; readonly symbol: string; readonly figure: Figure }
  | { readonly kind: "pair"; readonly symbol: string; readonly pair: Pair }
  | { readonly kind: "number"; readonly value: number; readonly unit?: "%" | "h" }
  | { readonly kind: "range"; readonly low: number; readonly high: number; readonly unit: Figure["unit"] }
  /** Of percent; null if it cannot be computed. */
  | { readonly kind: "change"; readonly percent: number | null }
  | { readonly kind: "time"; readonly at: string }
  | { readonly kind: "text"; readonly text: string; readonly second?: string }
  | { readonly kind: "code"; readonly text: string; readonly second: string }

export interface Table {
  readonly title: string
  /** Rows in the full edition. */
  readonly total: number
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<Cell>>
}

export interface Section {
  readonly id: "movers" | "demand" | "stopped" | "supply" | "flows" | "holders" | "unusual"
  readonly title: string
  readonly says?: string
  readonly tables: ReadonlyArray<Table>
  /** A sentence after the tables. */
  readonly after?: string
  /** What has no data, by the title of the list. */
  readonly gaps: ReadonlyArray<readonly [title: string, gaps: ReadonlyArray<Gap>]>
}

const network = (symbol: string): Cell => ({ kind: "network", symbol })
const figure = (symbol: string, one: Figure): Cell => ({ kind: "figure", symbol, figure: one })
const pair = (symbol: string, one: Pair): Cell => ({ kind: "pair", symbol, pair: one })
const number = (value: number): Cell => ({ kind: "number", value })
const text = (words: string, second?: string): Cell => ({
  kind: "text",
  text: words,
  ...(second === undefined ? {} : { second })
})

const withheldTitle = "Withheld as implausible"
const missingTitle = "Not measured"

const movers = (title: string, total: number, rows: ReadonlyArray<Mover>): Table => ({
  title,
  total,
  columns: ["Network", "Capacity"],
  rows: rows.map(({ supply, symbol }) => [network(symbol), pair(symbol, supply)])
})

const flows = (title: string, total: number, rows: ReadonlyArray<Flow>): Table => ({
  title,
  total,
  columns: ["Network", "Tokens", "Balance", "Wallets"],
  rows: rows.map(({ balance, flow_tokens, symbol, wallets }) => [
    network(symbol),
    number(flow_tokens),
    pair(symbol, balance),
    number(wallets)
  ])
})

const demandOf = ({ capacity_and_demand: of }: BriefDocument): Section => ({
  id: "demand",
  title: "Capacity and demand",
  tables: [
    {
      title: "Widest divergence",
      total: of.n_rows,
      columns: ["Network", "Compared", "Capacity", "Demand", "Points"],
      rows: of.rows.map(({ capacity, demand, divergence_points, symbol, utilisation_pct, what }) => [
        network(symbol),
        text(what, utilisation_pct === undefined ? undefined : `${twoDecimals(utilisation_pct)} % in use`),
        pair(symbol, capacity),
        pair(symbol, demand),
        number(twoDecimals(divergence_points))
      ])
    }
  ],
  gaps: [
    [withheldTitle, of.withheld],
    [missingTitle, of.missing]
  ]
})

const stoppedOf = ({ stopped_feeds: of }: BriefDocument): Section => ({
  id: "stopped",
  title: "Feeds that stopped",
  tables: [
    {
      title: "Upstreams that answer but report nothing new",
      total: of.n_stalled,
      columns: ["Network", "Collector", "Newest value", "Age", "Last answer"],
      rows: of.stalled.map(({ age_hours, last_answered, n_series, newest, plugin, symbol }) => [
        network(symbol),
        text(plugin, `${n_series} series`),
        figure(symbol, newest),
        { kind: "number", value: age_hours, unit: "h" },
        { kind: "time", at: last_answered }
      ])
    },
    {
      title: "Capacities that did not change all week",
      total: of.n_unchanged,
      columns: ["Network", "Capacity", "Days"],
      rows: of.unchanged.map((row) => [network(row.symbol), figure(row.symbol, row.figure), number(row.days)])
    }
  ],
  gaps: []
})

const supplyOf = ({ supply_verifiability: of }: BriefDocument): Section => ({
  id: "supply",
  title: "Token supply that can be checked on chain",
  tables: [
    {
      title: "Read on chain by a collector",
      total: of.n_measured,
      columns: ["Network", "On chain", "Reported", "Difference"],
      rows: of.measured.map(({ difference_pct, measured, reported, symbol }) => [
        network(symbol),
        figure(symbol, measured),
        reported === null ? text("") : figure(symbol, reported),
        { kind: "change", percent: difference_pct }
      ])
    },
    {
      title: "Readable by anyone from a contract",
      total: of.n_readable,
      columns: ["Network", "Contract", "Reported"],
      rows: of.readable.map(({ chain, contract, reported, symbol }) => [
        network(symbol),
        { kind: "code", text: contract, second: chain },
        figure(symbol, reported)
      ])
    }
  ],
  after: `Reported by a market feed only: ${of.n_reported_only} networks.`,
  gaps: [[missingTitle, of.missing]]
})

const holdersOf = ({ holder_concentration: of }: BriefDocument): Section => ({
  id: "holders",
  title: "Largest holders",
  tables: [
    {
      title: `Highest share of the circulating supply in ${oneAccount}`,
      total: of.n_rows,
      columns: ["Network", "Share", "Largest account", "Circulating"],
      rows: of.rows.map(({ circulating, share_pct, symbol, top_holder }) => [
        network(symbol),
        { kind: "number", value: share_pct, unit: "%" },
        figure(symbol, top_holder),
        figure(symbol, circulating)
      ])
    }
  ],
  gaps: [
    [withheldTitle, of.withheld],
    [missingTitle, of.missing]
  ]
})

const unusualOf = ({ unusual_values: of }: BriefDocument): ReadonlyArray<Section> =>
  of === undefined
    ? []
    : [
        {
          id: "unusual",
          title: "Unusual values",
          says: findingMeaning,
          tables: [
            {
              title: "Largest score",
              total: of.n_rows,
              columns: ["Network", "Value", "Expected", "Why"],
              rows: of.rows.map(({ figure: one, high, low, rule, symbol, why }) => [
                network(symbol),
                figure(symbol, one),
                { kind: "range", low, high, unit: one.unit },
                text(why, `rule: ${rule}`)
              ])
            }
          ],
          gaps: []
        }
      ]

/** The sections of an edition, in their order. */
export const sectionsOf = (brief: BriefDocument): ReadonlyArray<Section> => {
  const { exchange_flows: exchange, supply_movers: supply } = brief
  return [
    {
      id: "movers",
      title: "Capacity movers",
      tables: [movers("Growth", supply.n_up, supply.up), movers("Decline", supply.n_down, supply.down)],
      gaps: [
        [withheldTitle, supply.withheld],
        [missingTitle, supply.missing]
      ]
    },
    demandOf(brief),
    stoppedOf(brief),
    supplyOf(brief),
    {
      id: "flows",
      title: "Exchange wallets",
      says: "Labelled wallets only, so a part of what exchanges hold.",
      tables: [
        flows("Largest inflows", exchange.n_inflows, exchange.inflows),
        flows("Largest outflows", exchange.n_outflows, exchange.outflows)
      ],
      gaps: [[missingTitle, exchange.missing]]
    },
    holdersOf(brief),
    ...unusualOf(brief)
  ]
}
