/** The packages inside the rooms: workspaces of the repository, whose `package.json` says what they give and what they need. */
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import root from "../../package.json" with { type: "json" }

const top = new URL("../..", import.meta.url).pathname

type Exported = null | string | Readonly<Record<string, string>>

export interface Package {
  readonly folder: string
  readonly name: string
  readonly exports: Readonly<Record<string, Exported>>
  /** By name, those that are bundled or only for types included. */
  readonly needs: Readonly<Record<string, string>>
  /** Files and folders (which end with a slash) of this repository that are in no package. */
  readonly imports: ReadonlyArray<string>
}

export const packages: ReadonlyArray<Package> = root.workspaces.map((folder) => {
  const manifest = JSON.parse(readFileSync(join(top, folder, "package.json"), "utf8"))
  return {
    folder,
    name: manifest.name,
    exports: manifest.exports,
    needs: { ...manifest.dependencies, ...manifest.devDependencies },
    imports: manifest.plumbline?.imports ?? []
  }
})

/** The package that a file is in. */
export const packageOf = (path: string): Package | undefined =>
  packages.find(({ folder }) => path.startsWith(`${folder}/`))

/** Whether others may import a file of a package: it is what an export, or a pattern of one with a star, leads to. */
export const isExported = (
  { exports, folder }: Pick<Package, "exports" | "folder">,
  path: string
): boolean => {
  const file = `.${path.slice(folder.length)}`
  if (exports[file] === null) return false
  return Object.values(exports).some((exported) => {
    const target = typeof exported === "string" ? exported : exported?.["plumbline"]
    if (target === undefined) return false
    const [before = "", after] = target.split("*")
    return after === undefined ? file === before : file.startsWith(before) && file.endsWith(after)
  })
}

/** What a file imports: a file from the top, or a package by its name. */
export const importsIn = (path: string, source: string): ReadonlyArray<string> =>
  [
    ...source
      .replace(/\/\*[\s\S]*?\*\//g, "")
      .matchAll(/^(?:import|export)\b[^"]*?\bfrom "([^"]+)"|\bimport\("([^"]+)"\)|^import "([^"]+)"/gm)
  ]
    .map(([, one, two, three]) => one ?? two ?? three ?? "")
    .map((specifier) =>
      specifier.startsWith(".")
        ? join(dirname(path), specifier)
        : specifier.startsWith("#plugin")
          ? `core/plugin/${specifier === "#plugin" ? "index" : `shapes/${specifier.slice("#plugin/".length)}`}.ts`
          : specifier.startsWith("node:")
            ? "node"
            : specifier
                .split("/")
                .slice(0, specifier.startsWith("@") ? 2 : 1)
                .join("/")
    )

/** The need of a package that an import answers; undefined if it has none that does. */
export const needOf = ({ imports, needs }: Package, target: string): string | undefined => {
  const other = packageOf(target)
  if (other !== undefined) return other.name in needs ? other.name : undefined
  if (target in needs) return target
  return imports.find((allowed) => (allowed.endsWith("/") ? target.startsWith(allowed) : target === allowed))
}

export const isFile = (target: string): boolean => existsSync(join(top, target))
