/**
 * Makes what the packages of this folder contain, in folders that git ignores:
 *
 *     node http/client/build.ts typescript|verifier
 */
import { spawnSync } from "node:child_process"
import { cp, glob, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type BuildOptions, build, type Plugin } from "esbuild"
import { writeStarter } from "./starter.ts"

const here = fileURLToPath(new URL(".", import.meta.url))
const top = fileURLToPath(new URL("../..", import.meta.url))

const run = (...args: ReadonlyArray<string>): void => {
  const { status, stderr, stdout } = spawnSync(process.execPath, args, { encoding: "utf8" })
  if (status !== 0) throw new Error(stdout + stderr)
}

/** Declarations of a package's sources and of what they import, in the folders where those are. */
const declarations = (folder: string, into: string): void => {
  const only = ["--noEmit", "false", "--emitDeclarationOnly", "--declaration", "--incremental", "false"]
  const places = ["--rootDir", top, "--outDir", into, "--rewriteRelativeImportExtensions"]
  run(
    join(top, "node_modules/typescript/bin/tsc"),
    "-p",
    join(here, folder, "tsconfig.build.json"),
    ...only,
    ...places
  )
}

/**
 * A module of ours does nothing when it is loaded, so one of which nothing is used is left out: the shapes of documents that a
 * client never reads, for example.
 */
const withoutUnused: Plugin = {
  name: "without unused modules",
  setup: ({ onResolve }) => {
    onResolve({ filter: /^\.{1,2}\// }, ({ path, resolveDir }) =>
      resolveDir.includes("node_modules") ? undefined : { path: join(resolveDir, path), sideEffects: false }
    )
  }
}

/** What all of our packages are bundled with. */
export const common: BuildOptions = {
  bundle: true,
  format: "esm",
  target: "es2023",
  legalComments: "inline",
  absWorkingDir: top,
  mainFields: ["module", "main"],
  plugins: [withoutUnused]
}

const typescript = async (): Promise<void> => {
  const dist = join(here, "typescript/dist")
  await rm(dist, { recursive: true, force: true })
  run(join(here, "typescript/types.ts"))
  await build({
    ...common,
    entryPoints: [join(here, "typescript/src/index.ts")],
    outfile: join(dist, "index.js"),
    platform: "neutral"
  })
  const folder = await mkdtemp(join(tmpdir(), "plumbline-types-"))
  declarations("typescript", folder)
  // Nothing in them comes from outside of these two folders.
  for (const part of ["src", "generated"]) {
    await cp(join(folder, "http/client/typescript", part), join(dist, part), { recursive: true })
  }
  await rm(folder, { recursive: true })
  await giveTypes(dist)
}

/** Packages that the client has in it, from the first that imports the next. */
const inside = ["openapi-fetch", "openapi-typescript-helpers"] as const

/** Puts the declarations of those packages beside ours, which then import them from there, and their licences. */
const giveTypes = async (dist: string): Promise<void> => {
  const renamed = (text: string, above: string) =>
    inside.reduce(
      (now, name) => now.replaceAll(new RegExp(`(["'])${name}\\1`, "g"), `"${above}/${name}.js"`),
      text
    )
  for (const name of inside) {
    const text = await readFile(join(top, "node_modules", name, "dist/index.d.mts"), "utf8")
    await writeFile(join(dist, `${name}.d.ts`), renamed(text, "."))
    await cp(join(top, "node_modules", name, "LICENSE"), join(dist, `LICENSE.${name}`))
  }
  for await (const file of glob("src/**/*.d.ts", { cwd: dist })) {
    const above = file
      .split("/")
      .slice(1)
      .map(() => "..")
      .join("/")
    await writeFile(join(dist, file), renamed(await readFile(join(dist, file), "utf8"), above))
  }
}

const verifier = async (): Promise<void> => {
  const dist = join(here, "verifier/dist")
  await rm(dist, { recursive: true, force: true })
  await build({
    ...common,
    entryPoints: [join(here, "verifier/src/index.ts")],
    outfile: join(dist, "index.js"),
    platform: "neutral"
  })
  await build({
    ...common,
    entryPoints: [join(here, "verifier/src/cli.ts")],
    outfile: join(dist, "main.js"),
    platform: "node"
  })
  await writeStarter(join(here, "verifier"), 2)
  declarations("verifier", dist)
}

/** The licence goes with what is published. */
const licensed = (name: string): Promise<void> => cp(join(top, "LICENSE"), join(here, name, "dist/LICENSE"))

if (import.meta.main) {
  const builds = { typescript, verifier }
  const [name = ""] = process.argv.slice(2)
  const make = Object.entries(builds).find(([one]) => one === name)?.[1]
  if (make === undefined) throw new Error(`name one of ${Object.keys(builds).join(", ")}`)
  await make()
  await licensed(name)
}
