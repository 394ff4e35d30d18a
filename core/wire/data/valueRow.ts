/** The served value row, and field descriptions that several answers share. */
import { Schema } from "effect"
import { Rung } from "../../plugin/flows.ts"
import { meanings } from "../../plugin/units.ts"
import { Unit } from "../../plugin/Value.ts"
import { rights } from "./rights.ts"

/** What is said of a zero that nobody counted. */
const definition = {
  by_definition: Schema.optionalKey(
    Schema.Literal(true).annotate({
      description: "Present of a 0 that its source's method states and nobody counted: it counts in nothing"
    })
  ),
  by_definition_reason: Schema.optionalKey(
    Schema.String.annotate({
      description: "What says so; in a row of several figures by name"
    })
  )
}

/** What is said of a value of a plugin from elsewhere. */
const reviewed = Schema.optionalKey(
  Schema.Literal(false).annotate({
    description: "False: from a plugin of the operator that the project has not reviewed"
  })
)

/** What is said of a value beside where it comes from. */
const marks = {
  simulated: Schema.optionalKey(
    Schema.Literal(true).annotate({
      description: "Present if the value was generated for the demo and never measured"
    })
  ),
  unconfirmed: Schema.optionalKey(
    Schema.Literal(true).annotate({
      description:
        "Present while nothing but its author has compared the feed with its upstream, or while `level_in_doubt`: it counts in no headline, share, index or rank"
    })
  ),
  ...definition,
  reviewed
}

const time = (description: string) => Schema.String.annotate({ format: "date-time", description })

/** A reading that a guard holds back. */
export const HeldReading = Schema.Struct({
  value: Schema.Finite.annotate({ description: "The value that was read and is not served" }),
  value_text: Schema.optionalKey(
    Schema.String.annotate({ description: "The exact decimal number, where a double may not represent it" })
  ),
  as_of: time("When it would have been true"),
  since: time("`as_of` of the first reading that is held with it"),
  reason: Schema.String.annotate({ description: "Why this very reading is held" }),
  incident: Schema.Int.annotate({ description: "Number of the incident, as in /v1/incidents" })
}).annotate({ identifier: "HeldReading", description: "A reading that is stored and not served" })
export interface HeldReading extends Schema.Schema.Type<typeof HeldReading> {}

const Level = Schema.Struct({
  value: Schema.Finite.annotate({ description: "A value of the level" }),
  as_of: time("When it was true")
})

/** Two levels of a series of which nobody has said which is right. */
export const LevelInDoubt = Schema.Struct({
  since: time("When the second one was released"),
  before: Level.annotate({ description: "The level that was served until then" }),
  after: Level.annotate({ description: "The level that was held, and that the runs after it gave again" })
}).annotate({
  identifier: "LevelInDoubt",
  description: "Two levels of a series that are no moves of one another"
})
export interface LevelInDoubt extends Schema.Schema.Type<typeof LevelInDoubt> {}

/** What is said beside a value of the readings around it. */
const beside = {
  held: Schema.optionalKey(
    HeldReading.annotate({
      description: "The newest reading that a guard holds back, if one is held"
    })
  ),
  level_in_doubt: Schema.optionalKey(
    LevelInDoubt.annotate({
      description:
        "Present while neither a second source nor the operator has decided between two levels of the series"
    })
  )
}

/** Why a value is left out of what is computed. */
export const MissingReason = Schema.Literals(["unconfirmed", "by_definition"]).annotate({
  description:
    "`unconfirmed`: nothing but its author has compared its feed with the upstream, or two of its levels are in doubt; `by_definition`: a 0 that nobody counted"
})

export const described = {
  symbol: Schema.String.annotate({
    description: "Ticker of the network; subnets are `SN0` to `SN128`"
  }),
  metric: Schema.String.annotate({
    description: "Name of the metric, as defined in /v1/data-dictionary"
  }),
  value: Schema.Finite.annotate({
    description: "The value. A 0 that nobody counted has `by_definition`; what is not measured is absent"
  }),
  value_text: Schema.optionalKey(
    Schema.String.annotate({
      description: "The exact decimal number, if a double may not represent it"
    })
  ),
  unit: Unit.annotate({
    description:
      "Unit of the value. `percent`: 62.5 is 62.5 of 100 parts; `pct`: -3 is a fall by 3 percent of an earlier value. " +
      `All units: ${meanings.map(([unit, means]) => `\`${unit}\`, ${means}`).join("; ")}`
  }),
  source: Schema.String.annotate({ description: "Label of the upstream feed" }),
  verify_url: Schema.String.annotate({
    format: "uri",
    description: "Upstream URL where anyone can check the value without a key"
  }),
  as_of: Schema.String.annotate({
    format: "date-time",
    description: "When the value was true: ISO 8601 in UTC"
  }),
  generated_utc: Schema.String.annotate({
    format: "date-time",
    description: "Time of the data snapshot behind this answer: ISO 8601 in UTC"
  }),
  simulated: marks.simulated,
  marks,
  beside,
  /** Of what a network earned or paid out. */
  rung: Schema.optionalKey(Rung),
  definition,
  access_counts: {
    n_networks_shown: Schema.Natural.annotate({ description: "Networks in this answer" }),
    n_networks: Schema.Natural.annotate({
      description: "Networks with first-party telemetry, including subnets: the size of the full list"
    }),
    n_networks_available: Schema.Natural.annotate({
      description: "How many of `n_networks` have a value younger than 7 days"
    })
  },
  next_cursor: Schema.optionalKey(
    Schema.String.annotate({ description: "Pass as `cursor` to get the next page; absent on the last page" })
  ),
  sorted_within: Schema.optionalKey(
    Schema.String.annotate({
      description: "With `sort` of a sample: what it orders"
    })
  ),
  not_shown: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({
      description: "Of over 12 networks in `symbols`, those not given; read each with /v1/network/{symbol}"
    })
  ),
  not_covered: Schema.Record(Schema.String, Schema.String).annotate({
    description:
      "Networks that no first-party feed covers, with the reason by symbol; includes networks not yet investigated. " +
      "With `limit`, `cursor`, `query`, `network` or another selection, only those of the page; /v1/coverage has all"
  })
} as const

/** One observation of one metric of one network. */
export const ValueRow = Schema.Struct({
  symbol: described.symbol,
  metric: described.metric,
  value: described.value,
  value_text: described.value_text,
  unit: described.unit,
  source: described.source,
  verify_url: described.verify_url,
  as_of: described.as_of,
  ...described.marks,
  ...rights,
  ...described.beside,
  rung: described.rung
}).annotate({ identifier: "ValueRow", description: "One observation of one metric of one network" })
export interface ValueRow extends Schema.Schema.Type<typeof ValueRow> {}
