import { Effect, Schema } from "effect"
import * as Plugin from "../../core/plugin/Plugin.ts"
import { amount } from "../../core/plugin/shapes/fields.ts"
import { query } from "../../core/plugin/shapes/graphql.ts"
import { metric } from "../../core/plugin/shapes/metric.ts"
import * as Upstream from "../../core/plugin/Upstream.ts"

const Protocol = Schema.Struct({
  protocol: Upstream.maybe(
    Schema.Struct({ workerpoolsCount: amount, appsCount: amount, dealsCount: amount, tasksCount: amount })
  )
})

export default Plugin.define({
  id: "iexec",
  title: "iExec deals and worker pools",
  covers: { networks: ["RLC"] },
  tier: "supply_telemetry",
  source: "iexec_subgraph",
  hosts: ["thegraph.iex.ec"],
  disabled: "the fields of the hosted subgraph could not be confirmed",
  every: "6 hours",
  grade: "C",
  owner: "plumbline",
  metrics: {
    workerpools_total: metric("count", "Worker pools ever created."),
    apps_total: metric("count", "Applications ever created."),
    deals_total: metric("count", "Deals ever made."),
    tasks_total: metric("count", "Tasks ever created.")
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const { answer, data, failed } = yield* query(
        "https://thegraph.iex.ec/subgraphs/name/bellecour/poco-v5",
        `{ protocol(id:"iExec"){workerpoolsCount appsCount dealsCount tasksCount} }`,
        Protocol
      )
      const readings = observe(
        answer,
        {
          workerpools_total: data.protocol?.workerpoolsCount,
          apps_total: data.protocol?.appsCount,
          deals_total: data.protocol?.dealsCount,
          tasks_total: data.protocol?.tasksCount
        },
        { verify_url: "https://explorer.iex.ec/bellecour" }
      )
      return [...readings, ...failed.map((error) => Plugin.failedPart(error, "RLC"))]
    })
})
