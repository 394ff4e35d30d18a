import { Effect } from "effect"
import * as Plugin from "../../../../../core/plugin/Plugin.ts"
import * as Upstream from "../../../../../core/plugin/Upstream.ts"
import { sample } from "../../sample.ts"

/** Reads an answer and then never gives the thread back. */
export default Plugin.define({
  ...sample,
  id: "blocking",
  source: "blocking",
  title: "Blocking",
  every: "100 millis",
  collect: (observe) =>
    Effect.map(Upstream.text("https://api.sample.test/spin"), (answer) => {
      for (;;) if (answer.body === "never") return observe(answer, { nodes: 1 })
    })
})
