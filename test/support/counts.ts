import { readFileSync } from "node:fs"
import { availableParallelism, loadavg } from "node:os"
import { relative } from "node:path"
import type { Reporter, TestModule } from "vitest/node"
import { isLong } from "../sets.ts"
import { installCommand, missingProgramsOf, type Name } from "./programs.ts"

const top = new URL("../../", import.meta.url).pathname

const countOf = (module: TestModule, state: string) =>
  [...module.children.allTests()].filter((test) => test.result().state === state).length

/** What was skipped for want of a program, by program, and the one command that installs them all. */
export const skippedReport = (
  skipped: ReadonlyArray<{ readonly path: string; readonly text: string; readonly tests: number }>
): ReadonlyArray<string> => {
  const files = new Map<Name, Array<string>>()
  for (const { path, tests, text } of skipped) {
    for (const name of missingProgramsOf(text))
      files.set(name, [...(files.get(name) ?? []), `${path} (${tests})`])
  }
  if (files.size === 0) return []
  return [
    "",
    "Skipped, because these are not installed:",
    ...[...files].map(([name, paths]) => `  ${name}: ${paths.join(", ")}`),
    "This installs them:",
    `  ${installCommand(files.keys())}`,
    ""
  ]
}

/** What a file of the short set may take on a quiet machine, in milliseconds. */
const longest = 15_000

/**
 * Files that took longer than one of the short set may, and so belong into `sets.ts`. A loaded machine says nothing of that: then
 * there are none.
 */
export const tooLong = (
  files: ReadonlyArray<{ readonly path: string; readonly duration: number }>,
  isQuiet: boolean
): ReadonlyArray<string> =>
  isQuiet
    ? files
        .filter(({ duration, path }) => duration > longest && !isLong(`/${path}`))
        .map(({ duration, path }) => `${path} took ${Math.round(duration / 1000)} s: add it to test/sets.ts`)
    : []

/** Closes a run on what it skipped for want of programs, and one plain line of counts, so that a log can be read by its last line. */
export default class Counts implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, errors: ReadonlyArray<unknown>): void {
    const count = (state: string) => modules.reduce((sum, module) => sum + countOf(module, state), 0)
    const broken = modules.filter((module) => !module.ok() && [...module.children.allTests()].length === 0)
    const failed = count("failed") + broken.length + errors.length
    const skipped = modules.flatMap((module) => {
      const tests = countOf(module, "skipped")
      const path = relative(top, module.moduleId)
      return tests === 0 ? [] : [{ path, tests, text: readFileSync(module.moduleId, "utf8") }]
    })
    const files = modules.map((module) => ({
      path: relative(top, module.moduleId),
      duration: module.diagnostic().duration
    }))
    // With more load than the run itself makes.
    const isQuiet = (loadavg()[1] ?? 0) <= availableParallelism() + 2
    for (const line of [...skippedReport(skipped), ...tooLong(files, isQuiet)]) console.log(line)
    console.log(`${count("passed")} passed, ${failed} failed, ${count("skipped")} skipped`)
  }
}
