import { Effect } from "effect"
import * as Plugin from "../../../../../core/plugin/Plugin.ts"
import { sample } from "../../sample.ts"

const hoard: Array<Buffer> = []

export default Plugin.define({
  ...sample,
  id: "hoarding",
  source: "hoarding",
  title: "Hoarding",
  // Until the thread is ended: on the heap, which has a limit of its own, there is next to nothing of it.
  collect: () =>
    Effect.forever(
      Effect.andThen(
        Effect.sync(() => hoard.push(Buffer.alloc(2 ** 20))),
        Effect.sleep("5 millis")
      )
    )
})
