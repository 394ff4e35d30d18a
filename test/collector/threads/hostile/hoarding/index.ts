import { Effect } from "effect"
import * as Plugin from "../../../../../core/plugin/Plugin.ts"

const kept: Array<Buffer> = []

export default Plugin.define({
  id: "hoarding",
  title: "Hoarding",
  covers: { networks: ["SMP"] },
  tier: "supply_telemetry",
  source: "sample",
  hosts: [],
  every: "1 minute",
  metrics: {},
  grade: "A",
  owner: "plumbline",
  // Until the thread is ended: on the heap, which has a limit of its own, there is next to nothing of it.
  collect: () =>
    Effect.forever(
      Effect.andThen(
        Effect.sync(() => kept.push(Buffer.alloc(2 ** 20))),
        Effect.sleep("5 millis")
      )
    )
})
