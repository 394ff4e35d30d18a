/** Where the log has what a payment is for. */
export const proofOf = (document: string): string => `/v1/log/documents/${document}`
