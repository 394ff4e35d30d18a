import { Effect, Result, Schema } from "effect"
import { breakdown, headline, metric, neverFalls, Plugin, readOn, sumOf, termsOn, Upstream } from "#plugin"
import { amount, exactSum, object } from "#plugin/fields"
import { query } from "#plugin/graphql"

const text = `{ protocol(id:"iExec"){workerpoolsCount appsCount dealsCount completedTasksCount} }`

const Protocol = Schema.Struct({
  protocol: object({
    workerpoolsCount: amount,
    appsCount: amount,
    dealsCount: amount,
    completedTasksCount: amount
  })
})

const fields = {
  workerpools: "workerpoolsCount",
  apps: "appsCount",
  deals: "dealsCount",
  tasks_completed: "completedTasksCount"
} as const

type Counted = keyof typeof fields
const counted = Object.keys(fields) as ReadonlyArray<Counted>

/** The subgraphs of the protocol, by chain. */
const chains = [
  {
    chain: "bellecour",
    url: "https://thegraph.iex.ec/subgraphs/name/bellecour/poco-v5",
    verify_url: "https://explorer.iex.ec/bellecour"
  },
  {
    chain: "arbitrum",
    url: "https://thegraph.arbitrum.iex.ec/api/subgraphs/id/B1comLe9SANBLrjdnoNTJSubbeC7cY7EoNu6zD82HeKy",
    verify_url: "https://explorer.iex.ec/arbitrum-mainnet"
  }
] as const

const by = (meaning: string) =>
  breakdown("count", `${meaning} On the chain that ends the name.`, { of: ["bellecour", "arbitrum"] })
const all = (meaning: string, as = metric) =>
  as("count", `${meaning} The sum over the chains, given where both answered.`)

export default Plugin.define({
  id: "iexec",
  title: "iExec deals and worker pools",
  covers: { networks: ["RLC"] },
  source: "iexec_subgraph",
  tier: "supply_telemetry",
  hosts: ["thegraph.iex.ec", "thegraph.arbitrum.iex.ec"],
  every: "6 hours",
  calls: 2,
  grade: "A",
  evidence: readOn("2026-11-25", {
    "iExecBlockchainComputing/PoCo-subgraph@c7cd3b2 src/Modules/IexecPoco.ts:176":
      "dealsCount, completedTasksCount",
    "iExecBlockchainComputing/PoCo-subgraph@c7cd3b2 src/Registries/Workerpoolregistry.ts:64":
      "workerpoolsCount",
    "iExecBlockchainComputing/PoCo-subgraph@c7cd3b2 src/Registries/Appregistry.ts:64": "appsCount"
  }),
  terms: termsOn("2026-11-25", "Data: iExec, https://www.iex.ec"),
  metrics: {
    "workerpools_*": by("Worker pools ever created."),
    workerpools_all_chains: all("Worker pools ever created.", headline),
    "apps_*": by("Applications ever created."),
    apps_all_chains: all("Applications ever created."),
    "deals_*": by("Deals ever made, of one task or many."),
    deals_all_chains: all("Deals ever made, of one task or many."),
    "tasks_completed_*": by(
      "Tasks ever finalised; those that were claimed back as failed are not among them."
    ),
    tasks_completed_all_chains: all(
      "Tasks ever finalised; those that were claimed back as failed are not among them."
    )
  },
  ended: {
    workerpools_total:
      "It was of Bellecour alone; workerpools_bellecour and workerpools_all_chains follow it.",
    apps_total: "It was of Bellecour alone; apps_bellecour and apps_all_chains follow it.",
    deals_total: "It was of Bellecour alone; deals_bellecour and deals_all_chains follow it.",
    tasks_total:
      "It was of Bellecour alone, and counted tasks bought, not tasks done; tasks_completed_* follow it."
  },
  // Handlers of events add to the counters, and none takes away.
  relations: counted.flatMap((name) => [
    sumOf(`${name}_all_chains`, [`${name}_*`], {
      words: chains.map(({ chain }) => chain),
      // A chain that answers stands, whatever the others say.
      optional: [`${name}_all_chains`]
    }),
    neverFalls(`${name}_*`)
  ]),
  collect: (observe) =>
    Effect.gen(function* () {
      const outcomes = yield* Upstream.parts(
        chains.map((chain) => [chain, query(chain.url, text, Protocol)] as const)
      )
      const answered = outcomes.flatMap(({ name, outcome }) =>
        Result.isSuccess(outcome) ? [{ ...name, ...outcome.success }] : []
      )
      const rows = outcomes.flatMap(
        ({ name: { chain, verify_url }, outcome }): ReadonlyArray<Plugin.CollectedPart> => {
          if (Result.isFailure(outcome)) return [Plugin.failedPart(outcome.failure, "RLC", `*_${chain}`)]
          const { answer, data, failed } = outcome.success
          const values = Object.fromEntries(
            counted.map((name) => [`${name}_${chain}`, data.protocol?.[fields[name]]] as const)
          )
          return [
            ...observe(answer, values, { verify_url }),
            ...failed.map((error) => Plugin.failedPart(error, "RLC", `*_${chain}`))
          ]
        }
      )
      const [first] = answered
      if (first === undefined || answered.length < chains.length) return rows
      const sums = Object.fromEntries(
        counted.map(
          (name) =>
            [
              `${name}_all_chains`,
              exactSum(answered.map(({ data }) => data.protocol?.[fields[name]]))
            ] as const
        )
      )
      // A sum is as old as its oldest part.
      const as_of = Math.min(...answered.map(({ answer }) => answer.date))
      return [...rows, ...observe(first.answer, sums, { as_of, verify_url: "https://explorer.iex.ec" })]
    })
})
