import process from "node:process"
import { Effect } from "effect"
import * as Plugin from "../../../../../core/plugin/Plugin.ts"
import { sample } from "../../sample.ts"

export default Plugin.define({
  ...sample,
  id: "exiting",
  source: "exiting",
  title: "Exiting",
  collect: () => Effect.sync(() => process.exit(0))
})
