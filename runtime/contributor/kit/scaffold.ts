/** `plugin new`: creates a plugin that reads an example, passes its own check, and marks what to replace. */
import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Schema } from "effect"
import { bySymbol } from "../../../core/catalog/Catalog.ts"
import { Category } from "../../../core/plugin/kinds.ts"
import { isLabelled } from "../../../core/plugin/Plugin.ts"
import * as Plugins from "../../collector/plugins.ts"
import { onDisk } from "../../outside/disk.ts"
import type { Places } from "../check/check.ts"
import { scaffoldMark } from "../check/Finding.ts"
import { idForm, scaffoldOwner } from "../check/manifest.ts"
import * as Fixtures from "../fixtures.ts"
import { writeCases } from "./derive.ts"

/** The arguments of `plugin new`. */
export interface Wish {
  readonly id: string
  readonly symbol: string
  readonly title: string
  readonly url: string
}

/** A scaffold that cannot be made as asked. */
export class ScaffoldRefused extends Schema.TaggedError<ScaffoldRefused>()("ScaffoldRefused", {
  message: Schema.String
}) {}

/** The example URL, used when none is given. */
export const exampleUrl = (id: string): string => `https://stats.example.net/v1/${id}`

/** The label of the feed that a new plugin begins with. */
const labelOf = (id: string): string => `${id.replaceAll("-", "_")}_stats`

const source = ({ id, symbol, title, url }: Wish): string => `import { Schema } from "effect"
import { headline, metric, Plugin } from "#plugin"
import { count, moment, quantity } from "#plugin/fields"

const url = ${JSON.stringify(url)}

// ${scaffoldMark}: list only the fields you read. A missing field gives no row, and one that cannot be read is refused with its reason.
const Stats = Schema.Struct({ updated: moment, nodes_online: count, storage_bytes: quantity })

export default Plugin.define({
  id: ${JSON.stringify(id)},
  title: ${JSON.stringify(title)},
  covers: { networks: [${JSON.stringify(symbol)}] },
  source: ${JSON.stringify(labelOf(id))},
  tier: "supply_telemetry",
  hosts: [${JSON.stringify(new URL(url).hostname)}],
  every: "1 hour",
  grade: "C",
  disabled: "${scaffoldMark}: not a real upstream yet",
  evidence: [{ source: "${scaffoldMark}: owner/repository@commit path:line", read: "2026-09-05", members: ["nodes"] }],
  owner: "${scaffoldOwner}",
  metrics: {
    nodes_online: headline("count", "Nodes that answered the network in the last hour."),
    storage_total_bytes: metric("bytes", "Bytes of customers stored.")
  },
  collect: (observe) =>
    Plugin.one(
      observe,
      url,
      Stats,
      { as_of: ({ updated }) => updated },
      ({ nodes_online, storage_bytes }) => ({ nodes_online, storage_total_bytes: storage_bytes })
    )
})
`

const readme = ({ title, url }: Wish): string => `# ${title}

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

const example = `{"updated":"2026-09-05T10:30:00Z","nodes_online":1234,"storage_bytes":56789012345}`

/** Why a plugin cannot cover this symbol. `added`: the command may add it to the catalog. */
export const symbolProblem = (symbol: string, added: boolean): string | undefined => {
  if (bySymbol.has(symbol)) return undefined
  const upper = symbol.toUpperCase()
  if (bySymbol.has(upper)) return `--symbol: the catalog has ${upper}, not ${symbol}`
  if (symbol !== upper) return `--symbol: ${symbol} must be upper case (${upper})`
  return added
    ? undefined
    : `${symbol} is not in the catalog; add it with --category (one of ${Category.literals.join(", ")})`
}

/** Writes the folders of the plugin and of its five cases. Refuses if the plugin exists. */
export const scaffold = Effect.fn("Kit.scaffold")(function* (wish: Wish, places: Places) {
  const { id, url } = wish
  if (!idForm.test(id)) {
    return yield* new ScaffoldRefused({
      message: `"${id}" is not a plugin id (2 to 40 lower-case letters, digits and hyphens, starting with a letter)`
    })
  }
  if (!URL.canParse(url) || new URL(url).protocol !== "https:") {
    return yield* new ScaffoldRefused({ message: `--url: "${url}" is not an https URL` })
  }
  const folder = new URL(`${id}/`, places.plugins)
  if (existsSync(folder) || existsSync(join(places.fixtures, id))) {
    return yield* new ScaffoldRefused({ message: `the plugin ${id} already exists; choose another id` })
  }
  const label = labelOf(id)
  const owner = (yield* Plugins.readable(places.plugins)).find(({ manifest }) =>
    [manifest.source, ...(manifest.sources ?? [])].some((one) => isLabelled(one, label))
  )
  if (owner !== undefined) {
    return yield* new ScaffoldRefused({
      message: `the source ${label} is that of plugins/${owner.manifest.id}, and a series has one writer; choose another id`
    })
  }
  yield* onDisk(async () => {
    await mkdir(folder, { recursive: true })
    await writeFile(new URL("index.ts", folder), source(wish))
    await writeFile(new URL("README.md", folder), readme(wish))
  })
  const at = Date.parse("2026-09-05T11:00:00Z")
  const body = new TextEncoder().encode(example)
  const plugin = yield* Plugins.load(id, places.plugins)
  const ok = join(places.fixtures, id, "ok")
  const tape = {
    now: at,
    targets: [],
    settings: {},
    exchanges: [
      {
        request: { method: "GET", url } as const,
        at,
        status: 200,
        headers: { "content-type": "application/json", date: new Date(at).toUTCString() },
        sha256: createHash("sha256").update(body).digest("hex"),
        body
      }
    ]
  }
  const note = `${scaffoldMark}: replace this; the scaffold wrote it, no upstream sent it`
  yield* Fixtures.save(ok, { plugin: id, origin: "written", note }, tape)
  yield* Fixtures.writeExpected(ok, yield* Fixtures.replay(plugin, tape))
  yield* writeCases(plugin, places.fixtures, () => true)
})

/**
 * Appends a network to a file of the catalog, which keeps the diff to one line. False if the symbol is already there.
 */
export const addToCatalog = Effect.fn("Kit.addToCatalog")(function* (
  file: URL,
  symbol: string,
  line: string
) {
  const text = yield* onDisk(() => readFile(file, "utf8"))
  const rows = JSON.parse(text) as ReadonlyArray<{ readonly symbol: string }>
  if (rows.some((row) => row.symbol === symbol)) return false
  yield* onDisk(() => writeFile(file, text.replace(/\n?\]\s*$/, `,\n  ${line}\n]\n`)))
  return true
})
