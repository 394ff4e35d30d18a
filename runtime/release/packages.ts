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
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
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
  "MIT-0",
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

type Lock = Readonly<Record<string, Locked>>

/**
 * Where the packages are that the service needs, directly or through others. The clients in `http/client` are packages of
 * this repository with needs of their own.
 */
export const needed = (lock: Lock): ReadonlySet<string> => {
  const paths = new Set<string>()
  const visit = (path: string): void => {
    const { dependencies, optionalDependencies, peerDependencies } = lock[path] ?? {}
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      // The nearest folder above that has it, as Node looks for it.
      const above = path
        .split("/node_modules/")
        .map((_, n, parts) => parts.slice(0, parts.length - n).join("/node_modules/"))
      const at = [
        ...above.filter((each) => each !== "").map((each) => `${each}/node_modules/${name}`),
        `node_modules/${name}`
      ]
      const place = at.find((each) => lock[each] !== undefined)
      if (place === undefined || paths.has(place)) continue
      paths.add(place)
      visit(place)
    }
  }
  visit("")
  return paths
}

/** Sorted by name. Those that only tests need are not among them. */
export const packages = (): ReadonlyArray<Package> => {
  const lock = JSON.parse(readFileSync(fileURLToPath(new URL("package-lock.json", top)), "utf8")) as {
    readonly packages: Readonly<Record<string, Locked>>
  }
  const inUse = needed(lock.packages)
  const packages = Object.entries(lock.packages).flatMap(([path, locked]): ReadonlyArray<Package> => {
    if (!inUse.has(path) || locked.dev === true || isOfPlatform(locked)) return []
    const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)
    return [{ name, version: locked.version ?? "", licence: locked.license ?? older[name] ?? "unknown" }]
  })
  const unique = new Map(packages.map((one) => [`${one.name} ${one.version}`, one]))
  return [...unique.values()].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
}
