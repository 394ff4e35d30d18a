/** `plumbline rollout` with processes that a program restarts. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { freePort } from "../support/freePort.ts"
import { plumblineHere } from "../support/plumbline.ts"

/** Appends what it is told to a file; where there is a file `stuck-<name>`, the process does not come back. */
const program = `
import { appendFileSync, existsSync, writeFileSync } from "node:fs"
const [, , folder, name] = process.argv
appendFileSync(folder + "/restarts", name + "\\n")
writeFileSync(folder + "/away-" + name, existsSync(folder + "/stuck-" + name) ? "1000000" : "2")
`

/** Processes that answer 503 as often as the file of their restart says. */
const processes = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "plumbline-rollout-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true }))
  )
  writeFileSync(join(folder, "restart.mjs"), program)
  const named = yield* Effect.forEach(["a", "b", "c"], (name) =>
    Effect.gen(function* () {
      const port = yield* Effect.promise(freePort)
      const server = createServer((_, answer) => {
        const away = join(folder, `away-${name}`)
        const left = existsSync(away) ? Number(readFileSync(away, "utf8")) : 0
        if (left > 0) writeFileSync(away, String(left - 1))
        answer.writeHead(left > 0 ? 503 : 200).end(left > 0 ? "starting" : "{}")
      })
      yield* Effect.acquireRelease(
        Effect.callback<void>((resume) => void server.listen(port, "127.0.0.1", () => resume(Effect.void))),
        () => Effect.sync(() => server.close())
      )
      return `${name}=127.0.0.1:${port}`
    })
  )
  const restarts = () =>
    existsSync(join(folder, "restarts")) ? readFileSync(join(folder, "restarts"), "utf8").split("\n") : []
  const roll = (...args: ReadonlyArray<string>) =>
    plumblineHere(
      {},
      "rollout",
      ...args,
      "--restart",
      `${process.execPath} ${join(folder, "restart.mjs")} ${folder} {}`
    )
  return { folder, named, restarts, roll }
})

it.live("each process is restarted once the one before is ready again, and none after one that is not", () =>
  Effect.gen(function* () {
    const { folder, named, restarts, roll } = yield* processes
    const all = yield* roll(...named)
    assert.deepStrictEqual([all.code, all.err], [0, ""])
    assert.strictEqual(all.out, "a is ready again\nb is ready again\nc is ready again\n")
    assert.deepStrictEqual(restarts(), ["a", "b", "c", ""])

    writeFileSync(join(folder, "stuck-b"), "")
    const stopped = yield* roll(...named, "--patience", "1")
    assert.strictEqual(stopped.code, 1)
    assert.match(
      stopped.err,
      /^plumbline: 127\.0\.0\.1:\d+ is not ready \(503\): starting; the processes after it were left/
    )
    assert.deepStrictEqual(restarts().slice(3), ["a", "b", ""])

    // Nothing is restarted while one is away.
    const refused = yield* roll(...named)
    assert.strictEqual(refused.code, 1)
    assert.deepStrictEqual(restarts().slice(3), ["a", "b", ""])

    const wrong = yield* roll("8081")
    assert.match(wrong.err, /"8081" is not a process \(expected e\.g\. 1=127\.0\.0\.1:8081\)/)
  }).pipe(Effect.scoped)
)
