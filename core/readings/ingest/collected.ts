/** Which runs read their upstream as their feed does. */

/**
 * The SQL condition that a run of `run`, or of its alias, did so: it neither read stored bodies again (`rederives`) nor looked
 * again to compare (`recheck`).
 */
export const collected = (run: string): string =>
  `(${run}.rederives is null and ${run}.outcome is distinct from 'recheck')`

/** The SQL condition that a run did so, ended well, and is stored with its rows. */
export const collectedWell = (run: string): string =>
  `(${run}.complete and ${run}.status = 'ok' and ${collected(run)})`
