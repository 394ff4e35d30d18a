/**
 * Makes what the package of a program contains, in its folder `dist`, which git ignores: one file for the command and one for each
 * thread, with everything in them but Node.
 *
 *     node runtime/release/bundle.ts notary|plugin|witness
 */
import { execFileSync } from "node:child_process"
import { readdirSync } from "node:fs"
import { cp, glob, readFile, rm, writeFile } from "node:fs/promises"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { build, type Plugin } from "esbuild"
import { common } from "../../http/client/build.ts"
import { writeStarter } from "../../http/client/starter.ts"
import * as Plugins from "../collector/plugins.ts"

const top = fileURLToPath(new URL("../..", import.meta.url))
const runtime = join(top, "runtime")

/** A thread is a bundle of its own, beside that of the program. */
const threads: Plugin = {
  name: "threads",
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/(runtime|core|http)\/.*\.ts$/ }, async ({ path }) => ({
      contents: (await readFile(path, "utf8")).replaceAll(
        /new URL\("([^"]+)\.thread\.ts", import\.meta\.url\)/g,
        (_, name) => `new URL("./${basename(name)}.thread.js", import.meta.url)`
      ),
      loader: "ts"
    }))
  }
}

/** What a package is made of, from the folder of the rooms. */
interface Program {
  /** Its folder, and the file of its command. Default: those of its name. */
  readonly folder?: string
  readonly entry?: string
  readonly threads: ReadonlyArray<string>
  /** Modules that others import, by the name of their file. They share what the command is made of. */
  readonly modules?: Readonly<Record<string, string>>
  /** Files beside it, by name. */
  readonly files: Effect.Effect<Readonly<Record<string, string>>>
}

const programs: Readonly<Record<string, Program>> = {
  plugin: {
    folder: "contributor",
    entry: "commands/author.ts",
    threads: ["collector/watch.thread.ts"],
    modules: {
      index: "../core/plugin/index.ts",
      effect: "contributor/effect.ts",
      ...Object.fromEntries(
        readdirSync(join(top, "core/plugin/shapes"))
          .filter((name) => name.endsWith(".ts"))
          .map((name) => [`shapes/${basename(name, ".ts")}`, `../core/plugin/shapes/${name}`])
      )
    },
    files: Effect.succeed({})
  },
  witness: { threads: [], files: Effect.succeed({}) },
  notary: {
    threads: ["notary/examine.thread.ts"],
    files: Effect.map(Effect.orDie(Plugins.all()), (plugins) => ({
      hosts: `${[...new Set(plugins.flatMap(({ manifest }) => manifest.hosts))].sort().join("\n")}\n`
    }))
  }
}

/** Declarations of the modules, and of what they import, in the folders where those are. */
const declare = async (folder: string, dist: string): Promise<void> => {
  const compiler = join(top, "node_modules/typescript/bin/tsc")
  execFileSync(process.execPath, [compiler, "-p", join(folder, "tsconfig.build.json")], { stdio: "inherit" })
  for await (const path of glob("core/plugin/{shapes/,}*s.json", { cwd: top }))
    await cp(join(top, path), join(dist, "types", path))
}

const bundle = async (
  name: string,
  { entry = `${name}/cli.ts`, files, folder: of = name, modules, threads: own }: Program
): Promise<void> => {
  const folder = join(runtime, of)
  const dist = join(folder, "dist")
  await rm(dist, { recursive: true, force: true })
  await build({
    ...common,
    splitting: modules !== undefined,
    entryPoints: [
      { in: join(runtime, entry), out: "main" },
      ...Object.entries(modules ?? {}).map(([out, path]) => ({ in: join(runtime, path), out })),
      ...own.map((path) => ({ in: join(runtime, path), out: basename(path, ".ts") }))
    ],
    outdir: dist,
    platform: "node",
    // What some packages still ask for by its old name.
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);'
    },
    plugins: [...(common.plugins ?? []), threads]
  })
  for (const [file, text] of Object.entries(await Effect.runPromise(files)))
    await writeFile(join(dist, file), text)
  if (modules !== undefined) await declare(folder, dist)
  await writeStarter(folder, 1)
  await cp(join(top, "LICENSE"), join(dist, "LICENSE"))
}

const [name = ""] = process.argv.slice(2)
const program = programs[name]
if (program === undefined) throw new Error(`name one of ${Object.keys(programs).join(", ")}`)
await bundle(name, program)
