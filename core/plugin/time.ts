/** Lengths of time, each once in the code. Without imports, so that code for browsers can have them. */

/** Milliseconds of a minute. */
export const minute = 60_000

/** Milliseconds of an hour. */
export const hour = 3_600_000

/** Milliseconds of a UTC day, which has no leap seconds. */
export const day = 86_400_000
