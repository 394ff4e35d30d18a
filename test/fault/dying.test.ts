import { fork } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inject } from "vitest"

/** How the process ends, and what it says, once its database's thread has ended like that. */
const outcome = (how: string) =>
  Effect.promise(
    () =>
      new Promise<{ code: number | null; stderr: string }>((resolve) => {
        const child = fork(new URL("dying.ts", import.meta.url), [how, inject("pgliteDump")], {
          silent: true,
          execPath: process.execPath
        })
        let stderr = ""
        child.stderr?.on("data", (text) => {
          stderr += String(text)
        })
        child.once("message", () => child.send("die"))
        child.once("close", (code) => resolve({ code, stderr }))
      })
  )

describe("an embedded database that dies", () => {
  it.live.each(["exit", "error"])("ends the process, which says so (%s)", (how) =>
    Effect.gen(function* () {
      const { code, stderr } = yield* outcome(how)
      assert.strictEqual(code, 1)
      assert.match(
        stderr,
        /^plumbline: the embedded database stopped: .*Committed data is safe; start again\.\n$/
      )
    })
  )
})
