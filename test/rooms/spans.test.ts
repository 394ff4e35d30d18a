/** A span is named as the function that it measures, after a dot: whoever reads a trace finds the code. */
import { readFileSync } from "node:fs"
import { glob } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { isOwnSource } from "../support/isOwnSource.ts"

const top = new URL("../..", import.meta.url).pathname

/** `Effect.fn` with the name that its function is bound to, if it is: a constant, a member, or nothing. */
const form =
  /(?:\b(?:const|readonly)\s+(\w+)(?:\s*:[^=\n]+)?\s*=\s*|\b(\w+)\s*:\s*)?\bEffect\.fn\(\s*"([^"]+)"/g

/** Spans whose name does not end with that of their function, as `line: span measures function`. */
const misnamed = (source: string): ReadonlyArray<string> =>
  [...source.matchAll(form)].flatMap(({ 0: text, 1: constant, 2: member, 3: span = "", index }) => {
    const name = constant ?? member
    if (name !== undefined && span.split(".").at(-1) === name) return []
    const line = source.slice(0, index + text.indexOf("Effect.fn")).split("\n").length
    return [`${line}: ${span} measures ${name ?? "what has no name"}`]
  })

describe("a span", () => {
  it.each([
    'const debit = Effect.fn("Ledger.debit")(function* () {})',
    'const page =\n  Effect.fn("page")(function* () {})',
    'debit: Effect.fn("Ledger.debit")(function* () {})',
    "const debit = Effect.fnUntraced(function* () {})"
  ])("has the name of its function: %s", (source) => {
    assert.deepStrictEqual(misnamed(source), [])
  })

  it.each([
    ['const debitLocked = Effect.fn("Ledger.debitHeld")(f)', "1: Ledger.debitHeld measures debitLocked"],
    ['\nstore: Effect.fn("Intake.deliver")(f)', "2: Intake.deliver measures store"],
    ['return Effect.fn("signals.closedDay")(f)', "1: signals.closedDay measures what has no name"]
  ])("has not: %s", (source, fault) => {
    assert.deepStrictEqual(misnamed(source), [fault])
  })

  it("is named so everywhere", async () => {
    const faults: Array<string> = []
    for await (const path of glob("{core,http,mcp,plugins,runtime}/**/*.ts", { cwd: top })) {
      if (!isOwnSource(path)) continue
      faults.push(...misnamed(readFileSync(join(top, path), "utf8")).map((fault) => `${path}:${fault}`))
    }
    assert.deepStrictEqual(faults, [])
  })
})
