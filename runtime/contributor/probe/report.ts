/** Results of a probe as a person reads them: a line while it runs, and a report in Markdown. */
import { needsAttention, type Probed } from "./Probed.ts"

const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`

const outcomes: Readonly<Record<Probed["outcome"], string>> = {
  reached: "reached",
  partly: "partly",
  failed: "failed",
  needs_key: "needs key"
}

/** What was found, in a few words. */
const findings = ({
  absent,
  broken = [],
  error,
  members,
  outside,
  proof = [],
  refused,
  rows
}: Probed): string =>
  [
    ...(error === undefined ? [counted(rows, "row")] : [`${error.tag}: ${error.message}`]),
    ...(error === undefined && refused.length > 0 ? [`${refused.length} refused`] : []),
    ...(absent.length > 0 ? [`${counted(absent.length, "expected row")} absent`] : []),
    ...(outside.length > 0 ? [`${outside.length} outside the known range`] : []),
    ...(broken.length > 0 ? [`${broken.length} unlike the accepted runs`] : []),
    ...(members.changed.length > 0 ? [`${counted(members.changed.length, "member")} of another type`] : []),
    ...(members.added.length > 0 ? [`${counted(members.added.length, "new member")}`] : []),
    ...(members.missing.length > 0 ? [`${counted(members.missing.length, "missing member")}`] : []),
    ...proof
  ].join(", ")

/** One line of the terminal. */
export const line = (probed: Probed): string =>
  `${outcomes[probed.outcome].padEnd(9)}  ${probed.plugin.padEnd(20)}  ${findings(probed)}`

/** The last line. */
export const summary = (all: ReadonlyArray<Probed>): string => {
  const of = (outcome: Probed["outcome"]) => all.filter((one) => one.outcome === outcome).length
  const sum = (count: (one: Probed) => number) => all.reduce((total, one) => total + count(one), 0)
  return (
    `${counted(all.length, "plugin")}: ${of("reached")} reached, ${of("partly")} partly, ${of("failed")} failed, ` +
    `${of("needs_key")} without key; ${counted(
      sum(({ rows }) => rows),
      "row"
    )}, ` +
    `${sum(({ refused }) => refused.length)} refused, ${sum(({ outside }) => outside.length)} outside the known range`
  )
}

/** Text of an upstream in a cell or a list: one line, and no markup. */
const plain = (text: string): string => text.replace(/\s+/g, " ").replace(/[|<>`*_[\]\\]/g, "\\$&")

const most = 30

const list = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0
    ? []
    : [
        `${title}:`,
        "",
        ...lines.slice(0, most).map((text) => `- ${plain(text)}`),
        ...(lines.length > most ? [`- and ${lines.length - most} more`] : []),
        ""
      ]

const hostLines = ({ hosts }: Probed): ReadonlyArray<string> =>
  hosts.map(({ answers, host, unanswered }) =>
    [host, ...Object.entries(answers).map(([status, count]) => `${count} x ${status}`), ...unanswered].join(
      "; "
    )
  )

const section = (probed: Probed): ReadonlyArray<string> => {
  const { absent, broken = [], captured, disabled, error, members, outside, plugin, refused } = probed
  return [
    `## ${plugin}`,
    "",
    `${plain(`${outcomes[probed.outcome]} at ${probed.at}: ${findings(probed)}`)}.`,
    "",
    ...(disabled === null ? [] : [`Off by default: ${plain(disabled)}.`, ""]),
    ...(captured === undefined ? [] : [`Recorded as ${captured}.`, ""]),
    ...(error === undefined && probed.outcome === "reached" ? [] : list("Hosts", hostLines(probed))),
    ...list(
      "Refused",
      refused.map(({ metric, reason, symbol }) => `${symbol} ${metric}: ${reason}`)
    ),
    ...list("Rows of the case ok that did not come", absent),
    ...list(
      "Outside the range of the last known values",
      outside.map(
        ({ high, low, metric, source, symbol, value }) =>
          `${symbol} ${metric} of ${source}: ${value}, known ${low} to ${high}`
      )
    ),
    ...list("Unlike the answers of the service's accepted runs", broken),
    ...list("Of another type than in the fixtures", members.changed),
    ...list("In the answer, not in the fixtures", members.added),
    ...list("In the fixtures, not in the answer", members.missing)
  ]
}

/** The whole report. Plugins that a person should look at come first. */
export const markdown = (all: ReadonlyArray<Probed>): string => {
  const sorted = [...all].sort((a, b) => Number(needsAttention(b)) - Number(needsAttention(a)))
  const times = all.map(({ at }) => at).sort()
  return [
    "# Probe of the upstreams",
    "",
    `${summary(all)}. From ${times[0] ?? "-"} to ${times.at(-1) ?? "-"}.`,
    "",
    ...(all.some(({ mapped }) => mapped)
      ? ["Local programs stood in for upstreams (`UPSTREAM_MAP`).", ""]
      : []),
    "| plugin | outcome | rows | refused | absent | compared | outside | new members | missing members |",
    "|---|---|---|---|---|---|---|---|---|",
    ...sorted.map(
      (one) =>
        `| ${one.plugin} | ${outcomes[one.outcome]} | ${one.rows} | ${one.refused.length} | ${one.absent.length} | ${one.compared} | ${one.outside.length} | ${one.members.added.length} | ${one.members.missing.length} |`
    ),
    "",
    ...sorted.flatMap(section)
  ].join("\n")
}
