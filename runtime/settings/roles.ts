/** What a process can be there for, in addition to serving requests. */
export const roles = ["collect", "jobs"] as const
export type Role = (typeof roles)[number]
