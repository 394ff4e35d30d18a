/** Revisions of the protocol that are spoken, newest first; a test holds each of them. */
export const protocolVersions = [
  "2026-07-28",
  "2025-11-25",
  "2025-06-18",
  "2025-03-26",
  "2024-11-05"
] as const
