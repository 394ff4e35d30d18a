/** Charges the growth of the thread's memory to the plugin whose code was running. */
import { getHeapStatistics } from "node:v8"
import * as Heartbeat from "./Heartbeat.ts"

const kibibytes = (): number => {
  const { external_memory, used_heap_size } = getHeapStatistics()
  return Math.round((used_heap_size + external_memory) / 1024)
}

let previous = kibibytes()

/** Charges the growth since the last call to the plugin that ran last. Call it before another plugin's code runs. */
export const charge = (heartbeat: Heartbeat.Heartbeat): void => {
  const now = kibibytes()
  Heartbeat.grow(heartbeat, now - previous)
  previous = now
}
