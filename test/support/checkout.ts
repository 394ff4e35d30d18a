/** A service with made-up plugins, which read a stand-in on this machine. */
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs"
import { get } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const top = fileURLToPath(new URL("../../", import.meta.url))
const source = (
  id: string,
  every: string,
  host: string,
  series: number
): string => `import { Effect, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"

const Answer = Schema.Struct({ nodes: Schema.Finite })
const regions = Array.from({ length: ${series - 1} }, (_, n) => String(n))

export default Plugin.define({
  id: "${id}",
  title: "${id}",
  covers: { networks: ["FIL"] },
  tier: "supply_telemetry",
  source: "${id}",
  hosts: ["${host}"],
  every: "${every}",
  grade: "A",
  owner: "bench",
  metrics: {
    nodes_online: { unit: "count", min: 0, meaning: "Nodes that answer." },
${series === 1 ? "" : '    "nodes_region_*": { unit: "count", min: 0, meaning: "Nodes that answer in the region.", of: regions }'}
  },
  collect: (observe) =>
    Effect.map(Upstream.json("https://${host}/${id}", Answer), (answer) =>
      observe(answer, {
        nodes_online: answer.body.nodes,
        ...Object.fromEntries(regions.map((region) => ["nodes_region_" + region, answer.body.nodes]))
      })
    )
})
`

/**
 * A checkout of its own whose plugins are the made-up ones, each of as many series; all else is this one's. All of them read
 * one host, or each its own.
 */
export const checkout = (
  plugins: number,
  every: string,
  {
    hostOf = () => "stand-in.example",
    more = [],
    series = 1
  }: {
    readonly hostOf?: (n: number) => string
    readonly more?: ReadonlyArray<{ readonly id: string; readonly host: string }>
    readonly series?: number
  } = {}
): string => {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-bench-"))
  for (const name of [
    "core",
    "runtime",
    "http",
    "mcp",
    "node_modules",
    "package.json",
    "package-lock.json"
  ]) {
    symlinkSync(join(top, name), join(folder, name))
  }
  const madeUp = Array.from({ length: plugins }, (_, n) => ({ id: `made-up-${n}`, host: hostOf(n) }))
  for (const { host, id } of [...madeUp, ...more]) {
    mkdirSync(join(folder, "plugins", id), { recursive: true })
    writeFileSync(join(folder, "plugins", id, "index.ts"), source(id, every, host, series))
  }
  return folder
}

export const answers = (port: number, path: string): Promise<boolean> =>
  new Promise((resolve) => {
    get({ port, host: "127.0.0.1", path }, (answer) => {
      answer.once("data", () => resolve(answer.statusCode === 200)).once("end", () => resolve(false))
    }).once("error", () => resolve(false))
  })
