/** Code of a plugin that never returns: a loop without an end, and a promise that nothing settles. */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { Plugin } from "../../core/plugin/index.ts"
import * as Plugins from "../../runtime/collector/plugins.ts"
import * as Fixtures from "../../runtime/contributor/fixtures.ts"
import { manifest } from "../support/runs.ts"

const collector = new URL("../../runtime/collector/", import.meta.url).href

const impatient = Effect.provideService(Plugins.Patience, Duration.millis(50))

const folderWith = (index: string): string => {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-endless-"))
  mkdirSync(join(folder, "endless"))
  writeFileSync(join(folder, "endless/index.ts"), index)
  return folder
}

/** Runs a script in a process of its own, in a folder with the packages of this project. */
const run = (folder: string, script: string) => {
  writeFileSync(join(folder, "run.mjs"), script)
  symlinkSync(fileURLToPath(new URL("../../node_modules", import.meta.url)), join(folder, "node_modules"))
  return spawnSync(process.execPath, [join(folder, "run.mjs")], {
    encoding: "utf8",
    // Of a hang: before that a busy machine may take long to start it.
    timeout: 100_000,
    killSignal: "SIGTERM"
  })
}

describe("a plugin that never returns", () => {
  it("ends the process that runs it, which names it", () => {
    const folder = folderWith("while (true) {}\n")
    const script = `
      import { Effect } from "effect"
      import { read } from "${collector}plugins.ts"
      import { watched } from "${collector}watch.ts"
      await Effect.runPromise(watched("endless", Effect.void, 300))
      await Effect.runPromise(read("endless", new URL("${pathToFileURL(folder).href}/")))`
    const { signal, stderr } = run(folder, script)
    assert.strictEqual(signal, "SIGKILL", stderr)
    assert.match(stderr, /plugins\/endless\/index\.ts does not return: still running after \d+ s/)
  })

  it("is told from short pieces that keep the loop of their thread from turning", () => {
    const script = `
      import { Effect } from "effect"
      import { watched } from "${collector}watch.ts"
      const until = Date.now() + 1500
      while (Date.now() < until) {
        await Effect.runPromise(watched("short", Effect.sync(() => { const end = Date.now() + 5; while (Date.now() < end) {} }), 300))
      }`
    const { signal, status, stderr } = run(folderWith(""), script)
    assert.deepStrictEqual([signal, status], [null, 0], stderr)
  })

  it.effect("because its import waits is broken, and says so", () =>
    Effect.gen(function* () {
      const folder = pathToFileURL(`${folderWith("await new Promise(() => {})\nexport default {}\n")}/`)
      const { message } = yield* Effect.flip(Plugins.read("endless", folder))
      assert.include(message, "index.ts does not return: its import still waits after 0.05 s")
    }).pipe(impatient)
  )

  it.effect("because its run waits gives an error in place of rows", () =>
    Effect.gen(function* () {
      const plugin = Plugin.define({ ...manifest, collect: () => Effect.never })
      const tape = { now: 0, targets: [], settings: {}, exchanges: [] }
      const rows = yield* Fixtures.replay(plugin, tape)
      assert.isTrue("error" in rows && rows.error === "NotReturning", JSON.stringify(rows))
    }).pipe(impatient)
  )
})
