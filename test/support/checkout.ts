/** A service with made-up plugins, which read a stand-in on this machine. */
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { get } from "node:http"
import { userInfo } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { cacheFolder } from "./cacheFolder.ts"

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

const checkouts = join(cacheFolder, `plumbline-checkouts-${userInfo().uid}`)

/** What a checkout takes from this one. */
const linked = [
  "core",
  "runtime",
  "http",
  "mcp",
  "node_modules",
  "package.json",
  "CHANGELOG.md",
  "package-lock.json"
]

/**
 * A checkout whose plugins are the made-up ones, each of as many series; all else is this one's. All of them read one host, or
 * each its own. The same plugins give the same folder, whoever asks: Node keeps compiled code by path. Nothing else is
 * written there.
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
  const madeUp = Array.from({ length: plugins }, (_, n) => ({ id: `made-up-${n}`, host: hostOf(n) }))
  const sources = [...madeUp, ...more].map(({ host, id }) => [id, source(id, every, host, series)] as const)
  const hash = createHash("sha256")
    .update(JSON.stringify([top, linked, sources]))
    .digest("hex")
  const folder = join(checkouts, hash.slice(0, 16))
  if (existsSync(folder)) return folder
  mkdirSync(checkouts, { recursive: true, mode: 0o700 })
  const tempFolder = mkdtempSync(join(checkouts, "new-"))
  for (const name of linked) {
    symlinkSync(join(top, name), join(tempFolder, name))
  }
  for (const [id, text] of sources) {
    mkdirSync(join(tempFolder, "plugins", id), { recursive: true })
    writeFileSync(join(tempFolder, "plugins", id, "index.ts"), text)
  }
  try {
    renameSync(tempFolder, folder)
  } catch (error) {
    // Another process was first.
    if (!existsSync(folder)) throw error
    rmSync(tempFolder, { recursive: true })
  }
  return folder
}

export const answers = (port: number, path: string): Promise<boolean> =>
  new Promise((resolve) => {
    get({ port, host: "127.0.0.1", path }, (answer) => {
      answer.once("data", () => resolve(answer.statusCode === 200)).once("end", () => resolve(false))
    }).once("error", () => resolve(false))
  })
