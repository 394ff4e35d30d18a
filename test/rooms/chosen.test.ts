/** The tests that a change asks for once it is known what each of them executes. */
import { assert, describe, it } from "vitest"
import { changedFunctions, testsOf } from "../support/chosen.ts"
import type { Graph } from "../support/reach.ts"
import type { TestRecord } from "../support/record.ts"

const path = "core/sum.ts"
const before = `
import { Effect } from "effect"
/** A sum. */
export const sum = (a: number, b: number): number => a + b
export const limit = { most: 3, of: (n: number) => n > 3 }
const names = ["a"].map((name) => name.toUpperCase())
export const read = Effect.fn("read")(function* () {
  return yield* Effect.succeed(names)
})
export class Sums extends Map<string, number> {
  total() {
    return 0
  }
}
`
const functionsOf = (from: string, to: string) => {
  const after = before.replace(from, to)
  assert.notStrictEqual(after, before)
  const functions = changedFunctions({ path, before, after })
  return functions === undefined ? "all" : [...functions]
}

describe("what changed of a module", () => {
  it.each([
    ["a comment", "A sum.", "The sum.", []],
    ["an import", 'import { Effect } from "effect"', 'import { Effect, Layer } from "effect"', []],
    ["a function", "a + b", "a - b", ["sum"]],
    ["a function that an effect calls", "yield* Effect.succeed", "Effect.succeed", ["read"]],
    ["a method", "return 0", "return 1", ["Sums"]],
    ["a function in an object", "n > 3", "n > 4", ["limit"]],
    ["a value", "most: 3", "most: 4", "all"],
    ["a function that runs when the module is loaded", "toUpperCase", "toLowerCase", "all"],
    ["a name that a call is given", 'fn("read")', 'fn("reads")', "all"],
    ["a new function", "const names", "export const half = (a: number) => a / 2\nconst names", []],
    ["a statement", "const names", "console.log(1)\nconst names", "all"],
    ["what is no code", "export class", "export class {", "all"]
  ] as const)("is known for %s", (_, from, to, expected) => {
    assert.deepStrictEqual<unknown>(functionsOf(from, to), expected)
  })

  it("is everything for a file that came or went", () => {
    assert.isUndefined(changedFunctions({ path, before, after: undefined }))
    assert.isUndefined(changedFunctions({ path, before: undefined, after: before }))
  })
})

const tests = ["runs", "loads", "starts", "threads", "new"].map((name) => `test/${name}.test.ts`)
const graph: Graph = {
  files: new Set([path, "core/sum.thread.ts", ...tests]),
  needing: new Map([[path, new Set([...tests, "core/sum.thread.ts"])]]),
  byFolder: []
}
const record = (name: string, rest: Partial<TestRecord>): readonly [string, TestRecord] => {
  const test = `test/${name}.test.ts`
  return [test, { test, startsProcesses: false, threads: [], executed: {}, ...rest }]
}
const records = new Map([
  record("runs", { executed: { [path]: ["sum"] } }),
  record("loads", { executed: { [path]: ["read"] } }),
  record("starts", { startsProcesses: true }),
  record("threads", { threads: ["core/sum.thread.ts"] })
])
const chosenFor = (from: string, to: string, looked = records) =>
  testsOf(graph, looked, [{ path, before, after: before.replace(from, to) }]).map((test) => test.slice(5, -8))

describe("the tests of a change", () => {
  it("executed it, or nobody could see whether they did", () => {
    assert.deepStrictEqual(chosenFor("a + b", "a - b"), ["new", "runs", "starts", "threads"])
    assert.deepStrictEqual(chosenFor("succeed(names)", "succeed([])"), ["loads", "new", "starts", "threads"])
  })

  it("are all that import it where it runs at load, or where there is no record", () => {
    const all = ["loads", "new", "runs", "starts", "threads"]
    assert.deepStrictEqual(chosenFor("most: 3", "most: 4"), all)
    assert.deepStrictEqual(chosenFor("a + b", "a - b", new Map()), all)
  })

  it("are none for a comment", () => {
    assert.deepStrictEqual(chosenFor("A sum.", "The sum."), [])
  })
})
