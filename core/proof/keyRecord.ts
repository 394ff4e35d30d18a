/** Where an operator publishes the key of the log outside of his service: a TXT record beside the name of its host. */

export const keyRecordName = (host: string): string => `_plumbline.${host}`

/** The text of the record for a key, by its kid. */
export const keyRecord = (kid: string): string => `plumbline-log-key=${kid}`

/** A name that only its machine or network knows, or an address, has no record that a reader could ask for. */
export const mayHaveRecord = (host: string): boolean =>
  /^[a-z0-9.-]+\.[a-z][a-z0-9-]*$/i.test(host) && !/\.(?:local|test|internal)$/i.test(host)
