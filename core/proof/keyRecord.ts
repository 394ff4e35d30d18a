/** Where an operator publishes the key of the log outside of his service: a TXT record beside the name of its host. */

export const keyRecordName = (host: string): string => `_plumbline.${host}`

/** The text of the record for a key, by its kid. */
export const keyRecord = (kid: string): string => `plumbline-log-key=${kid}`
