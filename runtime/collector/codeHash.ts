/**
 * The code of a run as one hash that sha256sum can check. It is the SHA-256 of the sorted lines `<sha256>  <path>` of:
 * every file in the plugin's folder, `core/plugin` and `core/catalog`; what reads proofs of chains in `core/proof`; `package.json`, which defines `#plugin`;
 * `package-lock.json`; and `settings/<name>` for each declared setting, with its value as content. In a checkout, for a
 * plugin without settings:
 *
 *     find plugins/<id> core/plugin core/catalog core/proof/chain $(printf 'core/proof/%s.ts ' bytes canonical check leaf merkle reason shape tag time) package.json package-lock.json -type f -exec sha256sum {} + | LC_ALL=C sort | sha256sum
 *
 * The files of a plugin from elsewhere are all that its code can read, and stand as `outside/<id>/…`.
 */
import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { readdir, readFile } from "node:fs/promises"
import { join, relative, sep } from "node:path"
import { fileURLToPath } from "node:url"
import type { Effect } from "effect"
import { compare } from "../../core/plugin/Value.ts"
import { type DiskError, onDisk } from "../outside/disk.ts"
import { filesOfFolder } from "./folder.ts"
import { folderFromElsewhere } from "./outside.ts"
import { root as pluginsRoot } from "./plugins.ts"

/** One file that a plugin's rows depend on. */
export interface Source {
  /** From the top of the checkout, with `/`; of a plugin from elsewhere as if its folder were `outside/<id>`. */
  readonly path: string
  readonly sha256: string
  readonly bytes: Uint8Array
}

const top = fileURLToPath(new URL("../../", import.meta.url))

const sha256 = (content: string | Uint8Array) => createHash("sha256").update(content).digest("hex")

const sourceOf = async (file: string, as: string): Promise<Source> => {
  const bytes = await readFile(file)
  return { path: as.split(sep).join("/"), sha256: sha256(bytes), bytes }
}

const filesUnder = async (folder: string, as: string): Promise<ReadonlyArray<Source>> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => sourceOf(file, `${as}/${relative(folder, file)}`))
  )
}

/**
 * The lock file. An installed package has it under another name, because npm packs no `package-lock.json`: a release to unpack under that
 * by which npm installs, and the package of the service, which has its packages in it, under one that npm does not know.
 */
export const lockFile = ["package-lock.json", "npm-shrinkwrap.json", "locked.json"]
  .map((name) => join(top, name))
  .find((path) => existsSync(path))

/** Folders whose files are code of every run, and the files that those import. */
export const sharedFolders: ReadonlyArray<string> = ["core/plugin", "core/catalog", "core/proof/chain"]
export const sharedFiles: ReadonlyArray<string> = [
  "bytes",
  "canonical",
  "check",
  "leaf",
  "merkle",
  "reason",
  "shape",
  "tag",
  "time"
].map((name) => `core/proof/${name}.ts`)

/** The sources that all plugins share. */
export const shared: Effect.Effect<ReadonlyArray<Source>, DiskError> = onDisk(async () => {
  const packages = ["package.json", "package-lock.json"].map(async (path) => {
    const bytes = await readFile(path === "package.json" ? join(top, path) : (lockFile ?? join(top, path)))
    return { path, sha256: sha256(bytes), bytes }
  })
  return [
    ...(await Promise.all(sharedFolders.map((folder) => filesUnder(join(top, folder), folder)))).flat(),
    ...(await Promise.all(sharedFiles.map((path) => sourceOf(join(top, path), path)))),
    ...(await Promise.all(packages))
  ]
})

/** The sources of one plugin's own folder. */
export const own = (id: string, from: URL = pluginsRoot): Effect.Effect<ReadonlyArray<Source>, DiskError> =>
  onDisk(async () => {
    const elsewhere = folderFromElsewhere(id)
    if (elsewhere === undefined) return filesUnder(fileURLToPath(new URL(id, from)), `plugins/${id}`)
    const folder = fileURLToPath(elsewhere)
    return Promise.all(
      (await filesOfFolder(folder)).map((file) => sourceOf(file, `outside/${id}/${relative(folder, file)}`))
    )
  })

/** The hash over sources and the values of the settings that the manifest declares. */
export const codeHash = (
  sources: ReadonlyArray<Omit<Source, "bytes">>,
  settings: Readonly<Record<string, string>>
): string => {
  const lines = [
    ...sources.map(({ path, sha256 }) => `${sha256}  ${path}\n`),
    ...Object.entries(settings).map(([name, value]) => `${sha256(value)}  settings/${name}\n`)
  ]
  return sha256(lines.sort(compare).join(""))
}
