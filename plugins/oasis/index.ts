import { Effect, Schema } from "effect"
import {
  capacity,
  compareNumbers,
  headline,
  isNumber,
  mayDropToZero,
  type Numeric,
  Plugin,
  partOf,
  readOn,
  termsOn,
  Upstream
} from "#plugin"
import { count, distinct, sum } from "#plugin/fields"

const nexus = "https://nexus.oasis.io/v1"
const limit = 1000
const flag = Upstream.maybe(Schema.Boolean)

const Providers = Schema.Struct({
  providers: Schema.Array(
    Schema.Struct({ address: Schema.NonEmptyString, removed: flag, instances_count: count })
  ),
  total_count: count,
  is_total_count_clipped: flag
})
const Validators = Schema.Struct({
  validators: Schema.Array(
    Schema.Struct({ entity_address: Schema.NonEmptyString, active: flag, in_validator_set: flag })
  ),
  total_count: count,
  is_total_count_clipped: flag
})

interface Counted {
  readonly total_count?: Numeric | null | undefined
  /** True where the indexer stopped counting: the total may be larger. */
  readonly is_total_count_clipped?: boolean | null | undefined
}

/** How many of a list a flag is true of; undefined where one does not tell. */
const countTrue = (flags: ReadonlyArray<boolean | null | undefined>) =>
  flags.every((it) => typeof it === "boolean") ? flags.filter(Boolean).length : undefined

/** An empty list, or one shorter than the total beside it, is a failed read. */
const whole = (answer: Upstream.Answer<Counted>, rows: number) => {
  if (answer.body.is_total_count_clipped === true) {
    return Effect.fail(Upstream.implausible(answer, `["total_count"]`, "the total is clipped"))
  }
  const total = answer.body.total_count ?? (rows < limit ? rows : Number.POSITIVE_INFINITY)
  return rows === 0 || !isNumber(total) || compareNumbers(rows, total) < 0
    ? Effect.fail(Upstream.implausible(answer, "", `${rows} rows of ${total} listed`))
    : Effect.void
}

export default Plugin.define({
  id: "oasis",
  title: "Oasis ROFL market and validators",
  covers: { networks: ["ROSE"] },
  source: "oasis_nexus",
  tier: "supply_telemetry",
  hosts: ["nexus.oasis.io"],
  every: "1 hour",
  calls: 2,
  grade: "A",
  evidence: readOn("2026-11-25", {
    "oasisprotocol/nexus@9edd0680 storage/client/queries/queries.go:1128":
      "address, removed, instances_count",
    "oasisprotocol/nexus@9edd0680 storage/client/queries/queries.go:515":
      "entity_address, active, in_validator_set",
    "oasisprotocol/nexus@9edd0680 api/spec/v1.yaml:1810": "total_count, is_total_count_clipped"
  }),
  terms: termsOn("2026-11-25", "Data: Oasis Nexus, https://nexus.oasis.io"),
  metrics: {
    rofl_providers: headline("count", "Providers on the ROFL market that are not removed."),
    rofl_instances: mayDropToZero(
      "count",
      "Instances that the chain counts of the providers that are not removed, whatever the state of each instance."
    ),
    validators_active: capacity(
      "count",
      "Entities in the validator set: those with a node that has voting power."
    ),
    validators_registered: capacity(
      "count",
      "Entities with a node that is registered as a validator, elected or not."
    )
  },
  // A node may give up the role of a validator while it still has the voting power of the epoch.
  relations: [partOf("validators_active", "validators_registered", { tolerance: 0.02 })],
  collect: (observe) =>
    Plugin.anyOf("ROSE", [
      Effect.gen(function* () {
        const answer = yield* Upstream.json(
          `${nexus}/sapphire/roflmarket_providers?limit=${limit}`,
          Providers
        )
        const { providers } = answer.body
        yield* whole(answer, providers.length)
        // A row that does not tell whether it is removed leaves both figures open.
        if (providers.some(({ removed }) => typeof removed !== "boolean")) return []
        const present = distinct(providers, ({ address }) => address).filter(
          ({ removed }) => removed === false
        )
        return observe(answer, {
          rofl_providers: present.length,
          rofl_instances: present.length === 0 ? 0 : sum(present.map((row) => row.instances_count))
        })
      }),
      Effect.gen(function* () {
        const answer = yield* Upstream.json(`${nexus}/consensus/validators?limit=${limit}`, Validators)
        const { validators } = answer.body
        yield* whole(answer, validators.length)
        const entities = distinct(validators, ({ entity_address }) => entity_address)
        return observe(answer, {
          // What the indexer calls active has a node, and waits to be elected.
          validators_active: countTrue(entities.map(({ in_validator_set }) => in_validator_set)),
          validators_registered: countTrue(entities.map(({ active }) => active))
        })
      })
    ])
})
