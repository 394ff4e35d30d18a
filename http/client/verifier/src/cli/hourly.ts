/** `verify monitor` until it is told to stop: a look every hour, each within its own bounds of memory and time. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { hour } from "../../../../../core/proof/time.ts"
import type { Values } from "./options.ts"

/**
 * Has `look` look with these arguments besides, every hour; gives the exit code of the last look. What was seen goes from one look to the
 * next in the file of `--state`, or in one that ends with the command.
 */
export const lookHourly = async (
  { state }: Values,
  look: (more: ReadonlyArray<string>) => Promise<number>
): Promise<number> => {
  const stop = new AbortController()
  const ended = () => stop.abort()
  process.once("SIGINT", ended).once("SIGTERM", ended)
  const folder = state === undefined ? await mkdtemp(join(tmpdir(), "plumbline-monitor-")) : undefined
  const more = ["--once", ...(folder === undefined ? [] : ["--state", join(folder, "state.json")])]
  try {
    while (true) {
      const exit = await look(more)
      try {
        await sleep(hour, undefined, { signal: stop.signal })
      } catch {
        return exit
      }
    }
  } finally {
    process.off("SIGINT", ended).off("SIGTERM", ended)
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  }
}
