/** `plugin new --outside`: a plugin in a folder of its own, with its tests and a workflow, which needs no line in the repository. */
import { existsSync } from "node:fs"
import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { Effect } from "effect"
import { bySymbol } from "../../../core/catalog/Catalog.ts"
import { readDeclaration } from "../../../core/plugin/declaration.ts"
import type { Category } from "../../../core/plugin/kinds.ts"
import { declared, readWritten } from "../../collector/elsewhere.ts"
import { onDisk } from "../../outside/disk.ts"
import { scaffoldMark } from "../check/Finding.ts"
import { idForm, scaffoldOwner } from "../check/manifest.ts"
import packageJson from "../package.json" with { type: "json" }
import type { Draft } from "./draft.ts"
import {
  draftOf,
  draftReadme,
  exampleTape,
  readme,
  type Sample,
  ScaffoldRefused,
  type Wish,
  writeBeginning
} from "./scaffold.ts"

/** What is asked for beside what every plugin says. */
export interface WishElsewhere extends Wish {
  /** Of a network that the catalog has not. */
  readonly category?: Category
  /** Whether code reads the answers. */
  readonly isCode: boolean
}

/** A place as a draft writes it, an expression of TypeScript, as data. */
const dataOf = (expression: string): unknown =>
  JSON.parse(expression.replace(/([{,]\s*)([A-Za-z_]\w*):/g, '$1"$2":'))

const exampleMetrics = {
  nodes_online: {
    unit: "count",
    min: 0,
    role: "headline",
    meaning: "Nodes that answered the network in the last hour."
  },
  storage_total_bytes: { unit: "bytes", min: 0, meaning: "Bytes of customers stored." }
}

const answersOf = ({ url }: Wish, draft: Draft | undefined) =>
  draft === undefined
    ? [
        {
          ask: url,
          as_of: "updated",
          figures: { nodes_online: "nodes_online", storage_total_bytes: "storage_bytes" }
        }
      ]
    : [
        {
          ask: url,
          ...(draft.as_of === undefined ? {} : { as_of: dataOf(draft.as_of) }),
          figures: Object.fromEntries(draft.metrics.map(({ name, place }) => [name, dataOf(place)]))
        }
      ]

const metricsOf = (draft: Draft | undefined) =>
  draft === undefined
    ? exampleMetrics
    : Object.fromEntries(
        draft.metrics.map(({ isSigned, meaning, name, unit }) => [
          name,
          { unit, ...(isSigned ? {} : { min: 0 }), ...(unit === "percent" ? { max: 100 } : {}), meaning }
        ])
      )

const declarationOf = (wish: WishElsewhere, draft: Draft | undefined) => ({
  id: wish.id,
  title: wish.title,
  covers:
    wish.sector === undefined ? { networks: [wish.symbol] } : { sector: wish.sector, symbols: [wish.symbol] },
  source: `outside_${wish.id.replaceAll("-", "_")}`,
  tier: wish.sector === undefined ? "supply_telemetry" : "physical",
  hosts: [new URL(wish.url).hostname],
  every: "1 hour",
  grade: "C",
  disabled: `${scaffoldMark}: ${draft === undefined ? "not a real upstream yet" : "drafted from one answer, which nobody has compared with its source"}`,
  evidence: [
    { source: `${scaffoldMark}: owner/repository@commit path:line`, read: "2026-09-05", members: ["nodes"] }
  ],
  owner: scaffoldOwner,
  metrics: metricsOf(draft),
  ...(wish.isCode ? {} : { answers: answersOf(wish, draft) })
})

const code = ({ url }: Wish): string =>
  [
    'import { Plugin } from "@plumbline/plugin"',
    'import { Schema } from "@plumbline/plugin/effect"',
    "",
    `// ${scaffoldMark}: a missing figure gives no row, and one that cannot be read is refused with its reason.`,
    "const Summary = Schema.Struct({",
    "  updated: Schema.String,",
    "  nodes_online: Schema.optionalKey(Schema.Finite),",
    "  storage_bytes: Schema.optionalKey(Schema.Finite)",
    "})",
    "",
    '/** @type {import("@plumbline/plugin").Plugin.Collect} */',
    "export default (observe) =>",
    "  Plugin.one(",
    "    observe,",
    `    ${JSON.stringify(url)},`,
    "    Summary,",
    "    { as_of: ({ updated }) => Date.parse(updated) },",
    "    ({ nodes_online, storage_bytes }) => ({ nodes_online, storage_total_bytes: storage_bytes })",
    "  )",
    ""
  ].join("\n")

/** Actions by commit: a tag can be moved. */
const workflow = `name: test
on: [push, pull_request]
permissions:
  contents: read
jobs:
  test:
    runs-on: ubuntu-latest
    timeout-minutes: 5
    steps:
      - uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2
      - uses: actions/setup-node@39370e3970a6d050c480ffad4ff0ed4d3fdee5af # v4.1.0
        with:
          node-version: 24
      - run: npm install --no-audit --no-fund
      - run: npm test
`

const packageOf = ({ id, title }: Wish) => ({
  name: `plumbline-${id}`,
  version: "0.1.0",
  description: `${title}, for Plumbline`,
  type: "module",
  files: ["plugin.json", "network.json", "hosts.json", "index.js", "README.md"],
  scripts: { test: "plumbline-plugin check --strict" },
  devDependencies: { "@plumbline/plugin": packageJson.version }
})

const refusal = ({ category, id, symbol, url }: WishElsewhere, folder: string): string | undefined => {
  if (!idForm.test(id))
    return `"${id}" is not a plugin id (2 to 40 lower-case letters, digits and hyphens, starting with a letter)`
  if (!URL.canParse(url) || new URL(url).protocol !== "https:") return `--url: "${url}" is not an https URL`
  if (existsSync(folder)) return `${folder} exists already`
  return category !== undefined && bySymbol.has(symbol)
    ? `--category: the catalog has ${symbol} already; leave it out`
    : undefined
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

/** Writes the folder. Refuses if it exists, and to draft from what only code can read. */
export const scaffoldElsewhere = Effect.fn("Kit.scaffoldElsewhere")(function* (
  wish: WishElsewhere,
  folder: string,
  sample?: Sample
) {
  const message = refusal(wish, folder)
  if (message !== undefined) return yield* new ScaffoldRefused({ message })
  const draft =
    sample === undefined
      ? undefined
      : yield* draftOf(wish, sample, new URL("../../../plugins/", import.meta.url))
  if (draft?.ask !== undefined || (draft !== undefined && wish.isCode))
    return yield* new ScaffoldRefused({
      message:
        "--from: only an answer in JSON can be read by data alone; use --url with --code, and write index.js by hand"
    })
  const declaration = json(declarationOf(wish, draft))
  const { category, id, symbol, title, url } = wish
  const files: Readonly<Record<string, string>> = {
    "plugin.json": declaration,
    ...(category === undefined
      ? {}
      : {
          "network.json": json({
            symbol,
            name: title,
            category,
            website: new URL(url).origin,
            listed_by: `plumbline-${id}`
          })
        }),
    ...(wish.isCode ? { "index.js": code(wish) } : {}),
    "README.md": draft === undefined ? readme(wish) : draftReadme(wish, draft),
    "package.json": json(packageOf(wish)),
    ".github/workflows/test.yml": workflow,
    ".gitignore": "node_modules/\n"
  }
  yield* onDisk(async () => {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true })
      await writeFile(join(folder, name), text)
    }
  })
  const read = readDeclaration(declaration)
  if (typeof read === "string") return yield* new ScaffoldRefused({ message: read })
  const plugin =
    read.answers === undefined
      ? // biome-ignore lint/plugin/promise: the code that was written a moment ago
        yield* Effect.promise(() => readWritten(read, pathToFileURL(`${folder}/`)))
      : declared(read)
  yield* writeBeginning(plugin, sample ?? exampleTape(url), join(folder, "fixtures"))
})
