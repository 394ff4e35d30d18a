import { setTimeout as sleep } from "node:timers/promises"
import { monitor } from "../monitor.ts"
import { type Surroundings, trustOf } from "./inputs.ts"
import type { Values } from "./options.ts"
import { plain } from "./print.ts"

/** Looks for `verify monitor`, until it ends or is told to stop. */
export const watch = async (values: Values, io: Surroundings): Promise<number> => {
  const { get, print } = io
  const stop = new AbortController()
  const ended = () => stop.abort()
  process.once("SIGINT", ended).once("SIGTERM", ended)
  const { stderr } = process
  const showLine =
    io.progress ??
    ((line: string) => {
      if (stderr.isTTY) stderr.write(`\r\u001b[K${line}`)
    })
  const progress = (line: string) => showLine(plain(line).slice(0, 100))
  try {
    const options = { ...values, logOnly: values["log-only"], trust: await trustOf(values) }
    const { signal } = stop
    const wait = (ms: number) => sleep(ms, undefined, { signal })
    return await monitor(options, { print, progress, get, now: Date.now, wait, signal })
  } finally {
    process.off("SIGINT", ended).off("SIGTERM", ended)
  }
}
