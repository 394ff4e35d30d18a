/**
 * The computed part of `runtime/SCALE.md`, from the figures in `scale.json`: `node test/bench/scalePage.ts` writes it anew.
 * `node test/bench/scalePage.ts <file>` first takes the figures of a run into `scale.json` (`npm run bench -- scale --json <file>`).
 */
import { readFileSync, writeFileSync } from "node:fs"
import type { Campaign, TableSize } from "../campaigns/year.ts"
import {
  assumed as assumedOfRuns,
  dailyOf,
  growthOf,
  othersInWords,
  readGrowth,
  type TableGrowth,
  yearBytes
} from "./growth.ts"
import type { BenchReport } from "./reportPage.ts"

const place = (name: string): string => new URL(name, import.meta.url).pathname
const figuresFile = place("scale.json")
const pageFile = place("../../runtime/SCALE.md")
const [from, to] = ["<!-- computed by test/bench/scalePage.ts -->", "<!-- end -->"]

/** What the page assumes of a service of a size. */
interface Size {
  readonly name: string
  readonly networks: number
  readonly series: number
  /** Requests per second. */
  readonly requests: number
}

const sizes: ReadonlyArray<Size> = [
  { name: "today's catalog", networks: 1000, series: 10_000, requests: 100 },
  { name: "ten times", networks: 10_000, series: 100_000, requests: 1000 },
  { name: "the aim", networks: 10_000, series: 1_000_000, requests: 10_000 }
]

/** Assumed, not measured. */
export const assumed = {
  /** A reading every 15 minutes, the commonest cadence of the catalog. */
  readingsADay: 96,
  /** `KEEP_READINGS_DAYS`, by default. */
  keptDays: 90,
  /** Of a core, so that a burst finds room. */
  utilization: 0.5,
  /** Cloud list prices in dollars per month, rounded: change them to yours. */
  core: 30,
  gigabyteOfMemory: 4,
  gigabyteOfDisk: 0.1,
  gigabyteOfObjects: 0.023
} as const

const day = 86_400
const giga = 1e9

/** The measured figures by benchmark and name. */
export type Measured = (bench: string, what: string) => number

export const measuredIn =
  (runs: ReadonlyArray<BenchReport>): Measured =>
  (bench, what) => {
    const match = runs.flatMap(({ rows }) => rows).find((row) => row.bench === bench && row.what === what)
    if (match === undefined)
      throw new Error(`scale.json has no "${what}" of ${bench}; run npm run bench -- ${bench}`)
    return match.value
  }

/** What a service of a size needs. */
export const needsOf = (
  measured: Measured,
  tables: ReadonlyArray<TableGrowth>,
  { requests, series }: Size
) => {
  const of = (what: string) => measured("scale", what)
  const readings = series * assumed.readingsADay
  const perSecond = readings / day
  const year = series * 365
  const compact = of("a leaf in a month's file")
  const micro = (what: string) => of(`${what}, service`) + of(`${what}, Postgres`)
  const answering = (requests * of("an answer of a mixed load")) / 1e6
  const ingesting = (perSecond * of("ingest, service")) / 1e6
  const writing = (perSecond * of("ingest, Postgres")) / 1e6
  const recentDays = (measured("recentDays", "memory of 31 days of 7,000 series") * 2 ** 20) / 7000
  const memory = series * (of("a series in memory, latest row") + recentDays)
  const readingBytes = readings * assumed.keptDays * of("a reading in Postgres")
  return {
    perSecond,
    answering,
    ingesting,
    writing,
    /** Of the one transaction at a time that writes readings. */
    writerBusy: (perSecond * micro("ingest")) / 1e6,
    processes: Math.max(1, Math.ceil((answering + ingesting) / assumed.utilization)),
    memory,
    startSeconds: (series * of("reading the latest rows at the start, service")) / 1e6,
    closeSeconds: (series * micro("close")) / 1e6,
    archiveSeconds: (series * micro("archive")) / 1e6,
    readingBytes,
    yearBytes: yearBytes(tables, dailyOf(series)),
    seriesBytes: series * of("a series in Postgres"),
    archiveBytes: year * (of("a leaf in a day's file") + 2 * compact)
  }
}

const digits = (value: number): string =>
  Number(value.toPrecision(2)).toLocaleString("en-US", { maximumFractionDigits: 4 })
const line = (cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |`

const bytes = (value: number): string =>
  value >= 1000 * giga
    ? `${digits(value / giga / 1000)} TB`
    : value >= giga
      ? `${digits(value / giga)} GB`
      : `${digits(value / 1e6)} MB`

const time = (seconds: number): string =>
  seconds >= 120
    ? `${digits(seconds / 60)} min`
    : seconds >= 1
      ? `${digits(seconds)} s`
      : `${digits(seconds * 1000)} ms`

const needs = (measured: Measured, tables: ReadonlyArray<TableGrowth>): string => {
  const all = sizes.map((size) => needsOf(measured, tables, size))
  const row = (what: string, of: (need: (typeof all)[number], n: number) => string) =>
    line([what, ...all.map(of)])
  const cost = ({
    answering,
    archiveBytes,
    ingesting,
    memory,
    processes,
    readingBytes,
    writing,
    yearBytes
  }: (typeof all)[number]) =>
    Math.max(1, (answering + ingesting + writing) / assumed.utilization) * assumed.core +
    ((processes * memory) / giga) * assumed.gigabyteOfMemory +
    ((readingBytes + yearBytes) / giga) * assumed.gigabyteOfDisk +
    (archiveBytes / giga) * assumed.gigabyteOfObjects
  return [
    line(["", ...sizes.map(({ name }) => `**${name}**`)]),
    line(["---", ...sizes.map(() => "--:")]),
    row("networks", (_, n) => digits(sizes[n]?.networks ?? 0)),
    row("series", (_, n) => digits(sizes[n]?.series ?? 0)),
    row("requests per second", (_, n) => digits(sizes[n]?.requests ?? 0)),
    row("readings per second", ({ perSecond }) => digits(perSecond)),
    row("cores that answer", ({ answering }) => digits(answering)),
    row(
      "cores that ingest: service, Postgres",
      ({ ingesting, writing }) => `${digits(ingesting)}, ${digits(writing)}`
    ),
    row("the writer of readings is busy", ({ writerBusy }) => `${digits(writerBusy * 100)} %`),
    row(`processes, each half idle`, ({ processes }) => digits(processes)),
    row("memory of each process for data", ({ memory }) => bytes(memory)),
    row("CPU time to start a process", ({ startSeconds }) => time(startSeconds)),
    row("CPU time to close a day", ({ closeSeconds }) => time(closeSeconds)),
    row("CPU time to archive a day", ({ archiveSeconds }) => time(archiveSeconds)),
    row(`disk for readings (${assumed.keptDays} days)`, ({ readingBytes }) => bytes(readingBytes)),
    row("disk for all other tables after a year", ({ yearBytes }) => bytes(yearBytes)),
    row("archive, per year", ({ archiveBytes }) => bytes(archiveBytes)),
    row("cost of the first year, per month", (need) => `$${digits(cost(need))}`)
  ].join("\n")
}

const constants = (runs: ReadonlyArray<BenchReport>): string =>
  [
    line(["benchmark", "figure", "value", "unit"]),
    line(["---", "---", "--:", "---"]),
    ...runs.flatMap(({ rows }) =>
      rows.map(({ bench, unit, value, what }) =>
        line([`\`npm run bench -- ${bench}\``, what, value.toLocaleString("en-US"), unit])
      )
    ),
    "",
    ...runs.map(
      ({ date, load: [before, after], machine, node, rows }) =>
        `- ${[...new Set(rows.map(({ bench }) => bench))].join(", ")}: ${date}, ${machine}, Node ${node}, load ${before} before and ${after} after`
    )
  ].join("\n")

const growth = (tables: ReadonlyArray<TableGrowth>): string =>
  [
    line(["table", "bytes", "of", ...sizes.map(({ name }) => `**${name}**, after a year`)]),
    line(["---", "--:", "---", ...sizes.map(() => "--:")]),
    ...tables.map(({ bytes: of, per, table, year }) =>
      line([
        `\`${table}\``,
        of.toLocaleString("en-US", { maximumSignificantDigits: 3 }),
        per,
        ...sizes.map(({ series }) => bytes(year(dailyOf(series))))
      ])
    ),
    line(["all of them", "", "", ...sizes.map(({ series }) => bytes(yearBytes(tables, dailyOf(series))))])
  ].join("\n")

const perDay = ({ measured, series }: Campaign): number => {
  const total = (tables: ReadonlyArray<TableSize> = []) => tables.reduce((sum, { bytes }) => sum + bytes, 0)
  const [first] = measured
  const last = measured.at(-1)
  return (total(last?.tables) - total(first?.tables)) / ((last?.day ?? 1) - (first?.day ?? 0)) / series
}

/** A restore at this pace, of a year's bytes in minutes. */
const restoreWords = ({ restored }: Campaign, year: number): string => {
  if (restored === undefined) return ""
  const { backup, bytes: size, copy, restore } = restored
  return `. A database of ${bytes(size)} was backed up in ${time(backup)} and restored in ${time(restore)}, checks included, where \`COPY\` of the same rows into the same tables took ${time(copy)}; at that pace a year of today's catalog (${bytes(year)}) is restored in ${time((restore * year) / size)}`
}

const campaignWords = (campaign: Campaign, year: number): string => {
  const { date, days, engine, exchangesPerRun, load, machine, measured, moved, runsPerDay, series } = campaign
  const files =
    moved.runs === 0
      ? "No run was old enough to move to a file"
      : `${moved.runs.toLocaleString("en-US")} runs moved to files of ${Math.round(moved.bytes / moved.runs).toLocaleString("en-US")} bytes a run`
  return `- ${engine}: ${date}, ${machine}, load ${load[0].toFixed(1)} before and ${load[1].toFixed(1)} after. **${days} days played**, the rest of the year extrapolated from day ${measured[0]?.day} to day ${measured.at(-1)?.day}: ${series.toLocaleString("en-US")} series, ${runsPerDay} runs per day with ${exchangesPerRun.toFixed(1)} exchanges each; all tables grew by ${Math.round(perDay(campaign)).toLocaleString("en-US")} bytes a day and series. ${files}. A close took ${measured.map(({ close, day }) => `${close.toFixed(2)} s on day ${day}`).join(", ")}; to read the latest rows at a start ${measured.map(({ day, start }) => `${start.toFixed(2)} s on day ${day}`).join(", ")}${restoreWords(campaign, year)}`
}

const campaigns = (tables: ReadonlyArray<TableGrowth>): string =>
  readGrowth()
    .campaigns.map((campaign) => campaignWords(campaign, yearBytes(tables, dailyOf(10_000))))
    .join("\n")

/** The computed part of the page. */
export const computed = (runs: ReadonlyArray<BenchReport>, tables = growthOf(readGrowth())): string =>
  [
    from,
    "",
    "### What each size needs",
    "",
    needs(measuredIn(runs), tables),
    "",
    "### What grows in Postgres",
    "",
    `Readings apart. Assumed are ${assumedOfRuns.runs.toLocaleString("en-US")} runs per day for 10,000 series, the archive in the database, and readings, raw payloads and runs that are kept for 90 days.`,
    "",
    growth(tables),
    "",
    `With what others do grow: ${othersInWords}. The other tables have a row for each thing that there is, or lose their rows within months.`,
    "",
    campaigns(tables),
    "",
    "### The figures",
    "",
    constants(runs),
    "",
    to
  ].join("\n")

/** The page with its computed part as it should be. */
export const pageWith = (page: string, part: string): string =>
  page.slice(0, page.indexOf(from)) + part + page.slice(page.indexOf(to) + to.length)

export const readRuns = (): ReadonlyArray<BenchReport> => JSON.parse(readFileSync(figuresFile, "utf8"))
export const readPage = (): string => readFileSync(pageFile, "utf8")

if (import.meta.main) {
  const [file] = process.argv.slice(2)
  if (file !== undefined) {
    const run: BenchReport = JSON.parse(readFileSync(file, "utf8"))
    const benches = new Set(run.rows.map(({ bench }) => bench))
    const others = readRuns()
      .map((one) => ({ ...one, rows: one.rows.filter(({ bench }) => !benches.has(bench)) }))
      .filter(({ rows }) => rows.length > 0)
    writeFileSync(figuresFile, `${JSON.stringify([...others, run], undefined, 2)}\n`)
  }
  writeFileSync(pageFile, pageWith(readPage(), computed(readRuns())))
}
