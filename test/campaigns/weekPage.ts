/** The page of a week that was watched. */
import type { Outcome, Week } from "./week.ts"

const list = (words: ReadonlyArray<string>): string => (words.length === 0 ? "none" : words.join(", "))

const incidentsOf = ({ closedAfter, incidents }: Outcome): string =>
  incidents === 0
    ? "none"
    : `${incidents}, ${closedAfter === null ? "not closed by the end" : `over ${closedAfter.toFixed(0)} h after the fault`}`

const alertsOf = ({ alerts, atOnce }: Outcome): string =>
  alerts.length === 0 ? "none" : `${list(alerts)}${atOnce > 1 ? ` (one ${atOnce} times)` : ""}`

const falseOf = ({ falseLeaves }: Outcome): string =>
  falseLeaves.length === 0 ? "0" : `${falseLeaves.length} (${[...new Set(falseLeaves)].join(", ")})`

const rowOf = (outcome: Outcome): string =>
  `| ${outcome.fault.name} | ${outcome.fault.from} to ${outcome.fault.to} | ${incidentsOf(outcome)} | ${alertsOf(outcome)} | ${list(outcome.codes)} | ${outcome.longestLine} | ${falseOf(outcome)} |`

const lastLine = (out: string): string => out.trimEnd().split("\n").at(-1) ?? ""

export const pageOf = (week: Week): string => `# A week that was watched

What an operator saw of ${week.outcomes.length} faults in ${week.days} days of moved time: three processes on one Postgres, with a witness, a notary and an observer. Written by
\`npx node test/campaigns/week.ts --page\`, which moves all clocks together (libfaketime), two hours at a time. The upstreams are a stand-in that
knows what is true; the feeds are made up, one series each, read once a step. Two of the feeds read it by TLS 1.3 at a name and a public
address of its own, in a network of the campaign's own, and the notary carries their sessions. Played in ${week.minutes.toFixed(0)} minutes with a load of ${week.load.map((n) => n.toFixed(0)).join(" to ")}.

"Alerts" are those of [alerts.yml](alerts.yml) that Prometheus fires over what the three processes answered to \`/metrics\` at the end of each step, from a fault's
beginning until eight hours after it; faults that lie close together share theirs. What is measured by the
minute or by the monotonic clock (server errors, latency, a blocked thread) is not judged here. "Line" is the longest line of \`plumbline status\` in a fault's last hours.

| fault | hours | incidents | alerts | \`/readyz\` | line | false leaves |
|---|---|---|---|---|--:|--:|
${week.outcomes.map(rowOf).join("\n")}

- Closed days: ${week.closedDays}, with ${week.leaves} leaves. A leaf is false if its value was never the true one and no incident excludes it; in brackets is what \`/v1/attest\` says beside it.
- \`log check --full\`: exit ${week.check.code}, "${lastLine(week.check.out)}".
- \`verify monitor --once --log-only\`: exit ${week.monitor.code}, "${lastLine(week.monitor.out)}".
- Runs of the two feeds that drew the notary, and those of them with its note: ${week.noted.spans.map(({ name, noted, runs }) => `${name} ${noted} of ${runs}`).join("; ")}. Kept are ${week.noted.notes} notes, ${week.noted.falseNotes} of them about an answer that the host never gave.
- Alerts at other times: ${list(week.otherAlerts)}.
- Other incidents: ${list(week.otherIncidents)}.

Not in it: plugins of the catalogue.
`
