/** Rules of a plugin's source that its types cannot hold: it may not reach past `Upstream`. */
import { type Finding, note, scaffoldMark, todo, wrong } from "./Finding.ts"

/** A file of the plugin's folder. */
export interface SourceFile {
  readonly name: string
  readonly text: string
}

const reaches: ReadonlyArray<readonly [form: RegExp, what: string, instead: string]> = [
  [/\bDate\.now\s*\(|\bnew Date\s*\(\s*\)/, "the wall clock", "use Upstream.now, or the answer's own time"],
  [/\bClock\.current|\bDateTime\.now/, "the wall clock", "use Upstream.now, or the answer's own time"],
  [/\bMath\.random\s*\(|\bRandom\.next/, "random numbers", "a run must give the same rows again"],
  [
    /\bfetch\s*\(|\bnew WebSocket\b|\bXMLHttpRequest\b/,
    "the network",
    "use Upstream.json, rpc, pages, listen"
  ],
  [/\bprocess\.|\bglobalThis\b/, "the process", "use Upstream.setting for what an operator may set"],
  [
    /\b(from|import)\s+"node:|import\s*\(/,
    "the platform",
    "only effect, #plugin, core/plugin and core/catalog may be imported"
  ],
  [/\bset(Timeout|Interval)\s*\(/, "a timer", "the runtime times a run"]
]

/** What would act on this machine or outside it while the cases are replayed. */
const acts = new Set(["the network", "the process", "a timer"])

/** The first line of a plugin's code that reaches where neither a replay nor a recording may go. */
export const outsideReach = (files: ReadonlyArray<SourceFile>) => {
  for (const { name, text } of files) {
    for (const [form, what, instead] of reaches) {
      if (!acts.has(what)) continue
      const line = code(text)
        .split("\n")
        .find((line) => form.test(line))
      if (line !== undefined) return { file: name, what, line: line.trim(), instead }
    }
  }
  return undefined
}

/** Imports of a file, path from its plugin's folder, that are neither effect nor of the plugin's rooms. */
const foreignImports = (name: string, text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^\s*(?:(?:import|export)\b[^"';]*\bfrom|import)\s*["']([^"']+)["']/gm)]
    .map(([, specifier]) => specifier ?? "")
    .filter((specifier) => {
      if (!specifier.startsWith(".")) return !/^(effect(\/|$)|#plugin(\/|$)|node:)/.test(specifier)
      const { pathname } = new URL(specifier, `file:///plugins/one/${name}`)
      return !/^\/(plugins\/one|core\/plugin|core\/catalog)\//.test(pathname)
    })

/** Fine in a comparison or a count of our own; in a reading it makes an unmeasured value a measured zero. */
const zeroForMissing = /(\?\?|\|\|)\s*0\b(?!\)?\s*[=!<>])/

/** Comments and texts out of the way, so that a word in them is no finding. */
const code = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|[^:"'`])\/\/.*$/gm, "$1")

/** What is wrong with the sources of one plugin. */
export const sourceFindings = (files: ReadonlyArray<SourceFile>): ReadonlyArray<Finding> =>
  files.flatMap(({ name, text }) => {
    const lines = code(text).split("\n")
    const found: Array<Finding> = reaches.flatMap(([form, what, instead]) => {
      const line = lines.find((line) => form.test(line))
      return line === undefined
        ? []
        : [wrong("source", `${name} reaches for ${what}: ${line.trim()}`, instead)]
    })
    for (const specifier of foreignImports(name, code(text))) {
      found.push(
        wrong(
          "source",
          `${name} imports ${specifier}`,
          "only effect, #plugin, core/plugin, core/catalog and files of the plugin's own folder"
        )
      )
    }
    const zero = lines.find((line) => zeroForMissing.test(line))
    if (zero !== undefined) {
      found.push(
        note(
          "source",
          `${name} puts 0 for what is missing: ${zero.trim()}`,
          "never in a reading: absent is absent"
        )
      )
    }
    return text.includes(scaffoldMark) || text.includes("example.net")
      ? [...found, todo("source", `${name} holds the scaffold's example`, "read your upstream instead")]
      : found
  })
