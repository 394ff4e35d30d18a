/** The page of measured figures, `README.md` beside this file: written by `npm run bench -- <names> --page`. */
import type { Row } from "./row.ts"

export interface BenchReport {
  readonly machine: string
  readonly node: string
  readonly date: string
  /** The load average of a minute, before and after. */
  readonly load: readonly [before: number, after: number]
  readonly seconds: number
  readonly command: string
  readonly rows: ReadonlyArray<Row & { readonly bench: string }>
}

const number = (value: number | undefined): string =>
  value === undefined || !Number.isFinite(value)
    ? ""
    : value.toLocaleString("en-US", { maximumFractionDigits: 3 })

const line = (cells: ReadonlyArray<string>): string =>
  `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`

const sectionOf = (bench: string, rows: ReadonlyArray<Row>): string =>
  [
    `## ${bench}`,
    "",
    line(["what", "figure", "unit", "peer", "ratio", "aim", "met"]),
    line(["---", "--:", "---", "--:", "--:", "---", "---"]),
    ...rows.map(({ aim, met, peer, ratio, unit, value, what }) =>
      line([
        what,
        number(value),
        unit,
        number(peer),
        number(ratio),
        aim,
        met === undefined ? "" : met ? "yes" : "**no**"
      ])
    ),
    ""
  ].join("\n")

export const pageOf = ({ command, date, load, machine, node, rows, seconds }: BenchReport): string => {
  const judged = rows.filter(({ met }) => met !== undefined)
  return [
    "# Measured figures",
    "",
    "Written by a script; do not edit. Each figure is shown with its peer, measured in the same run on the same machine, or with",
    "its limit. The answers are those of the demo while it collects, all of them signed; nginx, Fastify and bare",
    "`node:http` send the same bytes and the same headers, signatures among them, without making them.",
    "",
    "Distinct targets are signed each for itself. The mixed load asks for all addresses and all networks by Zipf's law, the",
    "n-th as often as 1/n, and 5 of 100 requests are for targets that nobody asked for before. `networks` asks a service with",
    "400 and one with 4,000 made-up networks; its peer is the figure of 400.",
    "",
    `    ${command}`,
    "",
    `${date}: ${machine}, Node ${node}; load average ${load[0]} before and ${load[1]} after; took ${Math.round(seconds)} s.`,
    `${judged.filter(({ met }) => met).length} of ${judged.length} aims are met.`,
    "",
    ...[...new Set(rows.map(({ bench }) => bench))].map((bench) =>
      sectionOf(
        bench,
        rows.filter((row) => row.bench === bench)
      )
    )
  ].join("\n")
}
