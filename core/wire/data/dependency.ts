/**
 * What an answer depends on: while none of these changes, neither does the answer. The API declares it for each endpoint,
 * so that bytes are kept exactly that long, and the read side takes `generated_utc` from the same lists.
 */

export type Named =
  /** What the rules found unusual in closed days. */
  | "anomalies"
  /** Timestamps of checkpoints, and with them the networks that are stamped on-chain. */
  | "anchors"
  /** Ten seconds of the data clock. */
  | "clock"
  /** What witnesses said of the heads of the log. */
  | "cosignatures"
  /** The UTC day of the data clock. */
  | "day"
  /** How far the daily history of each feed reaches. */
  | "depths"
  /** The feed of events. */
  | "events"
  | "feeds"
  | "incidents"
  /** The public halves of the signing keys. */
  | "keys"
  /** The head of the log; batches, briefs and revisions documents move it. */
  | "log"
  /** Which networks have telemetry, and which of them lately. */
  | "networks"
  /** When a value was last confirmed, whether or not it changed. */
  | "reads"
  /** What the retention settings have removed. */
  | "retention"
  /** How many series of each feed their chain proves. */
  | "proofs"
  | "revisions"
  /** How many rows the collectors have read. */
  | "rowCounts"
  | "runs"
  /** One second of the data clock. */
  | "second"
  /** What a process is started with: it never changes while the process runs. */
  | "setup"
  /** The latest values of all networks. */
  | "symbols"

/** A name, or the latest values and the days of one network. */
export type Dependency = Named | { readonly symbol: string }

/** How many networks have telemetry, and how many lately. */
const networkCounts = ["networks", "clock"] as const

/** What answers depend on; a `generated_utc` is when one of these last changed. */
export const dependenciesOf = {
  list: ["symbols", "day", "anchors"],
  /** What is said of one network, beside how many there are. */
  supply: (networks: ReadonlyArray<string>) => [...networks.map((symbol) => ({ symbol })), ...networkCounts],
  networkCounts,
  history: (networks: ReadonlyArray<string>) => [
    ...networks.map((symbol) => ({ symbol })),
    "day",
    "incidents",
    "log"
  ],
  world: ["symbols", "reads", "rowCounts", "clock"],
  dictionary: ["symbols", "reads", "feeds", "depths", "proofs", "clock"],
  revisions: ["revisions"],
  incidents: ["incidents", "log", "clock"],
  anomalies: ["anomalies"],
  /** What is said of the published record. */
  record: ["log", "anchors", "cosignatures", "incidents", "retention"],
  health: ["symbols", "reads", "feeds", "second"],
  /** The sample of networks depends on the day, on which symbols there are, and on which are live: what makes one live is an event. */
  events: ["events", "symbols", "day"]
} as const satisfies Readonly<
  Record<string, ReadonlyArray<Dependency> | ((networks: ReadonlyArray<string>) => ReadonlyArray<Dependency>)>
>
