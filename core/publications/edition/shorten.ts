/** Makes the brief of a full edition: the first rows of each list, how many there are, and the gaps by reason. */
import { compare } from "../../plugin/Value.ts"
import type { BriefDocument, Gap, Missing } from "../../wire/log/brief.ts"
import type { FullEdition } from "./compose.ts"

/** Rows shown of a list. */
const most = 5
/** Reasons shown of a section, and networks named for each. */
const mostReasons = 6
const mostExamples = 3

const sum = (gaps: ReadonlyArray<Gap>): number => gaps.reduce((total, { n }) => total + n, 0)

/** The most frequent reasons first; what is left over is one entry. */
const gaps = (all: ReadonlyArray<Missing>): ReadonlyArray<Gap> => {
  const groups = [...Map.groupBy(all, ({ reason }) => reason)]
    .map(
      ([reason, members]): Gap => ({
        reason,
        n: members.length,
        examples: members.slice(0, mostExamples).map(({ symbol }) => symbol)
      })
    )
    .sort((a, b) => b.n - a.n || compare(a.reason, b.reason))
  if (groups.length <= mostReasons) return groups
  const [listed, rest] = [groups.slice(0, mostReasons - 1), groups.slice(mostReasons - 1)]
  const examples = rest.flatMap((gap) => gap.examples).slice(0, mostExamples)
  return [...listed, { reason: "other reasons, listed at full_url", n: sum(rest), examples }]
}

/** `fullUrl` is where the full edition is. */
export const shorten = (full: FullEdition, fullUrl: string): BriefDocument => {
  const {
    capacity_and_demand: capacity,
    exchange_flows: flows,
    holder_concentration: holders,
    stopped_feeds: stopped,
    supply_movers: movers,
    supply_verifiability: supply,
    unusual_values: unusual
  } = full
  return {
    v: full.simulated ? "service-brief-v2-demo" : "service-brief-v2",
    date: full.date,
    cut_off: full.cut_off,
    days: full.days,
    method: full.method,
    attest_url: full.attest_url,
    full_url: fullUrl,
    capacity_and_demand: {
      rows: capacity.rows.slice(0, most),
      n_rows: capacity.rows.length,
      withheld: gaps(capacity.withheld),
      missing: gaps(capacity.missing)
    },
    stopped_feeds: {
      stalled: stopped.stalled.slice(0, most),
      n_stalled: stopped.stalled.length,
      unchanged: stopped.unchanged.slice(0, most),
      n_unchanged: stopped.unchanged.length
    },
    supply_verifiability: {
      measured: supply.measured.slice(0, most),
      n_measured: supply.measured.length,
      readable: supply.readable.slice(0, most),
      n_readable: supply.readable.length,
      n_reported_only: supply.reported_only.length,
      missing: gaps(supply.missing)
    },
    exchange_flows: {
      inflows: flows.inflows.slice(0, most),
      n_inflows: flows.inflows.length,
      outflows: flows.outflows.slice(0, most),
      n_outflows: flows.outflows.length,
      missing: gaps(flows.missing)
    },
    holder_concentration: {
      rows: holders.rows.slice(0, most),
      n_rows: holders.rows.length,
      withheld: gaps(holders.withheld),
      missing: gaps(holders.missing)
    },
    supply_movers: {
      up: movers.up.slice(0, most),
      n_up: movers.up.length,
      down: movers.down.slice(0, most),
      n_down: movers.down.length,
      withheld: gaps(movers.withheld),
      missing: gaps(movers.missing)
    },
    ...(unusual === undefined
      ? {}
      : {
          unusual_values: { rows: unusual.slice(0, most), n_rows: full.n_unusual_values ?? unusual.length }
        }),
    ...(full.left_out === undefined ? {} : { left_out: gaps(full.left_out) }),
    ...(full.simulated ? { simulated: true as const } : {})
  }
}
