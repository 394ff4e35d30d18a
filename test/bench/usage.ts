/** What `npm run bench` takes: its help, and what is wrong with words that it does not understand. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { parseArgs } from "node:util"

/** Words or settings that nothing can be run with. The message is one line. */
export class Misused extends Error {
  override readonly name = "Misused"
}

interface Benchmark {
  readonly name: string
  /** What it measures: the first sentence of its file. */
  readonly measures: string
}

/** Minutes and gigabytes: only where they are named. */
const large = new Set(["scale", "years"])

/** Read and not imported: some begin when they are. Files without `run` are servers and loads of the others. */
export const benchmarks: ReadonlyArray<Benchmark> = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(".ts"))
  .sort()
  .flatMap((file) => {
    const text = readFileSync(join(import.meta.dirname, file), "utf8")
    if (!/^export const run\b/m.test(text)) return []
    const about = /^\/\*\*(.*?)\*\//s.exec(text)?.[1]?.replaceAll(/\s+(?:\* )?/g, " ") ?? ""
    return [{ name: file.slice(0, -3), measures: /^ (.*?\.)(?: |$)/.exec(about)?.[1] ?? "" }]
  })

const indent = Math.max(...benchmarks.map(({ name }) => name.length)) + 4

/** Lines of a hundred characters, all but the first indented. */
const wrapped = (text: string): string =>
  text.replaceAll(new RegExp(`(.{1,${100 - indent}})(?: |$)`, "g"), `\n${" ".repeat(indent)}$1`).trimStart()

export const usage = `npm run bench -- [name ...] [--json <file>] [--page]

Runs the benchmarks that are named, or all but ${[...large].join(" and ")}, and prints a table.

Benchmarks:
${benchmarks.map(({ measures, name }) => `  ${name.padEnd(indent - 2)}${wrapped(measures)}`).join("\n")}

Options:
  --json <file>  also write the figures to this file
  --page         also write them to test/bench/README.md, in place of what is there
  --help         print this

Settings:
  PAGES=log,verify    pages: only these
  PAGES_URL=<url>     pages: a service that runs already on this machine
  CHROME_PATH=<file>  pages: another Chromium
  DEMO_MINUTES=<n>    demo: also what it holds so many minutes later
  SOAK_MINUTES=<n>    soak: for so long, in place of 60
`

export type BenchCommand =
  | { readonly kind: "help" }
  | {
      readonly kind: "run"
      readonly names: ReadonlyArray<string>
      /** As they were given; none if all were meant. */
      readonly named: ReadonlyArray<string>
      readonly json: string | undefined
      readonly page: boolean
    }

const parseOptions = (args: ReadonlyArray<string>) => {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        json: { type: "string" },
        page: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false }
      }
    })
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new Misused(
      `${error.message.split(/[.\n]/, 1)[0]}; the options are --json <file>, --page and --help`
    )
  }
}

/** What these words ask for. Throws `Misused`. */
export const parseCommand = (args: ReadonlyArray<string>): BenchCommand => {
  const { positionals, values } = parseOptions(args)
  if (values.help) return { kind: "help" }
  const names = benchmarks.map(({ name }) => name)
  const unknown = positionals.find((name) => !names.includes(name))
  if (unknown !== undefined)
    throw new Misused(`there is no benchmark "${unknown}"; there are ${names.join(", ")}`)
  // Told before the benchmarks and not after them, when their figures would be lost.
  if (values.json !== undefined && (values.json === "" || !existsSync(dirname(resolve(values.json)))))
    throw new Misused(`--json "${values.json}": there is no such folder`)
  return {
    kind: "run",
    names: names.filter((name) => (positionals.length === 0 ? !large.has(name) : positionals.includes(name))),
    named: positionals,
    json: values.json,
    page: values.page
  }
}
