/** Postgres's advisory locks, each with a number of its own by its place in this list. A number in use never moves. */
const names = [
  /** Held by whoever writes readings, for a transaction. */
  "readings",
  /** Held by a running service, as long as its session lives. */
  "serving",
  /** Held by whoever removes bodies; shared by runs that name bodies. For a transaction. */
  "bodies",
  /** Held by whoever writes the feed of events, for a transaction. */
  "events",
  /** Held by whoever judges the conditions of alerts, for a transaction. */
  "alerts",
  /** Held by whoever pays what warranties owe, for a transaction. */
  "warranty"
] as const

/** "Plum" in ASCII: what tells this service's locks from those of other users of the database. */
const space = 0x506c756d

/** The two keys of a lock, as Postgres's functions take them and as `pg_locks` shows them (`classid`, `objid`). */
export const advisoryLock = (name: (typeof names)[number]) =>
  ({ space, number: names.indexOf(name) + 1 }) as const
