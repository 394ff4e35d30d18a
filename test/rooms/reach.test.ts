/** The tests that the check of a commit chooses for a change. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { longGlobs } from "../sets.ts"
import { tooLong } from "../support/counts.ts"
import { readGraph, testsReached, top } from "../support/reach.ts"

const graph = readGraph()

/** A file of each room, and a test that holds what it does. */
const examples: Readonly<Record<string, string>> = {
  "core/alerts/judge.ts": "alerts/conditions",
  "core/catalog/lookup.ts": "catalog/lookup",
  "core/credits/Accounts.ts": "credits/operator",
  "core/events/EventLog.ts": "events/feed",
  "core/log/DailyClose.ts": "log/dailyClose",
  "core/plugin/Plugin.ts": "plugins/broken",
  "core/proof/merkle.ts": "proof/merkle",
  "core/readings/ingest/write/exclusions.ts": "readings/withdrawnDay",
  "core/webhooks/challenge.ts": "http/webhooks",
  "http/request/joinTable.ts": "http/asof",
  "mcp/tools/query.ts": "mcp/tools",
  "plugins/sia/index.ts": "plugins/broken",
  "runtime/notary/server.ts": "notary/server",
  "runtime/witness/server.ts": "witness/server"
}

describe("the tests of a change", () => {
  for (const [path, test] of Object.entries(examples)) {
    it(`of ${path} are those that can see it`, () => {
      assert.isTrue(existsSync(join(top, path)), `${path} is gone: name another file of its room`)
      assert.include(testsReached(graph, [path]), `test/${test}.test.ts`)
    })
  }

  it("are the test alone, if only a test changed", () => {
    // Put together, as this file would need what it names in one piece.
    const test = join("test", "mcp", "hostile.test.ts")
    assert.deepStrictEqual(testsReached(graph, [test]), [test])
  })

  it("are none for a page of text", () => {
    assert.deepStrictEqual(testsReached(graph, ["SECURITY.md"]), [])
  })
})

describe("the long set", () => {
  it("names files that exist", () => {
    for (const glob of longGlobs.filter((path) => !path.includes("*"))) {
      assert.isTrue(existsSync(join(top, glob)), glob)
    }
  })

  it("is asked for by name where a file of the other set takes too long on a quiet machine", () => {
    const files = [
      { path: "test/proof/merkle.test.ts", duration: 16_000 },
      { path: "test/proof/lies.test.ts", duration: 64_000 },
      { path: "test/proof/leaf.test.ts", duration: 14_000 }
    ]
    assert.deepStrictEqual(tooLong(files, true), [
      "test/proof/merkle.test.ts took 16 s: add it to test/sets.ts"
    ])
    assert.deepStrictEqual(tooLong(files, false), [])
  })
})
