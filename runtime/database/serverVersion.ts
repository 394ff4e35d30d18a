/** The versions of Postgres that the service runs on. */

/** As `server_version_num` counts: 16.0 is 160000. */
export const leastVersion = 160_000

/** What is wrong with a server of this version; undefined where nothing is. */
export const versionFault = (number: number): string | undefined =>
  number >= leastVersion
    ? undefined
    : `the server is PostgreSQL ${Math.floor(number / 10_000)}.${number % 10_000}; ` +
      `Plumbline needs ${leastVersion / 10_000} or newer: upgrade it, or name another in DATABASE_URL`
