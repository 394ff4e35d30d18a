/** Loaded into a service before all else: tells its parent once a second what each of its threads holds. */
import { getHeapStatistics } from "node:v8"
import { isMainThread, type Worker } from "node:worker_threads"

/** MiB by thread, heap and Buffers together, and what the whole process has resident. */
export type Memory = Readonly<Record<string, number>>

const usedMiB = ({ external_memory, used_heap_size }: ReturnType<typeof getHeapStatistics>): number =>
  (used_heap_size + external_memory) / 2 ** 20

if (isMainThread && process.send !== undefined) {
  const threads = new Set<Worker>()
  process.on("worker", (worker) => {
    threads.add(worker)
    worker.once("exit", () => threads.delete(worker))
  })
  setInterval(async () => {
    const figures = await Promise.allSettled(
      [...threads].map(async (worker) => [
        worker.threadName ?? "unnamed",
        usedMiB(await worker.getHeapStatistics())
      ])
    )
    const memory: Memory = {
      main: usedMiB(getHeapStatistics()),
      ...Object.fromEntries(figures.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []))),
      resident: process.memoryUsage.rss() / 2 ** 20
    }
    if (process.connected) process.send?.(memory)
  }, 1000).unref()
}
