/** Makes one row every 100 ms, whatever happens beside it. */
import { Effect } from "effect"
import * as Plugin from "../../../core/plugin/Plugin.ts"
import * as Upstream from "../../../core/plugin/Upstream.ts"
import { sample } from "./sample.ts"

export default Plugin.define({
  ...sample,
  id: "calm",
  source: "calm",
  title: "Calm",
  every: "100 millis",
  collect: (observe) =>
    Effect.map(Upstream.text("https://api.sample.test/v1"), (answer) =>
      observe(answer, { nodes: answer.body })
    )
})
