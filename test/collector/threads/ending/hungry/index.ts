import { Effect } from "effect"
import * as Plugin from "../../../../../core/plugin/Plugin.ts"
import { sample } from "../../sample.ts"

export default Plugin.define({
  ...sample,
  id: "hungry",
  title: "Hungry",
  collect: () =>
    Effect.sync(() => {
      const kept: Array<ReadonlyArray<number>> = []
      while (kept.length < 1e9) kept.push(Array.from({ length: 1000 }, Math.random))
      return []
    })
})
