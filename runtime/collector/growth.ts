/** Charges what the thread's memory grows by to the plugin in whose steps it grew. */
import { getHeapStatistics } from "node:v8"
import * as Heartbeat from "./Heartbeat.ts"

const kibibytes = (): number => {
  const { external_memory, used_heap_size } = getHeapStatistics()
  return Math.round((used_heap_size + external_memory) / 1024)
}

let seen = kibibytes()

/** To be called before another plugin's code runs, and now and then: what came since goes to the one that ran last. */
export const charge = (heartbeat: Heartbeat.Heartbeat): void => {
  const now = kibibytes()
  Heartbeat.grow(heartbeat, now - seen)
  seen = now
}
