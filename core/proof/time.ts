/** Lengths of time, as in `core/plugin/time.ts`: the verifier is published without that room, so it has its own. */

/** Milliseconds of a minute. */
export const minute = 60_000

/** Milliseconds of an hour. */
export const hour = 3_600_000

/** Milliseconds of a UTC day, which has no leap seconds. */
export const day = 86_400_000
