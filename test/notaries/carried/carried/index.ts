/** Reads one figure of a host whose certificate is of the tests' authority. */
import { readFileSync } from "node:fs"
import { setDefaultCACertificates } from "node:tls"
import { Effect, Schema } from "effect"
import * as Plugin from "../../../../core/plugin/Plugin.ts"
import * as Upstream from "../../../../core/plugin/Upstream.ts"

/** Trusted in this thread alone. */
const trustAuthority = Effect.map(Upstream.setting("authority"), (file) =>
  setDefaultCACertificates([readFileSync(file, "utf8")])
)

const Nodes = Schema.Struct({ nodes: Schema.Finite })

export default Plugin.define({
  id: "carried",
  title: "Carried by a notary",
  covers: { networks: ["FIL"] },
  tier: "supply_telemetry",
  source: "carried",
  hosts: ["api.upstream.test"],
  settings: { authority: "" },
  every: "1 hour",
  grade: "A",
  owner: "tests",
  metrics: { active_storage_providers: { unit: "count", meaning: "Providers with power." } },
  collect: (observe) =>
    Effect.andThen(
      trustAuthority,
      Effect.map(Upstream.json("https://api.upstream.test/nodes", Nodes), (answer) =>
        observe(answer, { active_storage_providers: answer.body.nodes })
      )
    )
})
