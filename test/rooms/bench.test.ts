/** What `npm run bench` says to words that it does not understand. */
import { spawnSync } from "node:child_process"
import { readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { benchmarks, Misused, parseCommand, usage } from "../bench/usage.ts"

const bench = (...args: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = spawnSync(
    process.execPath,
    [fileURLToPath(new URL("../bench/run.ts", import.meta.url)), ...args],
    { encoding: "utf8", env: { PATH: process.env["PATH"] } }
  )
  return { status, stderr, stdout }
}

describe("npm run bench", () => {
  it("names every benchmark with what it measures, and every option", () => {
    const files = readdirSync(new URL("../bench/", import.meta.url))
    assert.isAbove(benchmarks.length, 15)
    for (const { measures, name } of benchmarks) {
      assert.include(files, `${name}.ts`)
      assert.match(usage, new RegExp(`^ {2}${name} +\\S`, "m"))
      assert.match(measures, /^[A-Z].*\.$/, name)
    }
    for (const option of ["--json", "--page", "--help"]) assert.include(usage, option)
    for (const line of usage.split("\n")) assert.isAtMost(line.length, 100)
    assert.deepStrictEqual(bench("--help"), { status: 0, stderr: "", stdout: `${usage}\n` })
  })

  it("says in one line what it cannot run", () => {
    const { status, stderr, stdout } = bench("merkle", "nope")
    assert.deepStrictEqual({ status, stdout }, { status: 2, stdout: "" })
    assert.match(stderr, /^bench: there is no benchmark "nope"; there are anomalies, asof, .*, merkle, .*\n$/)
    for (const [args, says] of [
      [["--foo"], "'--foo'; the options are"],
      [["--json"], "'--json <value>' argument missing"],
      [["--page=3"], "'--page' does not take an argument"],
      [["--json", "/nowhere/figures.json"], '--json "/nowhere/figures.json": there is no such folder']
    ] as const)
      assert.throws(() => parseCommand(args), Misused, says)
  })

  it("runs what is named, and without names all but what takes long", () => {
    assert.deepStrictEqual(parseCommand(["years", "http", "--page"]), {
      kind: "run",
      names: ["http", "years"],
      named: ["years", "http"],
      json: undefined,
      page: true
    })
    const all = parseCommand([])
    assert.isTrue(all.kind === "run" && all.names.includes("http") && !all.names.includes("years"))
  })
})
