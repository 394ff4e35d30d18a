import { Effect } from "effect"
import * as Plugin from "../../../../../core/plugin/Plugin.ts"
import { sample } from "../../sample.ts"

/** Leaves a timer and a promise behind that fail when nobody looks. */
export default Plugin.define({
  ...sample,
  id: "stray",
  source: "stray",
  title: "Stray",
  collect: () =>
    Effect.sync(() => {
      setTimeout(() => {
        throw new Error("from a timer")
      }, 1)
      void Promise.reject(new Error("from a promise"))
      return []
    })
})
