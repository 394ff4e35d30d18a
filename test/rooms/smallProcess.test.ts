/** However the service is started, it keeps little memory that it does not need. */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { demoFlag, flag } from "../../runtime/cli/smallProcess.ts"

const file = (name: string) => fileURLToPath(new URL(`../../runtime/${name}`, import.meta.url))

const output = (args: ReadonlyArray<string>, options = ""): string => {
  // A service that gets as far as its settings ends there.
  const env = { PATH: process.env["PATH"], PORT: "none", NODE_OPTIONS: options }
  return spawnSync(process.execPath, args, { env, encoding: "utf8" }).stdout.trimEnd()
}

describe("the process", () => {
  it("of serve begins anew with the flag, that of the demo with its own", () => {
    // What is imported before anything else tells the flag, and ends the second beginning.
    const script = "console.log(process.execArgv.join());if(process.execArgv.length>1)process.exit()"
    const early = `--import=data:text/javascript,${script}`
    const begun = (...args: ReadonlyArray<string>) =>
      output(["--no-warnings", file("bin.ts"), "serve", ...args], early)
    assert.strictEqual(begun(), ["--no-warnings", `${flag},--no-warnings`].join("\n"))
    assert.strictEqual(begun("--replay"), ["--no-warnings", `${demoFlag},--no-warnings`].join("\n"))
  })

  it("keeps the size that was chosen for it", () => {
    const script = `import { keepSmall } from "${file("cli/smallProcess.ts")}"
      keepSmall()
      console.log(process.execArgv.filter((word) => word.startsWith("--max")).join())`
    const chosenFlags = (args: ReadonlyArray<string>, options?: string) =>
      output([...args, "--input-type=module", "--eval", script], options)
    assert.strictEqual(chosenFlags([]), flag)
    for (const chosen of ["--max-semi-space-size=32", "--max_semi_space_size=32"]) {
      assert.strictEqual(chosenFlags([chosen]), chosen)
    }
    assert.strictEqual(chosenFlags([], "--max-semi-space-size=32"), "")
  })

  it("loads no type stripper once its code is cached, and keeps what the operator set", () => {
    const folder = mkdtempSync(join(tmpdir(), "plumbline-cache-"))
    try {
      const script = join(folder, "script.ts")
      writeFileSync(
        script,
        `import { keepSmall } from "${file("cli/smallProcess.ts")}"
        keepSmall()
        const stripper: boolean = process.moduleLoadList.some((name: string) => name.includes("amaro"))
        console.log(stripper, process.env["MALLOC_ARENA_MAX"], process.env["MALLOC_TRIM_THRESHOLD_"])`
      )
      const started = (more: NodeJS.ProcessEnv = {}) =>
        spawnSync(process.execPath, ["--no-warnings", script], {
          env: { PATH: process.env["PATH"], TMPDIR: folder, ...more },
          encoding: "utf8"
        }).stdout.trimEnd()
      assert.strictEqual(started(), "true 2 131072")
      assert.strictEqual(started(), "false 2 131072")
      assert.strictEqual(started({ MALLOC_ARENA_MAX: "8" }), "false 8 131072")
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it("releases a collector thread's compiled code once it is loaded, and keeps it for a start after a kill", () => {
    const folder = mkdtempSync(join(tmpdir(), "plumbline-cache-"))
    try {
      const [cache, plugins] = [join(folder, "cache"), join(folder, "plugins")]
      mkdirSync(plugins)
      // Node writes the main thread's at its end alone, which does not come: the first file is the collector thread's.
      const script = join(folder, "script.ts")
      writeFileSync(
        script,
        `import { watch } from "node:fs"
        import { start } from "${file("collector/thread.ts")}"
        watch(${JSON.stringify(cache)}, { recursive: true }).once("change", () => {
          console.log("written")
          process.kill(process.pid, "SIGKILL")
        })
        console.log(await start({ folder: new URL("${pathToFileURL(plugins).href}/") }).ended)`
      )
      const { stdout } = spawnSync(process.execPath, [script], {
        env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: cache },
        encoding: "utf8",
        // Of a hang: before that a busy machine may take long to start it.
        timeout: 100_000
      })
      assert.strictEqual(stdout.trimEnd(), "written")
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
