/** Alerts: a condition, whom to tell when it becomes true, and what came of it. */
import { Schema } from "effect"
import { Category } from "../../plugin/kinds.ts"
import { described } from "../data/valueRow.ts"

const time = (description: string) => Schema.String.annotate({ format: "date-time", description })

/** The longest windows: readings are kept for 90 days, values of days for good. */
export const longestHours = 720
export const longestDays = 365

const hours = (description: string) =>
  Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: longestHours })).annotate({ description })
const days = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: longestDays })).annotate({
  description: "Days before the day of the value; the series must be as old"
})
const bound = Schema.Finite.annotate({ description: "In the unit of the metric" })

const kind = <K extends ReadonlyArray<string>>(...kinds: K) =>
  Schema.Literals(kinds).annotate({ description: "What is looked at" })

/** Conditions on the values of series: they need a metric. */
export const ValueCondition = Schema.Union([
  Schema.Struct({ kind: kind("above", "below"), value: bound }),
  Schema.Struct({
    kind: kind("change"),
    percent: Schema.Finite.check(Schema.isBetween({ minimum: 0.01, maximum: 1_000_000 })).annotate({
      description: "By so many percent of the earlier value, up or down, or more"
    }),
    hours: hours("Against the newest reading that is as many hours older, and at most twice as many")
  }),
  Schema.Struct({ kind: kind("new_high", "new_low"), days }),
  Schema.Struct({
    kind: kind("stale"),
    hours: hours("The newest value is as many hours old, or older")
  }),
  Schema.Struct({ kind: kind("absent") })
])
export type ValueCondition = typeof ValueCondition.Type

/** Conditions on what happens: of one metric, or of every one of a network. */
export const HappeningCondition = Schema.Struct({
  kind: kind("revised", "held", "incident", "disagree", "unusual")
})
export type HappeningCondition = typeof HappeningCondition.Type

export const AlertCondition = Schema.Union([...ValueCondition.members, HappeningCondition]).annotate({
  description:
    "`above`, `below`: value; `change`: percent in hours; `new_high`, `new_low`: of days; `stale`: no newer value for hours; " +
    "`absent`: none on a closed day; `revised`: a published value; `held`: a reading, by a guard; `incident`: any was " +
    "opened; `disagree`: two sources, or another operator; `unusual`: a closed value, by a rule of /v1/anomalies"
})
export type AlertCondition = typeof AlertCondition.Type

export const conditionKinds: ReadonlyArray<AlertCondition["kind"]> = AlertCondition.members.flatMap(
  ({ fields }): ReadonlyArray<AlertCondition["kind"]> => fields.kind.literals
)

const ofSeries = {
  symbol: Schema.optionalKey(
    Schema.String.annotate({ description: "A network or gauge; this or `category`" })
  ),
  category: Schema.optionalKey(Category.annotate({ description: "Every network of a category" })),
  metric: Schema.optionalKey(
    Schema.String.annotate({
      description: "Conditions on values need it; without it, any metric"
    })
  ),
  source: Schema.optionalKey(Schema.String.annotate({ description: "One source of the metric alone" }))
}

const short = (most: number, pattern: RegExp, description: string) =>
  Schema.String.check(Schema.isMaxLength(most), Schema.isPattern(pattern)).annotate({ description })

const channelKind = <K extends string>(kind: K) =>
  Schema.Literal(kind).annotate({ description: "How it goes" })

export const AlertChannel = Schema.Union([
  Schema.Struct({
    kind: channelKind("email"),
    address: short(
      254,
      /^[^\s@<>(),;:"[\]\\]+@[^\s@<>(),;:"[\]\\]+\.[^\s@<>(),;:"[\]\\]+$/,
      "An e-mail address"
    )
  }),
  Schema.Struct({
    kind: channelKind("telegram"),
    chat_id: short(34, /^(-?\d{1,20}|@\w{5,32})$/, "Id of a chat that has the service's bot, or @channel")
  }),
  Schema.Struct({
    kind: channelKind("slack"),
    url: short(200, /^https:\/\/hooks\.slack\.com\/services\/[\w/-]+$/, "An incoming webhook of Slack")
  }),
  Schema.Struct({
    kind: channelKind("discord"),
    url: short(200, /^https:\/\/discord\.com\/api\/webhooks\/\d+\/[\w-]+$/, "A webhook of a Discord channel")
  }),
  Schema.Struct({
    kind: channelKind("ntfy"),
    topic: short(64, /^[\w-]{1,64}$/, "A topic of ntfy.sh; whoever knows it can read it")
  }),
  Schema.Struct({
    kind: channelKind("webhook"),
    webhook_id: short(64, /^wh_[0-9a-f]+$/, "One of /v1/webhooks, which has answered its challenge")
  }),
  Schema.Struct({ kind: channelKind("feed") })
]).annotate({
  description: "Where messages go; `feed`: to its Atom feed alone, which every alert has"
})
export type AlertChannel = typeof AlertChannel.Type
export type ChannelKind = AlertChannel["kind"]

export const channelKinds: ReadonlyArray<ChannelKind> = AlertChannel.members.map(
  ({ fields: { kind } }) => kind.literal
)

const clockTime = (description: string) => short(5, /^([01]\d|2[0-3]):[0-5]\d$/, description)

export const QuietHours = Schema.Struct({
  from: clockTime("HH:MM"),
  to: clockTime("HH:MM, of the next day if it is earlier than `from`"),
  utc_offset_minutes: Schema.Int.check(Schema.isBetween({ minimum: -720, maximum: 840 })).annotate({
    description: "Of these times, such as 120 for UTC+2"
  })
}).annotate({
  description: "Messages wait until they are over"
})
export interface QuietHours extends Schema.Schema.Type<typeof QuietHours> {}

/** Seconds between two messages of one alert. */
export const minInterval = { least: 60, usual: 3600, most: 604_800 } as const

const what = {
  condition: AlertCondition,
  ...ofSeries,
  channel: AlertChannel,
  quiet_hours: Schema.optionalKey(QuietHours)
}

export const AlertRequest = Schema.Struct({
  ...what,
  min_interval: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: minInterval.least, maximum: minInterval.most })).annotate({
      description: `Seconds between two messages, ${minInterval.usual} unless you say; what comes in between is in the next`
    })
  )
}).annotate({ identifier: "AlertRequest", description: "What to tell whom" })
export interface AlertRequest extends Schema.Schema.Type<typeof AlertRequest> {}

/** What the form on the page of a metric sends. */
export const AlertForm = Schema.Struct({
  symbol: Schema.String,
  metric: Schema.String,
  source: Schema.String,
  kind: Schema.Literals(["above", "below"]),
  value: Schema.FiniteFromString,
  email: Schema.String,
  key: Schema.String
})

/** What the form for yesterday by mail sends; `symbol` and `category` are empty of all. */
export const MorningForm = Schema.Struct({
  email: Schema.String,
  symbol: Schema.String,
  category: Schema.String
})

export const Alert = Schema.Struct({
  id: Schema.String.annotate({ description: "Id of the alert" }),
  ...what,
  min_interval: Schema.Int.annotate({ description: "Seconds between two messages" }),
  state: Schema.Literals(["unconfirmed", "active", "over_limit", "paused"]).annotate({
    description:
      "Only `active` is looked at. `unconfirmed`: the addressee has not opened the link of the first message; `over_limit`: " +
      "one of the newest, beyond what the tier includes; `paused`: by its owner on /watchlist"
  }),
  says: Schema.String.annotate({ description: "The condition in words" }),
  feed_url: Schema.String.annotate({
    format: "uri",
    description: "Atom feed of what happened; whoever knows the address can read it"
  }),
  created_at: time("When it was made"),
  confirmed_at: Schema.optionalKey(time("When the addressee confirmed it")),
  crossings: Schema.Natural.annotate({ description: "How often the condition became true, in 90 days" }),
  last_error: Schema.optionalKey(
    Schema.String.annotate({ description: "Why the newest message has not arrived" })
  )
}).annotate({ identifier: "Alert", description: "A condition and whom it is told to" })
export interface Alert extends Schema.Schema.Type<typeof Alert> {}

export const AlertList = Schema.Struct({
  alerts: Schema.Array(Alert).annotate({ description: "All alerts of the account, oldest first" }),
  limit: Schema.Natural.annotate({ description: "Alerts that the account can have" })
}).annotate({ identifier: "AlertList", description: "Alerts of the account" })
export interface AlertList extends Schema.Schema.Type<typeof AlertList> {}

export const AlertRemoved = Schema.Struct({
  id: Schema.String.annotate({ description: "Id of the alert" }),
  removed: Schema.Literal(true).annotate({ description: "Always true" })
}).annotate({ identifier: "AlertRemoved", description: "The alert was ended, and its messages removed" })

const AlertSeries = Schema.Struct({
  symbol: described.symbol,
  metric: described.metric,
  source: Schema.optionalKey(described.source)
}).annotate({ identifier: "AlertSeries", description: "A series that a crossing is about" })

export const AlertCrossing = Schema.Struct({
  id: Schema.String.annotate({ description: "The same wherever this crossing is told" }),
  alert: Schema.String.annotate({ description: "Id of the alert" }),
  at: time("When the service saw it"),
  says: Schema.String.annotate({ description: "What happened, in a sentence" }),
  symbol: described.symbol,
  metric: described.metric,
  source: Schema.optionalKey(described.source),
  second_source: Schema.optionalKey(
    Schema.String.annotate({ description: "The source that it disagrees with" })
  ),
  series: Schema.optionalKey(
    Schema.Array(AlertSeries).annotate({
      description:
        "Of a fault that met several series which the alert is about: all of them. The fault is told once, of the first"
    })
  ),
  value: Schema.optionalKey(described.value),
  value_text: described.value_text,
  unit: Schema.optionalKey(described.unit),
  as_of: Schema.optionalKey(described.as_of),
  verify_url: Schema.optionalKey(described.verify_url),
  event_id: Schema.optionalKey(Schema.Int.annotate({ description: "The event of /v1/events" })),
  proof_url: Schema.String.annotate({
    format: "uri",
    description: "Where its proof is: of a value, from the close of its day on"
  }),
  withheld: Schema.optionalKey(
    Schema.Literal("rights").annotate({
      description: "Why `value` and what `says` tells of it are left out: the terms of its source"
    })
  ),
  simulated: described.simulated
}).annotate({ identifier: "AlertCrossing", description: "A condition that became true" })
export interface AlertCrossing extends Schema.Schema.Type<typeof AlertCrossing> {}

export const AlertCrossings = Schema.Struct({
  crossings: Schema.Array(AlertCrossing).annotate({ description: "Newest first" }),
  next_cursor: described.next_cursor
}).annotate({ identifier: "AlertCrossings", description: "When the condition became true" })
export interface AlertCrossings extends Schema.Schema.Type<typeof AlertCrossings> {}
