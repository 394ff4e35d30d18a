/** The commands of `README.md` and the keys that the demo prints for them. */
import { execFile } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as DataClock from "../../core/clock/DataClock.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { LogKey } from "../../core/log/Log.ts"
import { RunLog } from "../../core/log/RunLog.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import { pinsOf } from "../../runtime/demo/pins.ts"
import { commands } from "../../runtime/plumbline.ts"
import { rotateLog } from "../../runtime/service/newKeys.ts"
import { startDemo } from "../support/demo.ts"
import { freePort } from "../support/freePort.ts"
import * as Runs from "../support/runs.ts"
import { Service } from "../support/service.ts"
import { runToEnd } from "../support/tools.ts"

const top = new URL("../..", import.meta.url).pathname
const page = readFileSync(`${top}README.md`, "utf8")
const local = "http://127.0.0.1:8080"

/** The command of the page that begins so, for the service of a test, with the keys of a terminal. */
const commandOf = (beginning: string, base: string, terminal: string): string => {
  const [line = ""] = page.match(new RegExp(`^${beginning}.*$`, "m")) ?? []
  const kid = (purpose: string) => terminal.match(new RegExp(`^ +${purpose}: +(\\S+)$`, "m"))?.[1] ?? ""
  return line
    .replaceAll(local, base)
    .replace("<answers key>", kid("answers"))
    .replace("<log key>", kid("log"))
}

const lastLine = (script: string) =>
  Effect.promise(() => promisify(execFile)("bash", ["-euo", "pipefail", "-c", script], { cwd: top })).pipe(
    Effect.map(({ stdout }) => stdout.trimEnd().split("\n").at(-1))
  )

describe("the first page", () => {
  it("is short, and its first example ends with holds", () => {
    assert.isAtMost(page.split(/\s+/).length, 600)
    const [, printed] = /```text\n(.*?)\n```/s.exec(page) ?? []
    assert.strictEqual(printed, "holds")
  })

  it("names files, commands and scripts that exist", () => {
    const { scripts } = JSON.parse(readFileSync(`${top}package.json`, "utf8"))
    for (const [, path = ""] of page.matchAll(/\]\(([^)#]+)/g))
      assert.isTrue(existsSync(join(top, path)), path)
    for (const [, command = ""] of page.matchAll(/npx plumbline (\w+)/g)) assert.property(commands, command)
    for (const [, script = ""] of page.matchAll(/npm run (\w+)/g)) assert.property(scripts, script)
  })

  it("says what the packages take", () => {
    const [, gigabytes = ""] = /in all (\d+) GB/.exec(page) ?? []
    const { out } = runToEnd("du", ["-sm", "--dereference-args", join(top, "node_modules")])
    const real = Number.parseInt(out, 10) / 1000
    assert.isAtMost(Math.abs(Number(gigabytes) - real), 0.2)
  })

  it.live(
    "has an answer of a demo verified by the key on its terminal, which takes no more than the page says",
    () =>
      Effect.gen(function* () {
        const { base, folder, pid, terminal } = yield* startDemo("verify value")
        const command = commandOf("npx plumbline verify response", base, terminal)
        assert.strictEqual(yield* lastLine(command), "holds")
        // The line that the terminal has ready is the same command, with the program as it was called.
        assert.include(terminal, command.replace("npx plumbline ", ""))
        const [, memory = "", disk = ""] = /([\d.]+) GB of memory, and ([\d.]+) GB in \.demo/.exec(page) ?? []
        const [, peak = ""] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? []
        assert.isAtMost(Number(peak) / 1e6, Number(memory))
        const { out } = runToEnd("du", ["-sm", join(folder, "demo")])
        assert.isAtMost(Number.parseInt(out, 10) / 1000, Number(disk))
        const other = command.replace(/--key=.*/, `--key=${"A".repeat(43)}`)
        assert.notStrictEqual(yield* lastLine(`${other} || true`), "holds")
      }),
    120_000
  )
})

const reachable = RunLog.layer.pipe(
  Layer.provideMerge(Layer.unwrap(Effect.map(Effect.promise(freePort), (port) => Service.layer({ port }))))
)

layer(reachable)("the value of a closed day", (it) => {
  it.effect("is verified by the log's key on the terminal, before and after a rotation", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 8, 5, 8))
      const row = Runs.row(1, "2026-09-03T01:00:00Z", {
        symbol: "FIL",
        metric: "active_storage_providers",
        source: "made-up"
      })
      yield* (yield* Ingest).write(Runs.delivery(Date.UTC(2026, 8, 4), [row], "made-up"))
      yield* Effect.andThen(RunLog, ({ run }) => run)
      yield* (yield* DailyClose).run
      const base = `http://127.0.0.1:${(yield* Service).port}`
      const { keys } = yield* LogKey
      const command = Effect.sync(() => commandOf("npx plumbline verify value", base, pinsOf(base, keys())))
      const before = yield* command
      assert.strictEqual(yield* lastLine(before), "holds")
      yield* rotateLog(yield* DataClock.now)
      const after = yield* command
      assert.notStrictEqual(after, before)
      assert.strictEqual(yield* lastLine(after), "holds")
    })
  )
})
