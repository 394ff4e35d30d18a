/**
 * Memory and event-loop delay of every thread. Each thread reports its own on a channel that all threads of the process
 * share, so no protocol between two of them has to carry it.
 */
import { monitorEventLoopDelay } from "node:perf_hooks"
import { getHeapStatistics } from "node:v8"
import { BroadcastChannel } from "node:worker_threads"
import { guarded } from "../../core/process/guarded.ts"

const channelName = "plumbline/threads"
const everyMillis = 5000

export interface ThreadReport {
  readonly thread: string
  readonly heapBytes: number
  /** Buffers and other memory outside the heap. */
  readonly externalBytes: number
  /** The 99th percentile and the longest of the last seconds. */
  readonly delaySeconds: { readonly p99: number; readonly max: number }
}

const isReport = (value: unknown): value is ThreadReport =>
  typeof value === "object" && value !== null && "thread" in value && "delaySeconds" in value

/** The delay that the monitor itself has: it measures in steps of this many milliseconds. */
const resolution = 20

const makeReport = (thread: string): (() => ThreadReport) => {
  const delay = monitorEventLoopDelay({ resolution })
  delay.enable()
  const seconds = (nanos: number): number => Math.max(0, nanos / 1e9 - resolution / 1000)
  return () => {
    // `process.memoryUsage` says the same, but it also reads the resident memory from a file, and throws where the process
    // has no descriptor left.
    const { external_memory, used_heap_size } = getHeapStatistics()
    const delaySeconds = { p99: seconds(delay.percentile(99)), max: seconds(delay.max) }
    delay.reset()
    return { thread, heapBytes: used_heap_size, externalBytes: external_memory, delaySeconds }
  }
}

/** Reports on this thread from now on. It does not keep the thread alive. */
export const reportThread = (thread: string): void => {
  const channel = new BroadcastChannel(channelName)
  channel.unref()
  const report = makeReport(thread)
  const post = guarded("the report of a thread", () => channel.postMessage(report()))
  // biome-ignore lint/plugin: a guarded loop of every thread, most of which run no fiber
  setInterval(post, everyMillis).unref()
}

/** Hears the reports of all other threads, and makes those of this one. */
export const hearThreads = (thread: string, onReport: (report: ThreadReport) => void): (() => void) => {
  const channel = new BroadcastChannel(channelName)
  channel.unref()
  channel.onmessage = guarded("the report of a thread", (message: unknown) => {
    const data: unknown = Object(message).data
    if (isReport(data)) onReport(data)
  })
  const report = makeReport(thread)
  const look = guarded("the report of a thread", () => onReport(report()))
  // biome-ignore lint/plugin: a guarded loop that ends with the process
  const timer = setInterval(look, everyMillis)
  timer.unref()
  return () => {
    clearInterval(timer)
    channel.close()
  }
}
