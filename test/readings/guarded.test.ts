/** Callbacks of Node that throw: the process goes on, and says so. */
import { once } from "node:events"
import { assert, describe, it } from "vitest"
import { callbackFailed, guarded } from "../../core/process/guarded.ts"

/** The next warning of Node, which is what the service logs. */
const warned = async (act: () => void): Promise<Error> => {
  const warning = once(process, "warning")
  act()
  const [first] = await warning
  return first
}

describe("a guarded callback", () => {
  it("passes on what it is called with", () => {
    const calls: Array<readonly [number, string]> = []
    guarded("it", (a: number, b: string) => calls.push([a, b]))(1, "x")
    assert.deepStrictEqual(calls, [[1, "x"]])
  })

  it("becomes a warning if it throws, and releases what it was about", async () => {
    const destroyed: Array<string> = []
    const callback = guarded(
      "a connection",
      (_: string) => {
        throw new Error("EMFILE: too many open files")
      },
      (socket) => destroyed.push(socket)
    )
    const { message, name } = await warned(() => callback("the socket"))
    assert.deepStrictEqual(
      [name, message],
      [callbackFailed, "a connection failed: EMFILE: too many open files"]
    )
    assert.deepStrictEqual(destroyed, ["the socket"])
  })

  it("becomes a warning if it rejects, or if letting go throws", async () => {
    const later = guarded("later", async () => Promise.reject(new Error("no")))
    assert.strictEqual((await warned(() => later())).message, "later failed: no")
    const both: Array<string> = []
    const listen = ({ message }: Error) => both.push(message)
    process.on("warning", listen)
    guarded(
      "twice",
      () => {
        throw new Error("first")
      },
      () => {
        throw new Error("second")
      }
    )()
    while (both.length < 2) await new Promise((done) => setImmediate(done))
    process.off("warning", listen)
    assert.deepStrictEqual(both, ["twice failed: first", "twice failed: second"])
  })
})
