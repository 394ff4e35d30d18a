/**
 * What every table of the database costs over time: which tables grow and with what, and how large they get, from what
 * `test/campaigns/year.ts` measured. The figures are in `growth.json`: `node test/bench/growth.ts <file of a campaign>` takes those of one.
 */
import { readFileSync, writeFileSync } from "node:fs"
import type { Campaign, TableSize } from "../campaigns/year.ts"

const file = new URL("growth.json", import.meta.url)

/** Of a size of service: how many of each there are a day. */
export interface Daily {
  readonly series: number
  readonly runs: number
}

/** Tables whose rows stay permanently, by what their number follows: series, runs, or the days of the log alone. */
const forEver = {
  // A document of each day names the run of every leaf.
  series: ["agreement_value", "archive_part", "daily", "document", "leaf", "tree_level"],
  runs: ["moved_run", "runs_hour"],
  log: ["archive_file", "batch", "checkpoint", "log_entry", "run_file"]
} as const

/** Tables whose rows go after a time. */
const forAWhile = ["exchange", "observation", "run"] as const

/** Tables that grow with what others do: observers, witnesses, notaries, upstreams that err, buyers. No campaign plays them. */
const withOthers: Readonly<Record<string, ReadonlyArray<string>>> = {
  "observers, a day": ["agreement_day", "agreement_observer"],
  "stamps and cosignatures of heads": ["anchor", "anchor_failure", "cosignature"],
  "notarised exchanges": ["drawing_head", "exchange_note", "note", "notary_list"],
  "incidents, revisions and what was decided of them": [
    "answer_case",
    "defined_zero",
    "exclusion",
    "feed_confirmation",
    "figure_method",
    "incident",
    "incident_event",
    "revision",
    "series_standing",
    "unmoved_run"
  ],
  "accounts, payments and sales": [
    "account",
    "api_key",
    "card_order",
    "card_payment",
    "card_refund",
    "chain_transfer",
    "encoder_key",
    "ledger_entry",
    "limited_key",
    "operator_settlement",
    "payload",
    "posting",
    "purchase",
    "sale_commitment",
    "starter_grant",
    "stripe_event",
    "subscription",
    "subscription_invoice",
    "topup_quote",
    "wallet",
    "wallet_challenge",
    "warranty_payment",
    "warranty_sale",
    "x402_sale"
  ],
  "alerts, webhooks and publications": [
    "alert",
    "alert_confirmation",
    "alert_crossing",
    "alert_delivery",
    "analysis",
    "mail_refusal",
    "morning",
    "report",
    "signal",
    "webhook",
    "webhook_delivery"
  ]
}

/** Tables with a row for each thing that there is, or whose rows go within days or months. */
const bounded: ReadonlyArray<string> = [
  "alert_standing",
  "alert_value",
  "anchor_claim",
  "anomaly",
  "answer_shape",
  "blob",
  "chain_cursor",
  "code",
  "disagreement",
  "earlier_log",
  "earlier_row",
  "event",
  "event_due",
  "fact",
  "feed_owner",
  "feed_state",
  "figure",
  "happened",
  "key_document",
  "latest",
  "morning_message",
  "observer_head",
  "reading_row",
  "recheck",
  "recheck_series",
  "rows_read",
  "run_input",
  "series",
  "signing_key",
  "unfinished",
  "uptime",
  "usage",
  "version",
  "webhook_probe",
  "witness_trouble",
  "x402_body",
  "x402_turn"
]

/** Every table that is accounted for. */
export const accounted: ReadonlyArray<string> = [
  ...Object.values(forEver).flat(),
  ...forAWhile,
  ...Object.values(withOthers).flat(),
  ...bounded
].sort()

/** Assumed of each size: what the feeds of today's catalog do. */
export const assumed = {
  /** Runs per day of 10,000 series. */
  runs: 4300,
  /** Runs and readings are kept for 90 days, and go when the month of their readings is over: a month more. */
  keptDays: 120
} as const

export const dailyOf = (series: number): Daily => ({ series, runs: (assumed.runs * series) / 10_000 })

interface Growth {
  readonly campaigns: ReadonlyArray<Campaign>
  /** Bytes of a value in `agreement_value`, with its indexes, as `test/database/growth.test.ts` measures it. */
  readonly agreement_value: number
}

export const readGrowth = (): Growth => JSON.parse(readFileSync(file, "utf8"))

const sizeIn = (tables: ReadonlyArray<TableSize>, name: string): TableSize =>
  tables.find((one) => one.name === name) ?? { name, rows: 0, bytes: 0 }

/** What a table cost, of those that grow. */
export interface TableGrowth {
  readonly table: string
  /** What the bytes are of. */
  readonly per: string
  readonly bytes: number
  /** Bytes at the end of a year at a size. */
  readonly year: (size: Daily) => number
}

/** The tables that grow, as a campaign measured them. */
export const growthOf = ({ agreement_value, campaigns }: Growth): ReadonlyArray<TableGrowth> => {
  const campaign = campaigns.find(({ engine }) => engine === "postgres")
  const [early] = campaign?.measured ?? []
  const late = campaign?.measured.at(-1)
  if (campaign === undefined || early === undefined || late === undefined || early === late)
    throw new Error("growth.json has no campaign on Postgres; run test/campaigns/year.ts postgres")
  const days = late.day - early.day
  const aDay = (table: string) =>
    (sizeIn(late.tables, table).bytes - sizeIn(early.tables, table).bytes) / days
  const aRow = (table: string) => {
    const { bytes, rows } = sizeIn(late.tables, table)
    if (rows === 0) throw new Error(`the campaign of growth.json has no rows of ${table}`)
    return bytes / rows
  }
  const ofSeries = forEver.series.map((table): TableGrowth => {
    const bytes = table === "agreement_value" ? agreement_value : aDay(table) / campaign.series
    return { table, per: "a day of a series", bytes, year: ({ series }) => 365 * series * bytes }
  })
  const ofRuns = forEver.runs.map((table): TableGrowth => {
    const bytes = table === "moved_run" ? aRow(table) : aDay(table) / campaign.runsPerDay
    return { table, per: "a run", bytes, year: ({ runs }) => 365 * runs * bytes }
  })
  const ofLog = forEver.log.map((table): TableGrowth => {
    const bytes = aDay(table)
    return { table, per: "a day", bytes, year: () => 365 * bytes }
  })
  const exchanges = campaign.exchangesPerRun
  return [
    ...ofSeries,
    ...ofRuns,
    ...ofLog,
    {
      table: "exchange",
      per: `an exchange, ${exchanges.toFixed(1)} a run, for ${assumed.keptDays} days`,
      bytes: aRow("exchange"),
      year: ({ runs }) => assumed.keptDays * runs * exchanges * aRow("exchange")
    },
    {
      table: "run",
      per: `a run, for ${assumed.keptDays} days; of each feed one per day permanently`,
      bytes: aRow("run"),
      year: ({ runs, series }) =>
        aRow("run") * (assumed.keptDays * runs + (365 * campaign.runsPerDay * series) / campaign.series)
    }
  ]
}

/** Bytes after a year of everything but readings. */
export const yearBytes = (tables: ReadonlyArray<TableGrowth>, size: Daily): number =>
  tables.reduce((sum, { year }) => sum + year(size), 0)

/** What grows with others, in words. */
export const othersInWords = Object.entries(withOthers)
  .map(([what, tables]) => `${what} (${tables.map((table) => `\`${table}\``).join(", ")})`)
  .join("; ")

if (import.meta.main) {
  const [path = ""] = process.argv.slice(2)
  const whole: Campaign = JSON.parse(readFileSync(path, "utf8"))
  const { measured } = whole
  // Tables are compared between the first time and the last.
  const ends = measured.map((one, n) => (n === 0 || n === measured.length - 1 ? one : { ...one, tables: [] }))
  const campaign: Campaign = { ...whole, measured: ends }
  const { campaigns, ...rest } = readGrowth()
  const others = campaigns.filter(({ engine }) => engine !== campaign.engine)
  writeFileSync(file, `${JSON.stringify({ campaigns: [...others, campaign], ...rest }, undefined, 2)}\n`)
}
