/** What code of a plugin from elsewhere imports by name: what this service, or this package, has itself. Nothing else is in its hash. */
import { existsSync, readFileSync } from "node:fs"
import module from "node:module"

const core = new URL("../../core/plugin/", import.meta.url)

/** The module of that name; undefined if it is none of what plugins are made with. */
const ownModule = (specifier: string): string | undefined => {
  if (/^effect(\/|$)/.test(specifier)) return import.meta.resolve(specifier)
  const [, name] = /^@plumbline\/plugin(?:\/([A-Za-z]+))?$/.exec(specifier) ?? []
  if (!/^@plumbline\/plugin(\/|$)/.test(specifier)) return undefined
  // The package of the kit is one bundle, and has no sources.
  if (!existsSync(new URL("index.ts", core))) return import.meta.resolve(specifier)
  if (name === "effect") return import.meta.resolve("effect")
  return new URL(name === undefined ? "index.ts" : `shapes/${name}.ts`, core).href
}

const folders = new Set<string>()

const folderOf = (url: string | undefined): string | undefined =>
  url === undefined ? undefined : [...folders].find((folder) => url.startsWith(folder))

const register = (): void => {
  module.registerHooks({
    resolve: (specifier, context, next) => {
      if (folderOf(context.parentURL) === undefined) return next(specifier, context)
      const url = ownModule(specifier)
      if (url !== undefined) return next(url, context)
      if (/^(\.{0,2}\/|file:|node:)/.test(specifier)) return next(specifier, context)
      throw new Error(`${specifier} is imported, which is neither @plumbline/plugin nor a file of the plugin`)
    },
    load: (url, context, next) => {
      const [path = ""] = url.split("?")
      // Node leaves types out, but not below a node_modules, where packages are.
      return folderOf(url) === undefined || !path.endsWith(".ts")
        ? next(url, context)
        : {
            format: "module",
            shortCircuit: true,
            source: module.stripTypeScriptTypes(readFileSync(new URL(path), "utf8"))
          }
    }
  })
}

/** Lets the code in a folder, a file URL, import them. */
export const giveModules = (folder: string): void => {
  if (folders.size === 0) register()
  folders.add(folder)
}
