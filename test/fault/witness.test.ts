/** A witness that is killed, whatever it was doing, never signs a second history. */
import { type ChildProcess, spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeLog, newWitness, post, stateOf } from "../support/witness.ts"

const bin = new URL("../../runtime/bin.ts", import.meta.url).pathname

/** Starts the command in a process of its own; gives its address when it listens. */
const start = async (folder: string): Promise<{ readonly child: ChildProcess; readonly address: string }> => {
  const child = spawn(process.execPath, [bin, "witness", "serve", folder, "--port", "0"], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  for await (const line of createInterface({ input: child.stdout })) {
    const address = /at (http:\S+)$/.exec(line)?.[1]
    if (address !== undefined) return { child, address }
  }
  throw new Error("the witness did not start")
}

const kill = (child: ChildProcess) =>
  new Promise<void>((resolve) => {
    child.once("exit", () => resolve())
    child.kill("SIGKILL")
  })

const sizeIn = (folder: string): number => Number(/\\n(\d+)\\n/.exec(stateOf(folder))?.[1] ?? 0)

describe("a witness", () => {
  it.live(
    "killed when its state is on disk and its answer is not yet out goes on from that state",
    () =>
      Effect.gen(function* () {
        const log = makeLog("log.example/killed")
        const { folder } = yield* newWitness([log.vkey])
        let answered = 0
        for (const round of [1, 2, 3, 4]) {
          const { address, child } = yield* Effect.promise(() => start(folder))
          const sizeBefore = sizeIn(folder)
          // Whatever was answered before a kill is never forgotten.
          assert.isAtLeast(sizeBefore, answered)
          // Heads follow each other as fast as they go, until one is on disk: then the process dies at once.
          const climbing = (async () => {
            for (let size = sizeBefore; ; size++) {
              const response = await fetch(`${address}/add-checkpoint`, {
                method: "POST",
                body: log.body(size, size + 1)
              }).catch(() => undefined)
              if (response?.status !== 200) return
              answered = size + 1
            }
          })()
          while (sizeIn(folder) < sizeBefore + round * 3) yield* Effect.sleep("1 millis")
          yield* Effect.promise(() => kill(child))
          yield* Effect.promise(() => climbing)
          assert.isAtLeast(sizeIn(folder), answered)
        }
        const { address, child } = yield* Effect.promise(() => start(folder))
        const size = sizeIn(folder)
        const fork = yield* post(address, log.forked(0).body(size, size + 1))
        assert.strictEqual(fork.status, 422)
        // The head whose answer was lost is signed again.
        assert.strictEqual((yield* post(address, log.body(size, size))).status, 200)
        assert.strictEqual((yield* post(address, log.body(size, size + 1))).status, 200)
        yield* Effect.promise(() => kill(child))
      }),
    120_000
  )
})
