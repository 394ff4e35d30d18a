/** The verifier as a program: what needs more memory or time than it may use is not proved, and a fault of its own is no verdict. */
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { main } from "../../http/client/verifier/src/cli.ts"

const top = new URL("../../", import.meta.url).pathname
const folder = mkdtempSync(join(tmpdir(), "plumbline-bounds-"))
const large = join(folder, "large.json")

/** Takes no answer at all. */
const mute = createServer(() => {})

afterAll(() => {
  rmSync(folder, { recursive: true })
  mute.close()
  mute.closeAllConnections()
})

const run = (program: string, ...args: ReadonlyArray<string>) =>
  new Promise<{ readonly exit: unknown; readonly text: string }>((done) =>
    execFile(process.execPath, [program, "verify", ...args], { cwd: top }, (error, out, err) =>
      done({ exit: error?.code ?? 0, text: out + err })
    )
  )

describe.each(["runtime/bin.ts", "http/client/verifier/src/cli.ts"])("%s", (program) => {
  it("ends without a verdict where it needs more memory, in words and as JSON", async () => {
    // As long as a text may be, of what takes many times as much in memory.
    writeFileSync(large, `[${"[1],".repeat(4_000_000)}0]`)
    const inWords = await run(program, "bundle", large, "--memory", "64")
    assert.strictEqual(inWords.exit, 2, inWords.text)
    assert.match(inWords.text, /^not proved +it needs more than 64 MiB of memory; --memory allows more\n$/)
    const asJson = await run(program, "bundle", large, "--memory", "64", "--json")
    assert.strictEqual(asJson.exit, 2, asJson.text)
    assert.deepInclude(JSON.parse(asJson.text), { verdict: "not proved", exit: 2 })
    const enough = await run(program, "bundle", large)
    assert.strictEqual(enough.exit, 1, enough.text)
    assert.strictEqual(enough.text.trim().split("\n").length, 1)
  })

  it("ends without a verdict after its time", async () => {
    await new Promise<void>((listening) => mute.listen(0, "127.0.0.1", listening))
    const address = mute.address()
    const port = typeof address === "object" ? address?.port : undefined
    const late = await run(
      program,
      "monitor",
      "--once",
      "--url",
      `http://127.0.0.1:${port}`,
      "--minutes",
      "0.02"
    )
    mute.close()
    mute.closeAllConnections()
    assert.strictEqual(late.exit, 2, late.text)
    assert.match(late.text, /^not proved +it took longer than 0.02 minutes; --minutes allows more\n$/)
  })

  it("watches on where a look takes too long, until it is told to stop", async () => {
    const quiet = createServer(() => {})
    await new Promise<void>((listening) => quiet.listen(0, "127.0.0.1", listening))
    const address = quiet.address()
    const port = typeof address === "object" ? address?.port : undefined
    const url = `http://127.0.0.1:${port}`
    const watching = spawn(
      process.execPath,
      [program, "verify", "monitor", "--url", url, "--minutes", "0.02"],
      { cwd: top }
    )
    const ended = once(watching, "exit")
    let text = ""
    for await (const part of watching.stdout.setEncoding("utf8").iterator({ destroyOnReturn: false })) {
      text += part
      if (text.includes("\n")) break
    }
    assert.match(text, /^not proved +it took longer than 0.02 minutes; --minutes allows more\n$/)
    assert.isNull(watching.exitCode)
    watching.kill("SIGTERM")
    assert.deepStrictEqual(await ended, [2, null])
    quiet.close()
    quiet.closeAllConnections()
  })

  it("has no bound that is no number", async () => {
    for (const [option, value] of [
      ["--memory", "much"],
      ["--memory", "-1"],
      ["--minutes", "0"],
      ["--minutes", ""]
    ] as const) {
      const refused = await run(program, "bundle", large, `${option}=${value}`)
      assert.strictEqual(refused.exit, 2, refused.text)
      assert.include(refused.text, `${option} must be`)
    }
  })
})

describe("a fault of the verifier itself", () => {
  it("is not proved", async () => {
    const lines: Array<string> = []
    const exit = await main(
      ["value", "--symbol", "FIL", "--metric", "m", "--date", "20260905", "--url", "http://a"],
      {
        print: (line) => void lines.push(line),
        env: {},
        get: () => Promise.reject(new RangeError("Maximum call stack size exceeded"))
      }
    )
    assert.strictEqual(exit, 2)
    assert.deepStrictEqual(lines, ["not proved   the verifier failed: Maximum call stack size exceeded"])
  })
})
