/** `plugin new`: creates a plugin that reads an example, passes its own check, and marks what to replace. */
import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Clock, Effect, Option, Schema } from "effect"
import { bySymbol } from "../../../core/catalog/Catalog.ts"
import { Category, type Sector } from "../../../core/plugin/kinds.ts"
import { isLabelled } from "../../../core/plugin/Manifest.ts"
import type { Plugin } from "../../../core/plugin/Plugin.ts"
import type { Recording } from "../../../core/plugin/Recording.ts"
import type { Unit } from "../../../core/plugin/units.ts"
import { compare, isoTime } from "../../../core/plugin/Value.ts"
import * as Plugins from "../../collector/plugins.ts"
import { onDisk } from "../../outside/disk.ts"
import type { Tape } from "../../upstream/replay.ts"
import type { Places } from "../check/check.ts"
import { scaffoldMark } from "../check/Finding.ts"
import { idForm, scaffoldOwner } from "../check/manifest.ts"
import { isKeyName } from "../check/secrets.ts"
import * as Fixtures from "../fixtures.ts"
import { writeCases } from "./derive.ts"
import { type Draft, draftOfJson, draftOfTable } from "./draft.ts"
import { draftOfXml } from "./draftOfXml.ts"

/** The arguments of `plugin new`. */
export interface Wish {
  readonly id: string
  readonly symbol: string
  readonly title: string
  readonly url: string
  /** For a plugin of the physical world: the sector of its symbol, which the catalog of networks does not have. */
  readonly sector?: Sector
}

/** A scaffold that cannot be made as asked. */
export class ScaffoldRefused extends Schema.TaggedError<ScaffoldRefused>()("ScaffoldRefused", {
  message: Schema.String
}) {}

/** The example URL, used when none is given. */
export const exampleUrl = (id: string): string => `https://stats.example.net/v1/${id}`

/** The label of the feed that a new plugin begins with. */
const labelOf = (id: string): string => `${id.replaceAll("-", "_")}_stats`

const coversOf = (sector: Sector | undefined, symbol: string): string =>
  sector === undefined
    ? `{ networks: [${JSON.stringify(symbol)}] }`
    : `{ sector: "${sector}", symbols: [${JSON.stringify(symbol)}] }`

/** The part of a manifest that every beginning has. */
const head = (
  { id, sector, symbol, title, url }: Wish,
  disabled: string,
  today: string,
  calls = 1
): string => `  id: ${JSON.stringify(id)},
  title: ${JSON.stringify(title)},
  covers: ${coversOf(sector, symbol)},
  source: ${JSON.stringify(labelOf(id))},
  tier: "${sector === undefined ? "supply_telemetry" : "physical"}",
  hosts: [${JSON.stringify(new URL(url).hostname)}],
  every: "1 hour",${calls === 1 ? "" : `\n  calls: ${calls},`}
  grade: "C",
  disabled: "${scaffoldMark}: ${disabled}",
  evidence: readOn("${today}", { "${scaffoldMark}: owner/repository@commit path:line": "nodes" }),
  owner: "${scaffoldOwner}",`

const source = (wish: Wish, today: string): string => `import { headline, metric, readOn } from "#plugin"
import { declare } from "#plugin/declare"

// ${scaffoldMark}: a missing figure gives no row, and one that cannot be read is refused with its reason.
export default declare({
${head(wish, "not a real upstream yet", today)}
  metrics: {
    nodes_online: headline("count", "Nodes that answered the network in the last hour."),
    storage_total_bytes: metric("bytes", "Bytes of customers stored.")
  },
  answers: [
    {
      ask: ${JSON.stringify(wish.url)},
      as_of: "updated",
      figures: { nodes_online: "nodes_online", storage_total_bytes: "storage_bytes" }
    }
  ]
})
`

export const readme = ({ title, url }: Wish): string => `# ${title}

(${scaffoldMark}: replace every line.)

## Reads
\`GET ${url}\`: who runs it, how often it changes, its limit, whether it needs a key, and where it is documented.

## Metrics
\`nodes_online\` (count): what counts as online. \`storage_total_bytes\` (bytes). True at \`updated\`, the upstream's own time.

## Check it yourself
\`curl '${url}'\`

## Not covered
What the upstream also says and we do not read, and why.
`

const draftSource = (wish: Wish, draft: Draft, today: string): string => {
  const { as_of, ask, metrics, remarks } = draft
  // In the order of the linter.
  const families = metrics.flatMap(({ family }) => family ?? [])
  const imports = [
    ...(ask === undefined ? [] : [ask.imports]),
    ...families.map((family) => family.imports),
    'import { declare } from "#plugin/declare"'
  ]
    .toSorted((a, b) => compare(a.split("#")[1] ?? "", b.split("#")[1] ?? ""))
    .join("\n")
  const declared = metrics.map(({ family, isSigned, meaning, name, unit }) => {
    if (family !== undefined) return `    ${family.code}`
    const more = unit === "percent" ? ", { max: 100 }" : ""
    return `    ${name}: ${isSigned ? "signed" : "metric"}("${unit}", ${JSON.stringify(meaning)}${more})`
  })
  const words = ["metric", "signed"].filter((word) => declared.some((line) => line.includes(`: ${word}(`)))
  return `import { ${[...words.slice(0, 1), "readOn", ...words.slice(1)].join(", ")} } from "#plugin"
${imports}

// ${scaffoldMark}: names, units and meanings are guesses from one answer; correct each, and remove what says nothing of the network.
${remarks.map((remark) => `// ${scaffoldMark}: ${remark}`).join("\n")}
export default declare({
${head(wish, "drafted from one answer, which nobody has compared with its source", today, ask?.calls)}
  metrics: {
${declared.join(",\n")}
  },
  answers: [
    {
      ask: ${ask?.code ?? JSON.stringify(wish.url)},
${as_of === undefined ? "" : `      as_of: ${as_of},\n`}      figures: {
${metrics.map(({ name, place }) => `        ${name}: ${place}`).join(",\n")}
      }
    }
  ]
})
`
}

export const draftReadme = ({ title, url }: Wish, { as_of, metrics }: Draft): string => `# ${title}

(${scaffoldMark}: drafted from one answer; replace every line.)

## Reads
\`GET ${url}\`: who runs it, how often it changes, its limit, whether it needs a key, and where it is documented.

## Metrics
${metrics.map(({ name, unit }) => `\`${name}\` (${unit})`).join(", ")}. ${as_of === undefined ? "True when the answer was read." : "True at the time that the answer states."}

## Check it yourself
\`curl '${url}'\`

## Not covered
What the upstream also says and we do not read, and why.
`

/** What a plugin begins with: its files, and the recording that becomes the case ok. */
interface Beginning {
  readonly source: string
  readonly readme: string
  readonly tape: Tape
  readonly about: Pick<Recording, "note" | "origin">
}

/** An answer to draft a plugin from, and where it comes from. */
export interface Sample {
  readonly tape: Tape
  readonly about: Beginning["about"]
  /** The draft, where the answer is not what it is made of. */
  readonly draft?: (units: ReadonlyMap<string, Unit>) => Draft
}

const dayOf = (ms: number): string => isoTime(ms).slice(0, 10)

const parsed = Option.liftThrowable((text: string): unknown => JSON.parse(text))

/** The draft of a sample, which must have one answer that is JSON, XML, or a table with a header. */
export const draftOf = Effect.fnUntraced(function* (
  wish: Wish,
  { draft: prepared, tape }: Sample,
  plugins: URL
) {
  const [exchange] = tape.exchanges
  if (exchange === undefined || exchange.status >= 400) {
    const message = `--from: ${wish.url} gave ${exchange === undefined ? "no answer" : `status ${exchange.status}`}`
    return yield* new ScaffoldRefused({
      message: `${message}; save an answer in a file and pass that with --url`
    })
  }
  const text = new TextDecoder().decode(exchange.body)
  const units = new Map(
    (existsSync(plugins) ? yield* Plugins.readable(plugins) : []).flatMap(({ manifest }) =>
      Object.entries(manifest.metrics).map(([name, { unit }]) => [name, unit] as const)
    )
  )
  const payload = parsed(text)
  const draft =
    prepared !== undefined
      ? prepared(units)
      : Option.isSome(payload)
        ? draftOfJson(payload.value, wish.id, exchange.at, units)
        : (draftOfXml(text, wish.url, wish.id, exchange.at, units) ??
          draftOfTable(text, wish.url, wish.id, units))
  if (draft === undefined || draft.metrics.length === 0) {
    const message =
      draft === undefined
        ? "the answer is neither JSON, nor XML, nor a table with a header"
        : "the answer has no number that could be a metric"
    return yield* new ScaffoldRefused({
      message: `--from: ${message}; use --url for the scaffold, and write index.ts by hand`
    })
  }
  return draft
})

const drafted = Effect.fnUntraced(function* (wish: Wish, sample: Sample, plugins: URL) {
  const draft = yield* draftOf(wish, sample, plugins)
  const { about, tape } = sample
  return {
    source: draftSource(wish, draft, dayOf(tape.now)),
    readme: draftReadme(wish, draft),
    tape,
    about
  } satisfies Beginning
})

const example = `{"updated":"2026-09-05T10:30:00Z","nodes_online":1234,"storage_bytes":56789012345}`

/** Why a plugin cannot cover this symbol. `added`: the command may add it to the catalog. */
export const symbolProblem = (symbol: string, added: boolean): string | undefined => {
  if (bySymbol.has(symbol)) return undefined
  const upper = symbol.toUpperCase()
  if (bySymbol.has(upper)) return `--symbol: the catalog has ${upper}, not ${symbol}`
  if (symbol !== upper) return `--symbol: ${symbol} must be upper case (${upper})`
  return added
    ? undefined
    : `${symbol} is not in the catalog; add it with --category (one of ${Category.literals.join(", ")}), or say with --sector that it is no network but of the physical world`
}

/** The recording of an answer that no upstream sent. */
export const exampleTape = (url: string): Pick<Beginning, "tape" | "about"> => {
  const at = Date.parse("2026-09-05T11:00:00Z")
  return {
    tape: sampleTape(url, new TextEncoder().encode(example), at, {
      "content-type": "application/json",
      date: new Date(at).toUTCString()
    }),
    about: {
      origin: "written",
      note: `${scaffoldMark}: replace this; the scaffold wrote it, no upstream sent it`
    }
  }
}

const exampleOf = (wish: Wish, today: string): Beginning => {
  return { source: source(wish, today), readme: readme(wish), ...exampleTape(wish.url) }
}

/** A recording of one answer to a GET. */
export const sampleTape = (
  url: string,
  body: Uint8Array,
  at: number,
  headers: Readonly<Record<string, string>> = {}
): Tape => ({
  now: at,
  targets: [],
  settings: {},
  exchanges: [
    {
      request: { method: "GET", url },
      at,
      status: 200,
      headers,
      sha256: createHash("sha256").update(body).digest("hex"),
      body
    }
  ]
})

/** The ways in which a plugin's place, address or id can be wrong, before anything is written or read. */
const refusal = Effect.fnUntraced(function* ({ id, url }: Wish, places: Places) {
  if (!idForm.test(id))
    return `"${id}" is not a plugin id (2 to 40 lower-case letters, digits and hyphens, starting with a letter)`
  if (!URL.canParse(url) || new URL(url).protocol !== "https:") return `--url: "${url}" is not an https URL`
  const key = [...new URL(url).searchParams.keys()].find(isKeyName)
  if (key !== undefined)
    return `--url: leave out ${key}: a key never appears in a file; declare it in auth of the manifest, and the runtime adds it`
  if (existsSync(new URL(`${id}/`, places.plugins)) || existsSync(join(places.fixtures, id)))
    return `the plugin ${id} already exists; choose another id`
  const label = labelOf(id)
  const owner = (yield* Plugins.readable(places.plugins)).find(({ manifest }) =>
    [manifest.source, ...(manifest.sources ?? [])].some((one) => isLabelled(one, label))
  )
  return owner === undefined
    ? undefined
    : `the source ${label} is that of plugins/${owner.manifest.id}, and a series has one writer; choose another id`
})

/**
 * Writes the folders of the plugin and of its five cases: of the example, or drafted from a sample. Refuses if the plugin
 * exists.
 */
export const scaffold = Effect.fn("Kit.scaffold")(function* (wish: Wish, places: Places, sample?: Sample) {
  const { id } = wish
  const message = yield* refusal(wish, places)
  if (message !== undefined) return yield* new ScaffoldRefused({ message })
  const beginning =
    sample === undefined
      ? exampleOf(wish, dayOf(yield* Clock.currentTimeMillis))
      : yield* drafted(wish, sample, places.plugins)
  const folder = new URL(`${id}/`, places.plugins)
  yield* onDisk(async () => {
    await mkdir(folder, { recursive: true })
    await writeFile(new URL("index.ts", folder), beginning.source)
    await writeFile(new URL("README.md", folder), beginning.readme)
  })
  yield* writeBeginning(yield* Plugins.load(id, places.plugins), beginning, places.fixtures)
})

/** Writes the five cases of a plugin that begins with this recording, below a folder. */
export const writeBeginning = Effect.fnUntraced(function* (
  plugin: Plugin,
  { about, tape }: Pick<Beginning, "about" | "tape">,
  fixtures: string
) {
  const { id } = plugin.manifest
  const ok = join(fixtures, id, "ok")
  const rows = yield* Fixtures.replay(plugin, tape)
  yield* Fixtures.save(ok, { plugin: id, ...about }, tape)
  yield* Fixtures.writeExpected(ok, rows)
  for (const { name, became } of yield* writeCases(plugin, fixtures)) {
    if (became !== "underivable") continue
    const place = join(fixtures, id, name)
    const note = `${scaffoldMark}: the case ok again, for this one could not be derived; edit it by hand`
    yield* Fixtures.save(place, { plugin: id, origin: "written", note }, tape)
    yield* Fixtures.writeExpected(place, rows)
  }
})
