/**
 * Bundles styles, fonts and scripts by esbuild. The result is kept in `node_modules/.cache` under the hashes of all files
 * it was made of, so that only the first start after a change builds.
 */
import { createHash, hash } from "node:crypto"
import { existsSync } from "node:fs"
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { brotliCompressSync, brotliDecompressSync } from "node:zlib"
import type { Metafile, Plugin } from "esbuild"

const top = fileURLToPath(new URL("../../..", import.meta.url))
const here = "http/explorer"

/** What the package of the service has of a build: it has no sources of scripts, and needs no esbuild. */
export const shipped = join(top, here, "assets/built.json.br")

/** Where the service serves them. */
export const folder = "/assets"

/** A file by the name that it is served under, which has the hash of its content. */
export interface Built {
  readonly files: ReadonlyArray<{ readonly name: string; readonly bytes: Uint8Array }>
  /** The name of a file by what it was made of: `styles/main.css`, `client/networks.ts`. */
  readonly names: Readonly<Record<string, string>>
}

/** A build as a file. */
interface Written {
  /** Scripts and styles as they are; fonts are no text. */
  readonly files: ReadonlyArray<{ readonly name: string; readonly text?: string; readonly base64?: string }>
  readonly names: Readonly<Record<string, string>>
}

/** One that is kept until what it was made of changes. */
interface CachedBuild extends Written {
  readonly inputs: Readonly<Record<string, string>>
}

/** The style, and every script right in `client/`: one for each page that has any, and the worker. */
const entryPoints = async (): Promise<ReadonlyArray<string>> => {
  const scripts = (await readdir(join(top, here, "client"))).filter((name) => name.endsWith(".ts")).sort()
  return [`${here}/styles/main.css`, ...scripts.map((name) => `${here}/client/${name}`)]
}

const sha256Of = async (path: string): Promise<string> =>
  hash("sha256", await readFile(join(top, path)), "hex")

/** A process may be allowed few open files, and a build has hundreds. */
const openAtOnce = 32

/** The hash of each file. */
const hashesOf = async (paths: ReadonlyArray<string>): Promise<Readonly<Record<string, string>>> => {
  const hashes: Record<string, string> = {}
  for (let at = 0; at < paths.length; at += openAtOnce) {
    const some = paths.slice(at, at + openAtOnce)
    const all = await Promise.all(some.map(sha256Of))
    for (const [n, path] of some.entries()) hashes[path] = all[n] ?? ""
  }
  return hashes
}

/** Scripts of pages ask a unit for its word and what is true of its values: so much of the table goes into them (`test/http/assets.test.ts`). */
const wordsOfUnits: Plugin = {
  name: "words of units",
  setup: ({ onLoad }) =>
    onLoad({ filter: /[/\\]core[/\\]plugin[/\\]units\.json$/ }, async ({ path }) => {
      const units: Readonly<Record<string, object>> = JSON.parse(await readFile(path, "utf8"))
      const displayed = Object.entries(units).map(([unit, facts]) => [
        unit,
        Object.fromEntries(Object.entries(facts).filter(([name]) => name === "word" || name === "is"))
      ])
      return { contents: JSON.stringify(Object.fromEntries(displayed)), loader: "json" as const }
    })
}

const make = async (entries: ReadonlyArray<string>): Promise<CachedBuild> => {
  // Imported here, because most starts find what an earlier one built.
  const { build, stop } = await import("esbuild")
  const { metafile, outputFiles } = await build({
    absWorkingDir: top,
    // A tree of links has its own names for the files, and shares what is kept with the tree that it links to.
    preserveSymlinks: true,
    entryPoints: [...entries],
    bundle: true,
    minify: true,
    splitting: true,
    format: "esm",
    target: "es2022",
    platform: "browser",
    charset: "utf8",
    legalComments: "none",
    metafile: true,
    write: false,
    outdir: "assets",
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    assetNames: "[name]-[hash]",
    publicPath: folder,
    loader: { ".woff2": "file" },
    plugins: [wordsOfUnits],
    logLevel: "silent"
  })
  await stop()
  return {
    inputs: await hashesOf(Object.keys(metafile.inputs)),
    files: outputFiles.map(({ contents, path }) => asWritten(basename(path), contents)),
    names: namesOf(metafile)
  }
}

/** Entries by their path below the explorer, fonts by the name of their file. */
const namesOf = ({ outputs }: Metafile): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(outputs).flatMap(([path, { entryPoint, inputs }]) => {
      const source = entryPoint ?? (path.endsWith(".woff2") ? Object.keys(inputs)[0] : undefined)
      return source === undefined
        ? []
        : [[source.startsWith(here) ? source.slice(here.length + 1) : basename(source), basename(path)]]
    })
  )

const isCurrent = async ({ inputs }: CachedBuild): Promise<boolean> => {
  const now = await hashesOf(Object.keys(inputs))
  return Object.entries(inputs).every(([path, sha256]) => now[path] === sha256)
}

const read = async (path: string): Promise<CachedBuild | undefined> => {
  try {
    // Written below, by this very code: its hash is in the name.
    const cached: CachedBuild = JSON.parse(await readFile(path, "utf8"))
    return (await isCurrent(cached)) ? cached : undefined
  } catch {
    return undefined
  }
}

const asBuilt = ({ files, names }: Written): Built => ({
  files: files.map(({ base64, name, text = "" }) => ({
    name,
    bytes: base64 === undefined ? Buffer.from(text) : Buffer.from(base64, "base64")
  })),
  names
})

const asWritten = (name: string, bytes: Uint8Array): Written["files"][number] =>
  name.endsWith(".woff2")
    ? { name, base64: Buffer.from(bytes).toString("base64") }
    : { name, text: Buffer.from(bytes).toString("utf8") }

/** The bytes of `shipped`: what a package is packed with compresses it less. */
export const writtenOf = ({ files, names }: Built): Uint8Array => {
  const written: Written = { files: files.map(({ bytes, name }) => asWritten(name, bytes)), names }
  return brotliCompressSync(JSON.stringify(written))
}

const readShipped = async (): Promise<Written> =>
  JSON.parse(brotliDecompressSync(await readFile(shipped)).toString("utf8"))

const built = async (): Promise<Built> => {
  if (existsSync(shipped)) return asBuilt(await readShipped())
  const entries = await entryPoints()
  const name = createHash("sha256")
    .update(await readFile(fileURLToPath(import.meta.url)))
    .update(entries.join("\n"))
    .digest("hex")
    .slice(0, 16)
  const path = join(top, "node_modules/.cache/plumbline", `explorer-${name}.json`)
  const before = await read(path)
  const output = before ?? (await make(entries))
  if (before === undefined) {
    try {
      await mkdir(dirname(path), { recursive: true })
      // Another process may write the same file now.
      await writeFile(`${path}.${process.pid}`, JSON.stringify(output))
      await rename(`${path}.${process.pid}`, path)
    } catch {
      // A folder that cannot be written only costs the next start its time.
    }
  }
  return asBuilt(output)
}

let once: Promise<Built> | undefined

/** Once in a process. */
export const assetsBuilt = (): Promise<Built> => {
  once ??= built()
  return once
}
