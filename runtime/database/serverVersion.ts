/** The Postgres versions that the service supports. */

/** In the format of `server_version_num`: 16.0 is 160000. */
export const leastVersion = 160_000

/** What is wrong with a server of this version; undefined if nothing is. */
export const versionFault = (number: number): string | undefined =>
  number >= leastVersion
    ? undefined
    : `the server is PostgreSQL ${Math.floor(number / 10_000)}.${number % 10_000}; ` +
      `Plumbline needs ${leastVersion / 10_000} or newer; upgrade it, or set DATABASE_URL to another server`
