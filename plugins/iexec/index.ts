import { Schema } from "effect"
import { metric, Plugin, Upstream } from "#plugin"
import { amount } from "#plugin/fields"
import { query, withFailed } from "#plugin/graphql"

const url = "https://thegraph.iex.ec/subgraphs/name/bellecour/poco-v5"
const text = `{ protocol(id:"iExec"){workerpoolsCount appsCount dealsCount tasksCount} }`

const Protocol = Schema.Struct({
  protocol: Upstream.maybe(
    Schema.Struct({ workerpoolsCount: amount, appsCount: amount, dealsCount: amount, tasksCount: amount })
  )
})

export default Plugin.define({
  id: "iexec",
  title: "iExec deals and worker pools",
  covers: { networks: ["RLC"] },
  source: "iexec_subgraph",
  hosts: ["thegraph.iex.ec"],
  disabled: "the fields of the hosted subgraph could not be confirmed",
  every: "6 hours",
  grade: "C",
  metrics: {
    workerpools_total: metric("count", "Worker pools ever created."),
    apps_total: metric("count", "Applications ever created."),
    deals_total: metric("count", "Deals ever made."),
    tasks_total: metric("count", "Tasks ever created.")
  },
  collect: (observe) =>
    withFailed("RLC", query(url, text, Protocol), ({ protocol }, answer) => {
      const values = {
        workerpools_total: protocol?.workerpoolsCount,
        apps_total: protocol?.appsCount,
        deals_total: protocol?.dealsCount,
        tasks_total: protocol?.tasksCount
      }
      return observe(answer, values, { verify_url: "https://explorer.iex.ec/bellecour" })
    })
})
