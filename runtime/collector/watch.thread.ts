/** Watches from another thread whether the main one's loop turns while code of a plugin runs. */
import { writeSync } from "node:fs"
import { parentPort, workerData } from "node:worker_threads"

const { after, state } = workerData as { readonly after: number; readonly state: Int32Array }

let plugin = ""
parentPort?.on("message", (name: string) => {
  plugin = name
})

/** Looks that this thread takes in the time that is waited; a machine that stood still takes none, so its rest is nobody's loop. */
const looks = 15

let last = -1
let alike = 0
// biome-ignore lint/plugin/loop: a thread of its own, which ends with the process
setInterval(() => {
  const now = Atomics.load(state, 0)
  alike = now === last && Atomics.load(state, 1) > 0 ? alike + 1 : 0
  last = now
  if (alike >= looks) {
    const seconds = Math.round(after / 1000)
    writeSync(
      2,
      `\nplumbline: plugins/${plugin}/index.ts does not return: still running after ${seconds} s; look for a loop without an end\n`
    )
    process.kill(process.pid, "SIGKILL")
  }
}, after / looks)
