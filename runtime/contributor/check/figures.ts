/** The figures in `README.md`: counted from the catalog, the manifests and the cases, so that nobody types them. */
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Option } from "effect"
import { networks, subnetSymbols } from "../../../core/catalog/Catalog.ts"
import type { Manifest } from "../../../core/plugin/Manifest.ts"
import type { Plugin } from "../../../core/plugin/Plugin.ts"
import { onDisk } from "../../outside/disk.ts"
import * as Fixtures from "../fixtures.ts"
import { budget } from "./hostBudget.ts"

/** The networks that a feed measures first hand without being asked to. */
const measuredBy = (manifests: ReadonlyArray<Manifest>): ReadonlySet<string> =>
  new Set(
    manifests.flatMap(({ covers, disabled, tier }) =>
      "networks" in covers && tier === "supply_telemetry" && disabled === undefined ? covers.networks : []
    )
  )

/** Series of the cases ok, and all cases by their origin. */
const casesOf = Effect.fnUntraced(function* (fixtures: string) {
  const series = new Set<string>()
  const origins = { captured: 0, written: 0, none: 0 }
  for (const plugin of yield* onDisk(() => readdir(fixtures))) {
    for (const name of yield* Fixtures.casesOf(plugin, fixtures)) {
      origins[yield* Fixtures.origin(join(fixtures, plugin, name))]++
    }
    const rows = yield* Effect.option(Fixtures.expected(join(fixtures, plugin, "ok")))
    if (Option.isNone(rows) || "error" in rows.value) continue
    for (const { metric, source, symbol } of rows.value.observations)
      series.add(`${symbol} ${metric} ${source}`)
  }
  return { series: series.size, ...origins }
})

const count = (value: number): string => value.toLocaleString("en-US")

/** One figure a line: two branches that change different ones can be merged. */
const table = (lines: ReadonlyArray<readonly [value: number, what: string]>): string =>
  lines.map(([value, what]) => `- ${count(value)} ${what}`).join("\n")

/** The lines between the marks of the README. */
export const figures = Effect.fn("Figures.figures")(function* (
  plugins: ReadonlyArray<Plugin>,
  fixtures: string = Fixtures.root
) {
  const manifests = plugins.map(({ manifest }) => manifest)
  const subnets = new Set(subnetSymbols)
  const measured = measuredBy(manifests)
  const sectors = manifests.flatMap(({ covers }) => ("sector" in covers ? [covers] : []))
  const { captured, series, written } = yield* casesOf(fixtures)
  const hosts = budget(manifests)
  return table([
    [networks.length, `networks, of which ${count(subnets.size)} are subnets of Bittensor`],
    [measured.difference(subnets).size, "networks beside the subnets with first-party telemetry"],
    [networks.filter(({ token_contract }) => token_contract !== undefined).length, "token contracts"],
    [plugins.length, `plugins, which read ${count(hosts.length)} hosts`],
    [
      new Set(manifests.flatMap(({ metrics }) => Object.keys(metrics))).size,
      "metrics and families of metrics"
    ],
    [series, "series in the cases that the demo plays"],
    [new Set(sectors.map(({ sector }) => sector)).size, "sectors of the physical world"],
    [sectors.reduce((all, { gauges = [] }) => all + gauges.length, 0), "gauges of it, each with its parts"],
    [
      captured + written,
      `cases: ${count(captured)} captured from upstreams, ${count(written)} written by hand`
    ]
  ])
})

const begins = "<!-- figures: written by npm run readme -->"
const ends = "<!-- end of figures -->"

/** The README with these figures; undefined if it has no marks to put them between. */
export const withFigures = (readme: string, lines: string): string | undefined => {
  const [from, to] = [readme.indexOf(begins), readme.indexOf(ends)]
  return from < 0 || to < from
    ? undefined
    : `${readme.slice(0, from + begins.length)}\n\n${lines}\n\n${readme.slice(to)}`
}
