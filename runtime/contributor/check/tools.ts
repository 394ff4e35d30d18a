/** What the compiler and the linter say of a plugin: what `npm run check` says of all files. */
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { basename, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { onDisk } from "../../outside/disk.ts"
import { type Finding, note, wrong } from "./Finding.ts"

const top = fileURLToPath(new URL("../../../", import.meta.url))
const compiler = join(top, "node_modules/typescript/bin/tsc")
const settings = ["tsconfig.json", "biome.json"].map((name) => join(top, name))
const linter = join(top, "node_modules/@biomejs/biome/bin/biome")

/** What a program prints, however it ends. */
const printed = (program: string, args: ReadonlyArray<string>, cwd: string) =>
  onDisk(
    () =>
      new Promise<string>((resolve) =>
        execFile(process.execPath, [program, ...args], { cwd, maxBuffer: 1e8 }, (_, out, err) =>
          resolve(out + err)
        )
      )
  )

/** Findings for the types of the files below `folder`, by a project of these alone. */
const typeFindings = Effect.fnUntraced(function* (folder: string) {
  // Below node_modules, so that the compiler finds the types of the packages from there.
  const place = yield* onDisk(() => mkdtemp(join(top, "node_modules/.plugin-check-")))
  const project = join(place, "tsconfig.json")
  const config = {
    extends: join(top, "tsconfig.json"),
    compilerOptions: { incremental: false, tsBuildInfoFile: null },
    include: [join(folder, "**/*.ts")],
    exclude: []
  }
  yield* onDisk(() => writeFile(project, JSON.stringify(config)))
  const text = yield* printed(compiler, ["-p", project, "--pretty", "false"], folder).pipe(
    Effect.ensuring(Effect.ignore(onDisk(() => rm(place, { recursive: true }))))
  )
  return text.split("\n").flatMap((line): ReadonlyArray<Finding> => {
    const [, file = "", at, message] = /^(.+?)\((\d+),\d+\): error (TS\d+: .*)$/.exec(line) ?? []
    if (message === undefined) return []
    const name = relative(folder, join(folder, file))
    // Other files are not of the plugin: npm run check says what is wrong in them.
    if (name.startsWith("..")) return []
    return [wrong("types", `${name}:${at} ${message}`, "fix the type; an editor shows it, and npm run check")]
  })
})

/** Findings for the format and the lint rules of the files below `folder`. */
const formFindings = Effect.fnUntraced(function* (folder: string) {
  const text = yield* printed(linter, ["check", "--colors=off", `--config-path=${top}`, folder], top)
  return text.split("\n").flatMap((line): ReadonlyArray<Finding> => {
    const [, file = "", at = "", rule] = /^(\S+?)(:\d+)?(?::\d+)? (\S+)(?: .*)? ?\u2501+$/.exec(line) ?? []
    if (rule === undefined || !file.includes("/")) return []
    // It names files from where it thinks that the repository is.
    const name = file.slice(file.lastIndexOf(`/${basename(folder)}/`) + basename(folder).length + 2)
    return [wrong("format", `${name}${at} ${rule}`, "npm run format, and correct what remains")]
  })
})

/** What the compiler and the linter refuse in the folder of a plugin; a note where they are not installed. */
export const toolFindings = Effect.fn("Check.toolFindings")(function* (folder: URL) {
  const path = fileURLToPath(folder).replace(/\/$/, "")
  return [compiler, linter, ...settings].every(existsSync)
    ? [...(yield* typeFindings(path)), ...(yield* formFindings(path))]
    : [
        note(
          "types",
          "neither types nor format were checked",
          "the compiler and the linter come with a checkout: npm ci"
        )
      ]
})
