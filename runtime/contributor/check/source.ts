/** Source rules that types cannot express: a plugin must not reach around `Upstream`. */
import { type Finding, note, scaffoldMark, todo, wrong } from "./Finding.ts"

/** A file in the plugin's folder. */
export interface SourceFile {
  readonly name: string
  readonly text: string
}

const reaches: ReadonlyArray<readonly [form: RegExp, what: string, instead: string]> = [
  [/\bDate\.now\s*\(|\bnew Date\s*\(\s*\)/, "the wall clock", "use Upstream.now, or the answer's own time"],
  [/\bClock\.current|\bDateTime\.now/, "the wall clock", "use Upstream.now, or the answer's own time"],
  [/\bMath\.random\s*\(|\bRandom\.next/, "random numbers", "a replay must give the same rows"],
  [
    /\bfetch\s*\(|\bnew WebSocket\b|\bXMLHttpRequest\b/,
    "the network",
    "use Upstream.json, rpc, pages, listen"
  ],
  [/\bprocess\.|\bglobalThis\b/, "the process", "use Upstream.setting for what operators configure"],
  [
    /\b(from|import)\s+"node:|import\s*\(/,
    "the platform",
    "only effect, #plugin, core/plugin and core/catalog may be imported"
  ],
  [/\bset(Timeout|Interval)\s*\(/, "a timer", "leave timing to the runtime"]
]

/** Plugins are written in one way: the same thing is said in the same words in all of them. */
const forms: ReadonlyArray<readonly [form: RegExp, what: string, instead: string]> = [
  [/core\/plugin\//, "imports a file of core/plugin", "import #plugin, or #plugin/<file> for a shape"],
  [
    /\bunit: "/,
    "declares a metric as an object",
    "declare it by its words: headline, metric, signed and the others of #plugin"
  ],
  [/owner: "plumbline"/, "names the owner plumbline", "leave the line out: it is the default"]
]

/** Forms that a plugin of data alone must not have: there is no function to review in it. */
const functions = /=>|\bfunction\b|\bEffect\b|\beval\b/

/** What would affect this machine, or anything outside it, during a replay. */
const acts = new Set(["the network", "the process", "a timer"])

/** The first line of a plugin's code that would act outside `Upstream`. */
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

/** Imports of a file (`name` relative to its plugin's folder) that plugins may not use. */
const foreignImports = (name: string, text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^\s*(?:(?:import|export)\b[^"';]*\bfrom|import)\s*["']([^"']+)["']/gm)]
    .map(([, specifier]) => specifier ?? "")
    .filter((specifier) => {
      if (!specifier.startsWith(".")) return !/^(effect(\/|$)|#plugin(\/|$)|node:)/.test(specifier)
      const { pathname } = new URL(specifier, `file:///plugins/one/${name}`)
      return !/^\/(plugins\/one|core\/plugin|core\/catalog)\//.test(pathname)
    })

/** Fine in a comparison or in a count of our own. In a reading it turns a missing value into a measured zero. */
const zeroForMissing = /(\?\?|\|\|)\s*0\b(?!\)?\s*[=!<>])/

/** The code without comments, because a word in a comment is not a finding. */
const code = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|[^:"'`])\/\/.*$/gm, "$1")

/** Findings for the sources of one plugin. */
export const sourceFindings = (files: ReadonlyArray<SourceFile>): ReadonlyArray<Finding> =>
  files.flatMap(({ name, text }) => {
    const lines = code(text).split("\n")
    const findings: Array<Finding> = reaches.flatMap(([form, what, instead]) => {
      const line = lines.find((line) => form.test(line))
      return line === undefined
        ? []
        : [wrong("source", `${name} uses ${what} directly: ${line.trim()}`, instead)]
    })
    for (const [form, what, instead] of forms)
      if (form.test(text)) findings.push(wrong("source", `${name} ${what}`, instead))
    const data = text.includes("export default declare({")
      ? lines.find((line) => functions.test(line))
      : undefined
    if (data !== undefined)
      findings.push(
        wrong(
          "source",
          `${name} is data and has a function: ${data.trim()}`,
          "say it with the expressions of places.ts, or write the plugin with Plugin.define"
        )
      )
    for (const specifier of foreignImports(name, code(text))) {
      findings.push(
        wrong(
          "source",
          `${name} imports ${specifier}`,
          "import only effect, #plugin, core/plugin, core/catalog and files of the plugin's own folder"
        )
      )
    }
    const zero = lines.find((line) => zeroForMissing.test(line))
    if (zero !== undefined) {
      findings.push(
        note(
          "source",
          `${name} uses 0 for a missing value: ${zero.trim()}`,
          "never do this in a reading: a missing value gives no row"
        )
      )
    }
    return text.includes(scaffoldMark) || text.includes("example.net")
      ? [
          ...findings,
          todo("source", `${name} still contains the scaffold's example`, "read your upstream instead")
        ]
      : findings
  })
