/** What the plugins cover, from their manifests and fixtures: for `plugin list` and the tables of `plugins/README.md`. */
import { join } from "node:path"
import { Duration, Effect, Option } from "effect"
import type { Evidence, Manifest } from "../../../core/plugin/Manifest.ts"
import type { Plugin } from "../../../core/plugin/Plugin.ts"
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
  readonly evidence: ReadonlyArray<Evidence>
  /** Origin of its `ok` case; `none` if there is no such case. */
  readonly fixtures: "captured" | "written" | "none"
  readonly owner: string
  readonly disabled: string | null
  /** Environment variables that it reads, and what happens without them. */
  readonly variables: ReadonlyArray<readonly [name: string, without: string]>
}

const variablesOf = ({ auth, id, settings }: Manifest): Entry["variables"] => [
  ...Object.entries(settings ?? {}).map(
    ([name, value]) => [variableOf(id, name), value === "" ? "not set" : `\`${value}\``] as const
  ),
  ...Object.values(auth ?? {}).map(
    ({ optional, setting }) => [setting, optional ? "runs without a key" : "does not run"] as const
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

/** The entry of one plugin, whose cases are under `fixtures`. */
export const entry = (plugin: Plugin, fixtures: string = Fixtures.root): Effect.Effect<Entry> => {
  const { disabled, every, evidence, grade, id, metrics, owner, title } = plugin.manifest
  return Fixtures.origin(join(fixtures, id, "ok")).pipe(
    Effect.map((origin) => ({
      id,
      title,
      networks: networksOf(plugin.manifest),
      metrics: Object.keys(metrics),
      // An invalid duration is shown as written; `plugin check` reports it.
      every: Option.match(Duration.fromInput(every), {
        onNone: () => String(every),
        onSome: Duration.format
      }),
      grade,
      evidence: evidence ?? [],
      fixtures: origin,
      owner,
      disabled: disabled ?? null,
      variables: variablesOf(plugin.manifest)
    }))
  )
}

/** All entries, by id. */
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

/** The first places where the members were read, and the newest day; the manifest has all. */
const readIn = (evidence: ReadonlyArray<Evidence>): string => {
  const sources = [...new Set(evidence.map(({ source }) => source.replace(/(?<=\S):\d+(-\d+)?$/, "")))]
  const newest = evidence
    .map(({ read }) => read)
    .sort()
    .at(-1)
  if (newest === undefined) return ""
  const more = sources.length > 2 ? ` and ${sources.length - 2} more` : ""
  return `${sources.slice(0, 2).join(", ")}${more} (${newest})`
}

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
    readIn(entry.evidence),
    entry.disabled ?? ""
  ]
    .map(cell)
    .join(" | ")} |`

/** `plugins/README.md`. */
export const readme = (all: ReadonlyArray<Entry>): string => `# Plugins

Each folder is one collector. Its \`index.ts\` declares the metrics and reads them through \`Upstream\` only; its
\`README.md\` says what it reads and how to check it. To add one, see [CONTRIBUTING.md](../CONTRIBUTING.md). To run some or
all of them once against their upstreams and see what comes, use \`npx plumbline probe\`.

A network without a feed of its own says in \`/v1/networks\` what was searched for one, and when.

\`npm run readme\` generates this file from the manifests and fixtures, and a test checks that it is up to date.

The grade says how well the shape of the upstream's answers is known. A: from the operator's own source code or a
recorded answer. B: from a client that uses it. K: a stable, well-known public interface. C: only partly confirmed, so the
plugin runs only if you enable it (\`ENABLE_PLUGINS\`). \`evidence\` of the manifest names where the shape was read, and when.
Captured fixtures are bytes that the upstream sent; written fixtures were made by hand from its documentation.

${all.length} plugins, ${new Set(all.flatMap(({ metrics }) => metrics)).size} metrics.

| plugin | title | networks | metrics | cadence | grade | fixtures | owner | shape read in | disabled because |
|---|---|---|---|---|---|---|---|---|---|
${all.map(row).join("\n")}

## Settings for operators

These are environment variables. API keys never appear in a recording. All other values are published with every run and
every value, so do not use a URL that contains a key.

| variable | plugin | without it |
|---|---|---|
${all
  .flatMap(({ id, variables }) =>
    variables.map(([name, without]) => `| \`${name}\` | [${id}](${id}/README.md) | ${cell(without)} |`)
  )
  .join("\n")}
`
