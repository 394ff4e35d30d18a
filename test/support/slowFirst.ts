import { BaseSequencer, type TestSpecification } from "vitest/node"

/**
 * Files of 15 seconds and more. On a machine that has run them before, the runner knows that; on a new one it begins with
 * the largest files, and a long one that comes last leaves the other processes without work.
 */
const slow = [
  ...["backup/commands", "cluster/lock", "collector/thread", "deploy/container", "deploy/prometheus"],
  ...[
    "demo/series",
    "fault/",
    "counterparties/conformance",
    "http/browser",
    "http/checking",
    "http/largeExport"
  ],
  ...["mcp/hostile", "plugins/broken", "plugins/coverage", "plugins/fields", "products/recomputed"],
  ...["property/archive", "property/money", "property/recentDays"]
].map((name) => `/test/${name}`)

const isSlow = ({ moduleId }: TestSpecification) => slow.some((name) => moduleId.includes(name))

export default class SlowFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>) {
    const sorted = await super.sort(files)
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))]
  }
}
