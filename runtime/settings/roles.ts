/** What a process can be there for, besides answering. */
export const roles = ["collect", "jobs"] as const
export type Role = (typeof roles)[number]
