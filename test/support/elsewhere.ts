/** Plugins from elsewhere for tests: folders of their own, of which the process is told. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { begin, pluginsNamed } from "../../runtime/collector/outside.ts"

/** `plugin.json` of a plugin that reads one count. */
export const declarationOf = (id: string, more: object = {}) => ({
  id,
  title: id,
  covers: { networks: ["FIL"] },
  source: `outside_${id.replaceAll("-", "_")}`,
  tier: "supply_telemetry",
  hosts: ["api.sample.test"],
  every: "1 hour",
  grade: "C",
  owner: "acme",
  metrics: { [`${id.replaceAll("-", "_")}_nodes`]: { unit: "count", min: 0, meaning: "Nodes." } },
  ...more
})

/** The same, where data says how the answer is read. */
export const dataOf = (id: string, more: object = {}) => ({
  ...declarationOf(id),
  answers: [
    { ask: `https://api.sample.test/${id}`, figures: { [`${id.replaceAll("-", "_")}_nodes`]: "nodes" } }
  ],
  ...more
})

type Files = Readonly<Record<string, string | object>>

/** Writes folders of plugins, by name, and their files; a text as it is, anything else as JSON. They go with the scope. */
export const foldersOf = (plugins: Readonly<Record<string, Files>>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const top = mkdtempSync(join(tmpdir(), "plumbline-elsewhere-"))
      for (const [name, files] of Object.entries(plugins))
        for (const [file, content] of Object.entries(files)) {
          const path = join(top, name, file)
          mkdirSync(dirname(path), { recursive: true })
          writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content))
        }
      return top
    }),
    (top) => Effect.sync(() => rmSync(top, { recursive: true, force: true }))
  )

/** The same, named in `PLUGINS` while the scope lasts. */
export const elsewhere = (plugins: Readonly<Record<string, Files>>) =>
  Effect.flatMap(foldersOf(plugins), (top) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        begin(pluginsNamed(top, top))
        return top
      }),
      () => Effect.sync(() => begin([]))
    )
  )
