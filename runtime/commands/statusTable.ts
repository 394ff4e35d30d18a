/** The table that `plumbline status` prints. */
import { day, hour, minute } from "../../core/plugin/time.ts"
import { program } from "../../core/process/program.ts"
import { givesNothing } from "../../core/readings/Feeds.ts"
import type { Withheld } from "../../core/readings/read/held.ts"
import type { Standing } from "../../core/readings/read/standings.ts"
import type { FeedState } from "../../core/wire/data/feedState.ts"
import type { Probe } from "../admin/probe.ts"

export interface FeedLine {
  readonly plugin: string
  readonly state: FeedState["state"] | "not running"
  readonly reason: string | null
  readonly last_run: string | null
  readonly last_success: string | null
  readonly last_error: string | null
  /** Whether anything but its author has compared it with its upstream, and since when. Null: it has not run yet. */
  readonly confirmation: Pick<Standing, "state" | "how"> | null
}

/** A fault whose readings are stored and not served: its first series, and how many it met. */
export interface WithheldLine
  extends Pick<
    Withheld,
    "incident" | "symbol" | "metric" | "source" | "plugin" | "since" | "reason" | "value"
  > {
  readonly series: number
}

/** An upstream whose answers hold something else than they did. */
export interface ChangedAnswers {
  readonly incident: number
  readonly since: string
  readonly reason: string
}

/** Two sources of one figure whose newest values contradict each other. */
export interface Disagreeing {
  readonly symbol: string
  readonly metric: string
  readonly source: string
  readonly value: number
  readonly second_metric: string
  readonly second_source: string
  readonly second_value: number
  readonly tolerance: number
  readonly since: string
}

/** A figure that the last run of a feed should have had. */
export interface Absent {
  readonly plugin: string
  readonly symbol: string
  readonly metric: string
  readonly reason: string
}

/** What operators say of the blocks of a chain on a day, where it is not enough. */
export interface UnconfirmedBlocks {
  readonly chain: string
  readonly day: string
  readonly reason: string
}

export interface Status extends Probe {
  readonly running: boolean
  readonly ready: boolean
  readonly series: number
  /** How many of them are of feeds that nothing but their author has compared with the upstream. */
  readonly unconfirmed_series: number
  readonly snapshot_version: number
  readonly log_size: number
  /** Readings that wait for a review, by fault: at most 20, the newest first. */
  readonly withheld: ReadonlyArray<WithheldLine>
  /** The newest 20 of each. */
  readonly changed_answers: ReadonlyArray<ChangedAnswers>
  readonly disagreements: ReadonlyArray<Disagreeing>
  /** Of the last good run of each feed: at most 100. */
  readonly absent: ReadonlyArray<Absent>
  /** Chains of which no block of the newest asked day is confirmed, or one is contradicted, by the operators in `CHAIN_LOOKS`. */
  readonly unconfirmed_blocks: ReadonlyArray<UnconfirmedBlocks>
  readonly feeds: ReadonlyArray<FeedLine>
}

/** Absent figures that the table lists. */
const mostAbsent = 20

/** Unconfirmed feeds that are named. */
const mostNamed = 10

/** No line of the table is longer: it is read on a terminal, and in a message. */
const widest = 120

/** Text and what follows it, in one line: what does not fit is cut off the text. `--json` prints all of it. */
const fitted = (text: string, end = ""): string =>
  text.length + end.length <= widest ? `${text}${end}` : `${text.slice(0, widest - end.length - 1)}…${end}`

/** An indented sentence, in as many lines as it takes. */
const wrapped = (text: string): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = " "
  for (const word of text.split(" ")) {
    if (line.trim() !== "" && line.length + 1 + word.length > widest) {
      lines.push(line)
      line = "   "
    }
    line += ` ${word}`
  }
  return [...lines, line].map((one) => fitted(one))
}

/** The overall state first, then the feeds; feeds without data come before the others. */
export const table = (status: Status, now: number): string => {
  const {
    absent,
    changed_answers,
    disagreements,
    feeds,
    log_size,
    reasons,
    running,
    series,
    unconfirmed_blocks,
    warnings,
    withheld
  } = status
  const rank = ({ state }: FeedLine) =>
    state !== "not running" && givesNothing(state)
      ? 0
      : state === "needs_key"
        ? 1
        : state === "disabled"
          ? 3
          : 2
  const sorted = feeds.toSorted((a, b) => rank(a) - rank(b) || (a.plugin < b.plugin ? -1 : 1))
  const bad = feeds.filter((feed) => rank(feed) === 0).length
  const unconfirmed = feeds.flatMap(({ confirmation, plugin }) =>
    confirmation?.state === "unconfirmed" ? [plugin] : []
  )
  const width = Math.max(4, ...feeds.map(({ plugin }) => plugin.length))
  const line = (plugin: string, state: string, success: string, why: string) =>
    fitted(`${plugin.padEnd(width)}  ${state.padEnd(11)}  ${success.padEnd(12)}  ${why}`.trimEnd())
  return [
    !running
      ? `NOT RUNNING: no service answers. Start it with: ${program} serve`
      : reasons.length > 0
        ? "NOT READY: the service is running but cannot answer"
        : bad + warnings.length > 0
          ? "RUNNING, with warnings"
          : "RUNNING, everything is healthy",
    ...[...reasons, ...warnings].flatMap(({ code, message }) => wrapped(`${code}: ${message}`)),
    `  ${series} series, ${log_size} entries in the log, ${feeds.length} feeds (${bad} failing)`,
    ...(unconfirmed.length === 0
      ? []
      : wrapped(
          `${unconfirmed.length} unconfirmed feeds with ${status.unconfirmed_series} series, which no figure is computed from: ${unconfirmed.slice(0, mostNamed).join(", ")}${unconfirmed.length > mostNamed ? ` and ${unconfirmed.length - mostNamed} more` : ""} (${program} confirm shows them on one sheet)`
        )),
    ...withheld.map(({ metric, plugin, reason, series, since, symbol }) =>
      fitted(
        `  held ${agoOf(since, now)}: ${series === 1 ? "" : `${series} series, first `}${symbol} ${metric}: ${reason}`,
        ` (${program} confirm ${plugin} --held all)`
      )
    ),
    ...changed_answers.map(({ incident, reason, since }) =>
      fitted(`  ${agoOf(since, now)}: ${reason}`, ` (${program} incident close ${incident})`)
    ),
    ...disagreements.map(({ second_metric, second_source, second_value, tolerance, ...one }) =>
      fitted(
        `  disagree ${agoOf(one.since, now)}: ${one.symbol} ${one.metric} is ${one.value} by ${one.source}, ${second_metric} ${second_value} by ${second_source}`,
        ` (${Math.round(tolerance * 100)} % allowed)`
      )
    ),
    ...unconfirmed_blocks.map(({ chain, day, reason }) =>
      fitted(`  blocks of ${chain} on ${day}: ${reason}`)
    ),
    ...absent
      .slice(0, mostAbsent)
      .map(({ metric, plugin, reason, symbol }) => fitted(`  ${plugin}: ${symbol} ${metric} is ${reason}`)),
    ...(absent.length > mostAbsent
      ? [`  and ${absent.length - mostAbsent} more that are absent (--json lists them)`]
      : []),
    ...(feeds.length === 0 ? [] : ["", line("FEED", "STATE", "LAST SUCCESS", "LAST ERROR")]),
    ...sorted.map(({ last_error, last_success, plugin, reason, state }) =>
      line(plugin, state, agoOf(last_success, now), reason ?? last_error ?? "")
    )
  ].join("\n")
}

const units = [
  ["d", day],
  ["h", hour],
  ["min", minute],
  ["s", 1000]
] as const

/** `3 h ago`; `never` for null. */
const agoOf = (time: string | null, now: number): string => {
  if (time === null) return "never"
  const age = Math.max(0, now - Date.parse(time))
  const [name, length] = units.find(([, length]) => age >= length) ?? ["s", 1000]
  return `${Math.floor(age / length)} ${name} ago`
}
