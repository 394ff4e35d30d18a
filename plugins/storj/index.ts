import { Effect, Schema } from "effect"
import {
  breakdown,
  capacity,
  flow,
  headline,
  metric,
  neverFalls,
  Plugin,
  partOf,
  readOn,
  termsOn,
  type Unit,
  Upstream
} from "#plugin"
import { count, largest, quantity, sum, text } from "#plugin/fields"
import { file } from "#plugin/file"

const base = "https://stats.storjshare.io"
const read = "2026-11-25"
const { zeroIsBroken } = Upstream

const satellites = ["us1", "eu1", "ap1", "saltlake"] as const

const Nodes = Schema.Struct({
  active_nodes: count,
  vetted_nodes: count,
  suspended_nodes: count,
  disqualified_nodes: count,
  offline_nodes: count,
  total_nodes: count,
  payout: Upstream.maybe(Schema.Array(Schema.Struct({ period: text, total_usd: quantity })))
})
const Data = Schema.Struct({
  storage_total_bytes: quantity,
  storage_free_capacity_estimate_bytes: quantity,
  bandwidth_bytes_uploaded: quantity,
  bandwidth_bytes_downloaded: quantity
})
const Accounts = Schema.Struct({ registered_accounts: count })

const isTest = (name: string | undefined) => /^(qa|test|dev)/.test(name ?? "")

/** A file's entries by satellite: the host of `<id>@<host>:<port>` up to its first dot; test satellites are not read. */
const bySatellite = Effect.fnUntraced(function* <A>(name: string, entry: Schema.Decoder<A>) {
  const url = `${base}/${name}`
  const { answer, facts } = yield* file(url, Schema.Record(Schema.String, Schema.Unknown))
  const named = Object.entries(answer.body).map(
    ([key, value]) => [/@([^.:]+)/.exec(key)?.[1], value] as const
  )
  const entries = named.flatMap(([name, value]) => {
    const satellite = satellites.find((candidate) => candidate === name)
    return satellite === undefined ? [] : [[satellite, value ?? {}] as const]
  })
  // One that is not known yet would be missing from every sum: like one whose figure is missing.
  const others = named.filter(
    ([name]) => satellites.every((satellite) => satellite !== name) && !isTest(name)
  )
  const satelliteEntries = Object.fromEntries(entries)
  if (entries.length === 0 || Object.keys(satelliteEntries).length < entries.length) {
    return yield* Upstream.implausible(answer, "", "not each of the known satellites once")
  }
  const decoded = yield* Upstream.decode(url, Schema.Record(Schema.String, entry), satelliteEntries)
  const bySatellite = new Map(Object.entries(decoded))
  // A satellite that the file does not list is one whose figure is missing.
  const all = [...satellites.map((satellite) => bySatellite.get(satellite)), ...others.map(() => undefined)]
  return { answer, entries: bySatellite, all, facts }
})

/** The last moment of a month `YYYY-MM`. */
const endOfMonth = (period: string): number => {
  const [year = 0, month = 0] = period.split("-").map(Number)
  return Date.UTC(year, month, 1) - 1
}

/** What the satellites paid for the newest month that all of them have paid for. */
const newestPayout = (all: ReadonlyArray<typeof Nodes.Type | undefined>) => {
  const periods = all.map((entry) => (entry?.payout ?? []).map(({ period }) => String(period)))
  const paid = (periods[0] ?? []).filter((period) => periods.every((other) => other.includes(period)))
  const period = paid
    .filter((one) => /^\d{4}-(0[1-9]|1[0-2])$/.test(one))
    .sort()
    .at(-1)
  return period === undefined
    ? { as_of: undefined, paid_out_month_usd: undefined }
    : {
        as_of: endOfMonth(period),
        paid_out_month_usd: sum(
          all.map((entry) => entry?.payout?.find((one) => one.period === period)?.total_usd)
        )
      }
}

const mayBeNone = (unit: Unit, meaning: string) => breakdown(unit, meaning, { collapse: 1 })
const machines = (what: string, as = breakdown) => as("count", `${what}; the largest count of any satellite.`)
const active = (satellite: string) =>
  breakdown("count", `Nodes that satellite ${satellite} was in contact with in the last 4 hours.`)

export default Plugin.define({
  id: "storj",
  title: "Storj satellites",
  covers: { networks: ["STORJ"] },
  source: "storj_stats",
  tier: "supply_telemetry",
  hosts: ["stats.storjshare.io"],
  every: "1 hour",
  calls: 3,
  grade: "A",
  evidence: readOn(read, {
    "storj/stats@fdb8e70 homepage.md:22":
      "storage_total_bytes, storage_free_capacity_estimate_bytes, bandwidth_bytes_uploaded, bandwidth_bytes_downloaded, active_nodes, vetted_nodes, suspended_nodes, disqualified_nodes, offline_nodes, total_nodes, registered_accounts",
    "elek/storjstats@4a01687 2026/05/05/nodes.json":
      "active_nodes, vetted_nodes, suspended_nodes, disqualified_nodes, offline_nodes, total_nodes"
  }),
  terms: termsOn(read, "Data: Storj, stats.storjshare.io"),
  metrics: {
    active_nodes_us1: active("us1"),
    active_nodes_eu1: active("eu1"),
    active_nodes_ap1: active("ap1"),
    active_nodes_saltlake: active("saltlake"),
    nodes_online: machines(
      "Nodes in contact in the last 4 hours, one machine serving several satellites",
      headline
    ),
    TOTAL_NODES: machines("Nodes that ever contacted the satellite", metric),
    VETTED_NODES: machines(
      "Vetted nodes; more than those that are active or offline, so that nodes which left are among them"
    ),
    SUSPENDED_NODES: machines("Suspended nodes, neither disqualified nor exited", mayBeNone),
    DISQUALIFIED_NODES: machines("Disqualified nodes"),
    OFFLINE_NODES: machines(
      "Nodes not in contact in the last 4 hours, neither disqualified nor exited",
      mayBeNone
    ),
    STORAGE_TOTAL_BYTES: metric(
      "bytes",
      "Customer data stored, before its expansion by erasure coding, summed over the four satellites."
    ),
    STORAGE_FREE_ESTIMATE_BYTES: capacity(
      "bytes",
      "Estimated free capacity; the largest of any satellite, for all see the same disks."
    ),
    BANDWIDTH_UPLOADED_30D_BYTES: metric(
      "bytes",
      "Bytes uploaded to the network (ingress) in 30 days, summed over the four satellites."
    ),
    BANDWIDTH_DOWNLOADED_30D_BYTES: metric(
      "bytes",
      "Bytes downloaded from the network (egress) in 30 days, summed over the four satellites."
    ),
    ACCOUNTS_REGISTERED: metric("count", "Registered accounts, summed over the four satellites."),
    paid_out_month_usd: flow(
      "usd",
      "What the four satellites paid node operators for the newest month that all of them have paid for, in dollars.",
      {
        rung: "stated",
        at: "payout of each satellite in https://stats.storjshare.io/nodes.json: total_usd of the newest period that all four list",
        formula: "sum over the satellites of total_usd",
        without:
          "What is held back from new nodes until they leave, and the worth of the tokens on any other day.",
        code: "elek/storjstats@4a01687 2026/05/05/nodes.json",
        recomputed: "March 2026, from the answer of 3 May 2026: 111,711.612263 dollars."
      },
      // It is dated by its month.
      { collapse: 1 }
    )
  },
  relations: [
    neverFalls("TOTAL_NODES"),
    ...(
      ["nodes_online", "VETTED_NODES", "SUSPENDED_NODES", "DISQUALIFIED_NODES", "OFFLINE_NODES"] as const
    ).map((part) => partOf(part, "TOTAL_NODES"))
  ],
  collect: (observe) =>
    Plugin.anyOf("STORJ", [
      Effect.map(bySatellite("nodes.json", Nodes), ({ all, answer, facts, entries }) => {
        const { as_of, ...payout } = newestPayout(all)
        return [
          ...observe(answer, payout, as_of === undefined ? facts : { as_of }),
          ...observe(
            answer,
            {
              active_nodes_us1: zeroIsBroken(entries.get("us1")?.active_nodes),
              active_nodes_eu1: zeroIsBroken(entries.get("eu1")?.active_nodes),
              active_nodes_ap1: zeroIsBroken(entries.get("ap1")?.active_nodes),
              active_nodes_saltlake: entries.get("saltlake")?.active_nodes,
              nodes_online: zeroIsBroken(largest(all.map((entry) => entry?.active_nodes))),
              TOTAL_NODES: zeroIsBroken(largest(all.map((entry) => entry?.total_nodes))),
              VETTED_NODES: largest(all.map((entry) => entry?.vetted_nodes)),
              SUSPENDED_NODES: largest(all.map((entry) => entry?.suspended_nodes)),
              DISQUALIFIED_NODES: largest(all.map((entry) => entry?.disqualified_nodes)),
              OFFLINE_NODES: largest(all.map((entry) => entry?.offline_nodes))
            },
            facts
          )
        ]
      }),
      Effect.map(bySatellite("data.json", Data), ({ all, answer, facts }) =>
        observe(
          answer,
          {
            STORAGE_TOTAL_BYTES: sum(all.map((entry) => zeroIsBroken(entry?.storage_total_bytes))),
            STORAGE_FREE_ESTIMATE_BYTES: zeroIsBroken(
              largest(all.map((entry) => entry?.storage_free_capacity_estimate_bytes))
            ),
            BANDWIDTH_UPLOADED_30D_BYTES: zeroIsBroken(
              sum(all.map((entry) => entry?.bandwidth_bytes_uploaded))
            ),
            BANDWIDTH_DOWNLOADED_30D_BYTES: zeroIsBroken(
              sum(all.map((entry) => entry?.bandwidth_bytes_downloaded))
            )
          },
          facts
        )
      ),
      Effect.map(bySatellite("accounts.json", Accounts), ({ all, answer, facts }) =>
        observe(
          answer,
          { ACCOUNTS_REGISTERED: sum(all.map((entry) => zeroIsBroken(entry?.registered_accounts))) },
          facts
        )
      )
    ])
})
