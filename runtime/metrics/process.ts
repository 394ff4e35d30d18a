/** Metrics of the process and its threads, under the names that Prometheus's clients use where they have one. */
import { Effect, Layer, Metric } from "effect"
import packageJson from "../../package.json" with { type: "json" }
import { hearThreads } from "./threads.ts"

const heap = Metric.gauge("plumbline_thread_heap_bytes", { description: "Heap in use, by thread" })
const external = Metric.gauge("plumbline_thread_external_bytes", {
  description: "Memory outside the heap, such as buffers, by thread"
})
const delay = Metric.gauge("plumbline_thread_delay_seconds", {
  description: "Event-loop delay of the last seconds, by thread: its 99th percentile and its longest"
})

/** Reads a file: where the process has no descriptor left, what was read last stays. */
const residentBytes = (() => {
  let last = 0
  return () => {
    try {
      last = process.memoryUsage.rss()
    } catch {
      // Others of these metrics show why.
    }
    return last
  }
})()

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const context = yield* Effect.context<never>()
    const read = (
      id: string,
      description: string,
      get: () => number,
      attributes: Metric.Metric.AttributeSet = {}
    ) =>
      Metric.registerUnsafe(Metric.gauge(id, { description, attributes }), context, {
        get: () => ({ value: get() }),
        update: () => {},
        modify: () => {}
      })
    const registered = [
      read("process_resident_memory_bytes", "Resident memory", residentBytes),
      read(
        "process_start_time_seconds",
        "Start time in seconds since 1970",
        () => performance.timeOrigin / 1000
      ),
      read("plumbline_build_info", "The version that runs", () => 1, { version: packageJson.version }),
      Metric.registerUnsafe(
        Metric.counter("process_cpu_seconds_total", {
          description: "CPU time of all threads",
          incremental: true
        }),
        context,
        {
          get: () => {
            const { system, user } = process.cpuUsage()
            return { count: (system + user) / 1e6, incremental: true }
          },
          update: () => {},
          modify: () => {}
        }
      )
    ]
    const stop = hearThreads("main", ({ delaySeconds, externalBytes, heapBytes, thread }) => {
      Metric.withAttributes(heap, { thread }).updateUnsafe(heapBytes, context)
      Metric.withAttributes(external, { thread }).updateUnsafe(externalBytes, context)
      Metric.withAttributes(delay, { thread, of: "p99" }).updateUnsafe(delaySeconds.p99, context)
      Metric.withAttributes(delay, { thread, of: "max" }).updateUnsafe(delaySeconds.max, context)
    })
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        stop()
        for (const one of registered) one.remove()
      })
    )
  })
)
