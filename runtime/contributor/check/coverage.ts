/** What the plugins cover, computed from their manifests and fixtures: `plugin list` and the table of `plugins/README.md`. */
import { join } from "node:path"
import { Duration, Effect, Option } from "effect"
import type { Manifest, Plugin } from "../../../core/plugin/Plugin.ts"
import * as Plugins from "../../collector/plugins.ts"
import { variableOf } from "../../collector/run.ts"
import * as Fixtures from "../fixtures.ts"

/** One plugin's line. */
export interface Entry {
  readonly id: string
  readonly title: string
  readonly networks: string
  readonly metrics: ReadonlyArray<string>
  readonly every: string
  readonly grade: Manifest["grade"]
  /** How its `ok` case came to be; `none` where there is no such case. */
  readonly fixtures: "captured" | "written" | "none"
  readonly owner: string
  readonly disabled: string | null
  /** Environment variables that it reads, and what holds without them. */
  readonly variables: ReadonlyArray<readonly [name: string, without: string]>
}

const variablesOf = ({ auth, id, settings }: Manifest): Entry["variables"] => [
  ...Object.entries(settings ?? {}).map(
    ([name, value]) => [variableOf(id, name), value === "" ? "not set" : `\`${value}\``] as const
  ),
  ...Object.values(auth ?? {}).map(
    ({ optional, setting }) => [setting, optional ? "no key" : "it does not run"] as const
  )
]

const networksOf = ({ covers }: Manifest): string => {
  if ("catalog" in covers) return `every network with a ${covers.catalog}`
  if ("sector" in covers) return covers.sector
  const { networks } = covers
  return networks.length <= 6
    ? networks.join(", ")
    : `${networks.slice(0, 3).join(", ")} and ${networks.length - 3} more`
}

/** The line of one plugin whose cases stand under `fixtures`. */
export const entry = (plugin: Plugin, fixtures: string = Fixtures.root): Effect.Effect<Entry> => {
  const { disabled, every, grade, id, metrics, owner, title } = plugin.manifest
  return Fixtures.origin(join(fixtures, id, "ok")).pipe(
    Effect.map((origin) => ({
      id,
      title,
      networks: networksOf(plugin.manifest),
      metrics: Object.keys(metrics),
      // What is no duration stands as it is written: `plugin check` has a word for it.
      every: Option.match(Duration.fromInput(every), {
        onNone: () => String(every),
        onSome: Duration.format
      }),
      grade,
      fixtures: origin,
      owner,
      disabled: disabled ?? null,
      variables: variablesOf(plugin.manifest)
    }))
  )
}

/** All lines, by id. */
export const entries = Effect.fn("Coverage.entries")(function* (
  plugins: URL = Plugins.root,
  fixtures: string = Fixtures.root
) {
  const all: Array<Entry> = []
  for (const name of yield* Plugins.names(plugins)) {
    all.push(yield* entry(yield* Plugins.find(name, plugins), fixtures))
  }
  return all
})

const metricsOf = (metrics: ReadonlyArray<string>): string =>
  metrics.length <= 5
    ? metrics.map((name) => `\`${name}\``).join(", ")
    : `${metrics
        .slice(0, 4)
        .map((name) => `\`${name}\``)
        .join(", ")} and ${metrics.length - 4} more`

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ")

/** A line of the Markdown table. */
export const row = (entry: Entry): string =>
  `| [${entry.id}](${entry.id}/README.md) | ${[
    entry.title,
    entry.networks,
    metricsOf(entry.metrics),
    entry.every,
    entry.grade,
    entry.fixtures,
    entry.owner,
    entry.disabled ?? ""
  ]
    .map(cell)
    .join(" | ")} |`

/** `plugins/README.md`. */
export const readme = (all: ReadonlyArray<Entry>): string => `# Plugins

One folder is one collector: \`index.ts\` declares what it may say and learns it through \`Upstream\` alone; its
\`README.md\` says what it reads and how to check it. Adding one: see [CONTRIBUTING.md](../CONTRIBUTING.md).

This file is written by \`npm run readme\` from the manifests and fixtures, and a test holds it true.

Grade: A, the shape was read from the operator's own source or a recorded answer; B, from a client that uses it; K, a
stable public interface from knowledge; C, only partly confirmed, so it runs only when asked for. Fixtures: captured are
bytes that the upstream sent; written are made by hand after its documentation.

${all.length} plugins, ${new Set(all.flatMap(({ metrics }) => metrics)).size} metrics.

| plugin | title | networks | metrics | cadence | grade | fixtures | owner | runs only when asked for, because |
|---|---|---|---|---|---|---|---|---|
${all.map(row).join("\n")}

## What an operator can set

Environment variables; those that are keys stand in no recording. The others are published with every run and value:
no address with a key in it.

| variable | plugin | without it |
|---|---|---|
${all
  .flatMap(({ id, variables }) =>
    variables.map(([name, without]) => `| \`${name}\` | [${id}](${id}/README.md) | ${cell(without)} |`)
  )
  .join("\n")}
`
