/**
 * Plugins from elsewhere: folders and packages that the operator names in `PLUGINS`. The first process finds them before anything else
 * is loaded, and its threads have them from there. This module imports only Node, and modules that do the same.
 */
import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs"
import { findPackageJSON } from "node:module"
import { basename, dirname, join, resolve } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { getEnvironmentData, setEnvironmentData } from "node:worker_threads"
import { add } from "../../core/catalog/outside.ts"

/** A folder with a `plugin.json`. */
export interface OutsidePlugin {
  readonly id: string
  /** A file URL that ends with a slash. */
  readonly folder: string
}

/** `PLUGINS` names what cannot be loaded. */
export class PluginsRefused extends Error {
  override readonly name = "PluginsRefused"
}

const place = "runtime/collector/outside"

/** Those of this process, in the order in which they are named; none where none are. */
export const outsidePlugins = (): ReadonlyArray<OutsidePlugin> =>
  (getEnvironmentData(place) as ReadonlyArray<OutsidePlugin> | undefined) ?? []

/** Where the plugin of this name is, if it is from elsewhere. */
export const folderFromElsewhere = (id: string): URL | undefined => {
  const plugin = outsidePlugins().find((plugin) => plugin.id === id)
  return plugin === undefined ? undefined : new URL(plugin.folder)
}

/** The names that no plugin from elsewhere may have. */
const own = (): ReadonlySet<string> => {
  const folder = new URL("../../plugins/", import.meta.url)
  return new Set(existsSync(folder) ? readdirSync(folder) : [])
}

const isPlugin = (folder: string): boolean => existsSync(join(folder, "plugin.json"))

/** The folder of a package, as installed beside the service or where it is started. */
const packageAt = (name: string, from: string): string | undefined => {
  for (const base of [pathToFileURL(join(from, "package.json")).href, import.meta.url]) {
    try {
      const manifest = findPackageJSON(name, base)
      if (manifest !== undefined) return dirname(manifest)
    } catch {
      // Not installed there.
    }
  }
  return undefined
}

const foldersOf = (entry: string, from: string): ReadonlyArray<string> => {
  const isPath = /^[./~]/.test(entry)
  const folder = isPath ? resolve(from, entry) : packageAt(entry, from)
  if (folder === undefined || !existsSync(folder))
    throw new PluginsRefused(
      isPath ? `there is no folder ${folder}` : `the package ${entry} is not installed: npm install ${entry}`
    )
  if (isPlugin(folder)) return [folder]
  const inside = readdirSync(folder, { withFileTypes: true })
    .map(({ name }) => join(folder, name))
    .filter(isPlugin)
    .sort()
  if (inside.length > 0) return inside
  throw new PluginsRefused(`${entry} has no plugin.json, and no folder in it has one`)
}

const jsonIn = (folder: string, file: string): unknown => {
  try {
    return JSON.parse(readFileSync(join(folder, file), "utf8"))
  } catch {
    // What is wrong with it, loading the plugin says.
    return undefined
  }
}

/** The id that a folder's `plugin.json` says, if it is one. */
export const idIn = (folder: string): string => {
  const id: unknown = Object(jsonIn(folder, "plugin.json")).id
  return typeof id === "string" && /^[a-z][a-z0-9-]{1,39}$/.test(id) ? id : basename(folder)
}

/** What the text of the setting names, from a folder. Throws `PluginsRefused` where something of it is not there. */
export const pluginsNamed = (text: string, from: string): ReadonlyArray<OutsidePlugin> => {
  const ownNames = own()
  const plugins = new Map<string, OutsidePlugin>()
  const entries = text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "")
  for (const entry of entries) {
    for (const named of foldersOf(entry, from)) {
      // A link would lead past what the plugin's code may read, and past what its hash is of.
      const folder = realpathSync(named)
      const id = idIn(folder)
      if (ownNames.has(id))
        throw new PluginsRefused(`${folder}: ${id} is the name of a plugin of this release`)
      const other = plugins.get(id)
      if (other !== undefined)
        throw new PluginsRefused(`${folder}: ${id} is the name of ${fileURLToPath(other.folder)}, too`)
      plugins.set(id, { id, folder: pathToFileURL(`${folder}/`).href })
    }
  }
  return [...plugins.values()]
}

/** Says to all that is loaded later, in this thread and in others, which plugins from elsewhere there are. */
export const begin = (plugins: ReadonlyArray<OutsidePlugin>): void => {
  setEnvironmentData(place, plugins as unknown as Parameters<typeof setEnvironmentData>[1])
  const files = plugins.map(({ folder }) => {
    const path = fileURLToPath(folder)
    const hosts = Object(jsonIn(path, "plugin.json")).hosts
    const lines = jsonIn(path, "hosts.json")
    return {
      network: jsonIn(path, "network.json"),
      // A plugin says nothing of hosts that it does not read.
      hosts:
        Array.isArray(lines) && Array.isArray(hosts)
          ? lines.filter((line) => hosts.includes(Object(line).host))
          : []
    }
  })
  add({
    networks: files.flatMap(({ network }) => (network === undefined ? [] : [network])),
    hosts: files.flatMap(({ hosts }) => hosts)
  })
}
