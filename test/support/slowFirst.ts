import { BaseSequencer, type TestSpecification } from "vitest/node"
import { isLong } from "../sets.ts"

/**
 * Files of the short set that take long. On a machine that has run them before, the runner knows that; on a new one it begins with
 * the largest files, and a long one that comes last leaves the other processes without work.
 */
const slow = [
  "counterparties/conformance",
  "demo/series",
  "deploy/prometheus",
  "http/browser",
  "http/checking",
  "plugins/broken",
  "plugins/coverage",
  "plugins/fields"
].map((name) => `/test/${name}`)

const isSlow = ({ moduleId }: TestSpecification) =>
  isLong(moduleId) || slow.some((name) => moduleId.includes(name))

export default class SlowFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>) {
    const sorted = await super.sort(files)
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))]
  }
}
