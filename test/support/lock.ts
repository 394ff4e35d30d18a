/**
 * Keeps `package-lock.json` installable where a registry has not every platform's build of a tool: `npm install` drops
 * an optional package that it cannot find, and `npm ci` then refuses the lock file. Run after `npm install`:
 *
 *     node test/support/lock.ts
 */
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { compare } from "../../core/plugin/Value.ts"
import { counterparties } from "./programs.ts"

interface Entry {
  readonly version?: string
  readonly dev?: boolean
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

type Packages = Readonly<Record<string, Entry>>

/** Optional packages of an exact version that a package names and that have no entry: name to what names them. */
export const missing = (packages: Packages): ReadonlyMap<string, Entry> => {
  const missingEntries = new Map<string, Entry>()
  for (const entry of Object.values(packages)) {
    for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
      if (/^\d+\.\d+\.\d+\S*$/.test(range) && packages[`node_modules/${name}`] === undefined) {
        missingEntries.set(name, { version: range, ...(entry.dev === undefined ? {} : { dev: entry.dev }) })
      }
    }
  }
  return missingEntries
}

const systems = {
  android: "android",
  darwin: "darwin",
  freebsd: "freebsd",
  linux: "linux",
  win32: "win32",
  windows: "win32"
}
const processors = { arm64: "arm64", amd64: "x64", x64: "x64", arm: "arm", ia32: "ia32" }

/** What the part of a name after its last `/` says of the machine that it is for. */
const valueIn = (table: Readonly<Record<string, string>>, name: string): ReadonlyArray<string> => {
  const parts = (name.split("/").at(-1) ?? "").split("-")
  return Object.entries(table)
    .filter(([word]) => parts.includes(word))
    .map(([, value]) => value)
}

const write = (file: URL): void => {
  const lock = JSON.parse(readFileSync(file, "utf8")) as { packages: Packages }
  const added = [...missing(lock.packages)].map(([name, entry]) => [
    `node_modules/${name}`,
    { ...entry, optional: true, os: valueIn(systems, name), cpu: valueIn(processors, name) }
  ])
  const { "": top, ...packages } = lock.packages
  const all = Object.entries({ ...packages, ...Object.fromEntries(added) }).sort(([a], [b]) => compare(a, b))
  writeFileSync(
    file,
    `${JSON.stringify({ ...lock, packages: { "": top, ...Object.fromEntries(all) } }, null, 2)}\n`
  )
  console.log(`added ${added.length} packages to ${fileURLToPath(file)}`)
}

/** The lock files of this repository: of the project, and of what a few tests need besides. */
export const locks: ReadonlyArray<URL> = [new URL("../../", import.meta.url), counterparties].map(
  (folder) => new URL("package-lock.json", folder)
)

if (process.argv[1] === import.meta.filename) locks.forEach(write)
