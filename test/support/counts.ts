import type { Reporter, TestModule } from "vitest/node"

/** Closes a run on one plain line of counts, so that a log can be read by its last line. */
export default class Counts implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, errors: ReadonlyArray<unknown>): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const count = (state: string) => tests.filter((test) => test.result().state === state).length
    const broken = modules.filter((module) => !module.ok() && [...module.children.allTests()].length === 0)
    const failed = count("failed") + broken.length + errors.length
    console.log(`${count("passed")} passed, ${failed} failed, ${count("skipped")} skipped`)
  }
}
