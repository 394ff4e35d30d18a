/** The brief as Markdown for people: the same document, nothing added. */
import type { BriefDocument, Figure, Missing, Pair } from "../../wire/publications/brief.ts"

const cell = (text: string): string => text.replaceAll("|", "\\|").replace(/[\r\n]+/g, " ")
const number = (value: number): string =>
  Math.abs(value) >= 1000 ? value.toLocaleString("en-US", { maximumFractionDigits: 0 }) : String(value)

const figure = ({ as_of, attest_url, metric, source, unit, value, verify_url }: Figure): string =>
  `${cell(metric)} ${number(value)} ${unit} ([${cell(source)}](${verify_url}), ${as_of}, [proof](${attest_url}))`

const pair = ({ change_pct, now }: Pair): string =>
  `${figure(now)}${change_pct === null ? "" : `, ${change_pct > 0 ? "+" : ""}${change_pct} %`}`

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  rows.length === 0
    ? "Nothing.\n"
    : `${[head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n")}\n`

const named = (title: string, list: ReadonlyArray<Missing>): string =>
  list.length === 0
    ? ""
    : `\n${title}:\n\n${[...Map.groupBy(list, ({ reason }) => reason)]
        .map(([reason, all]) => `- ${all.map(({ symbol }) => cell(symbol)).join(", ")}: ${cell(reason)}`)
        .join("\n")}\n`

/** The whole document, ended by a newline. */
export const markdown = (brief: BriefDocument): string => {
  const {
    capacity_and_demand: capacity,
    exchange_flows: flows,
    holder_concentration: holders,
    stopped_feeds: stopped,
    supply_movers: movers,
    supply_verifiability: supply
  } = brief
  return [
    `# Weekly brief of ${brief.date}`,
    ...(brief.simulated ? ["**Simulated: made from the demo's tape. Nothing here was measured.**"] : []),
    `Cut-off ${brief.cut_off}; the week from ${brief.days.join(" to ")}. ${brief.method}`,
    "## Capacity and demand",
    table(
      ["network", "what", "capacity", "demand", "divergence (points)", "utilisation (%)"],
      capacity.rows.map((row) => [
        cell(row.symbol),
        row.what,
        pair(row.capacity),
        pair(row.demand),
        String(row.divergence_points),
        row.utilisation_pct === undefined ? "" : String(row.utilisation_pct)
      ])
    ) +
      named("Withheld", capacity.withheld) +
      named("Missing", capacity.missing),
    "## Feeds that answer but stopped updating",
    table(
      ["network", "collector", "series", "newest value", "age (h)", "last answer"],
      stopped.stalled.map((row) => [
        cell(row.symbol),
        row.plugin,
        String(row.n_series),
        figure(row.newest),
        String(row.age_hours),
        row.last_answered
      ])
    ),
    "Figures that stood still:",
    table(
      ["network", "figure", "days"],
      stopped.unchanged.map((row) => [cell(row.symbol), figure(row.figure), String(row.days)])
    ),
    "## Token supply that can be checked on chain",
    table(
      ["network", "read on chain", "reported", "difference (%)"],
      supply.measured.map((row) => [
        cell(row.symbol),
        figure(row.measured),
        row.reported === null ? "" : figure(row.reported),
        row.difference_pct === null ? "" : String(row.difference_pct)
      ])
    ),
    "Open to anyone at a contract:",
    table(
      ["network", "chain", "contract", "reported"],
      supply.readable.map((row) => [
        cell(row.symbol),
        cell(row.chain),
        cell(row.contract),
        figure(row.reported)
      ])
    ),
    `Reported by a market feed alone: ${supply.reported_only.map(cell).join(", ") || "none"}.\n${named("Missing", supply.missing)}`,
    "## Exchange wallets",
    "Labelled wallets only: a part of what exchanges hold.",
    ...(["inflows", "outflows"] as const).flatMap((way) => [
      `Largest ${way}:`,
      table(
        ["network", "tokens", "balance", "wallets"],
        flows[way].map((row) => [
          cell(row.symbol),
          number(row.flow_tokens),
          pair(row.balance),
          String(row.wallets)
        ])
      )
    ]),
    named("Missing", flows.missing),
    "## Largest holders",
    table(
      ["network", "share (%)", "largest account", "circulating"],
      holders.rows.map((row) => [
        cell(row.symbol),
        String(row.share_pct),
        figure(row.top_holder),
        figure(row.circulating)
      ])
    ) +
      named("Withheld", holders.withheld) +
      named("Missing", holders.missing),
    "## Movers of seven days",
    ...(["up", "down"] as const).flatMap((way) => [
      way === "up" ? "Growth:" : "Falls:",
      table(
        ["network", "figure"],
        movers[way].map((row) => [cell(row.symbol), pair(row.supply)])
      )
    ]),
    named("Withheld", movers.withheld) + named("Missing", movers.missing)
  ]
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .join("\n\n")
    .concat("\n")
}
