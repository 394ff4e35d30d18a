import { Effect } from "effect"
import * as Plugin from "../../../../../core/plugin/Plugin.ts"
import { sample } from "../../sample.ts"

export default Plugin.define({
  ...sample,
  id: "hungry",
  source: "hungry",
  title: "Hungry",
  collect: () =>
    Effect.sync(() => {
      const hoard: Array<ReadonlyArray<number>> = []
      while (hoard.length < 1e9) hoard.push(new Array<number>(100_000).fill(0.5))
      return []
    })
})
