/** The packages that a release needs, with their licences. */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const top = new URL("../../", import.meta.url)

export interface Package {
  readonly name: string
  readonly version: string
  readonly licence: string
}

export interface Locked {
  readonly version?: string
  readonly license?: string
  readonly dev?: boolean
  readonly optional?: boolean
  readonly cpu?: ReadonlyArray<string>
  readonly os?: ReadonlyArray<string>
}

/**
 * Licences that allow what we do: to use the package unchanged. MPL-2.0 and OFL-1.1 ask for changes of their own files to be
 * published, and there are none.
 */
export const allowed: ReadonlySet<string> = new Set([
  "Apache-2.0",
  "MIT",
  "ISC",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "0BSD",
  "BlueOak-1.0.0",
  "MPL-2.0",
  "OFL-1.1"
])

/** Builds of a package for one platform have the licence of the package, and are left out. */
const isOfPlatform = ({ cpu, os }: Locked): boolean => cpu !== undefined || os !== undefined

/** Packages that name their licence in an older form, which the lock file does not have. */
const older: Readonly<Record<string, string>> = { jstat: "MIT" }

/** Sorted by name. Those that only tests need are not among them. */
export const packages = (): ReadonlyArray<Package> => {
  const lock = JSON.parse(readFileSync(fileURLToPath(new URL("package-lock.json", top)), "utf8")) as {
    readonly packages: Readonly<Record<string, Locked>>
  }
  const found = Object.entries(lock.packages).flatMap(([path, locked]): ReadonlyArray<Package> => {
    if (path === "" || locked.dev === true || isOfPlatform(locked)) return []
    const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)
    return [{ name, version: locked.version ?? "", licence: locked.license ?? older[name] ?? "unknown" }]
  })
  const unique = new Map(found.map((one) => [`${one.name} ${one.version}`, one]))
  return [...unique.values()].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
}
