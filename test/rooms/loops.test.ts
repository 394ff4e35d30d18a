/** Holds what the lint says of endless loops, of promises over I/O, of callbacks of Node and of NaN (`.biome/`). */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"

const top = new URL("../..", import.meta.url).pathname

const folder = mkdtempSync(join(tmpdir(), "plumbline-lint-"))
const plugins = ["loop", "promise", "callback", "unreadable"].map((rule) => join(top, `.biome/${rule}.grit`))
writeFileSync(join(folder, "biome.json"), JSON.stringify({ plugins }))

/** What the lint says of a file with this one expression. */
const lintOutput = (expression: string): string => {
  writeFileSync(
    join(folder, "sample.ts"),
    `import { Effect, Schedule } from "effect"\nexport const a = ${expression}\n`
  )
  const biome = join(top, "node_modules/.bin/biome")
  const { stderr, stdout } = spawnSync(biome, ["lint", "--colors=off", "sample.ts"], {
    cwd: folder,
    encoding: "utf8"
  })
  return stdout + stderr
}

const loops = "Use `loop` or `inBackground`"
const promises = "fails as a defect"
const callbacks = "What this callback throws ends the process"
const reasons = "NaN has no reason"

describe("the lint", () => {
  afterAll(() => rmSync(folder, { recursive: true }))

  it.each([
    "Effect.forever(Effect.void)",
    "Effect.void.pipe(Effect.forever)",
    'Effect.void.pipe(Effect.repeat(Schedule.spaced("1 minute")), Effect.forkScoped)',
    'Effect.repeat(Effect.void, Schedule.spaced("1 minute"))',
    "setInterval(() => {}, 1000)",
    'Effect.gen(function* () { while (true) { yield* Effect.sleep("1 minute") } })'
  ])("refuses an endless loop without the helper: %s", (expression) => {
    assert.include(lintOutput(expression), loops)
  })

  it.each([
    "Effect.repeat(Effect.void, { times: 3 })",
    'Effect.void.pipe(Effect.repeat({ schedule: Schedule.spaced("1 second"), while: () => true }))',
    'inBackground("it", "1 minute", Effect.void)'
  ])("lets a loop be that ends or has the helper: %s", (expression) => {
    assert.notInclude(lintOutput(expression), loops)
  })

  it.each(["Number.NaN", "NaN", "Number.isNaN(1)", "isNaN(1)", "[1].some(Number.isNaN)"])(
    "refuses %s",
    (expression) => assert.include(lintOutput(expression), reasons)
  )

  it("lets texts and forms be that name NaN", () => {
    assert.notInclude(lintOutput('[/\\bNaN\\b/, "NaN", Number.isFinite(1)]'), reasons)
  })

  it("refuses a promise over I/O, and lets our own modules be read", () => {
    assert.include(lintOutput('Effect.promise(() => readFile("x"))'), promises)
    assert.include(lintOutput('Effect.promise(async () => { await readFile("x") })'), promises)
    assert.notInclude(lintOutput('Effect.promise(() => import("./outside.ts"))'), promises)
    assert.notInclude(lintOutput('Effect.tryPromise(() => readFile("x"))'), promises)
  })

  it.each([
    "setTimeout(() => work(), 10)",
    "setInterval(work, 10)",
    "setImmediate(() => work())",
    "queueMicrotask(() => work())",
    "process.nextTick(() => work())",
    'emitter.on("data", (part) => { work(part) })',
    'emitter.once("close", work)',
    'socket.addEventListener("message", ({ data }) => work(data))',
    'process.on("message", work)'
  ])("refuses a callback of Node that is not guarded: %s", (expression) => {
    assert.include(lintOutput(expression), callbacks)
  })

  it.each([
    'setTimeout(guarded("it", () => work()), 10)',
    'emitter.on("data", guarded("it", (part) => { work(part) }))',
    'emitter.once("exit", (code) => resume(Effect.succeed(code)))',
    'emitter.on("error", () => socket.destroy())',
    "setTimeout(resolve, 10)"
  ])("lets a callback be that is guarded, or only settles: %s", (expression) => {
    assert.notInclude(lintOutput(expression), callbacks)
  })
})
