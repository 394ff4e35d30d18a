/** The names of the series of a comparison, in their order. */
export const letters = ["a", "b", "c", "d", "e", "f"] as const
export type Letter = (typeof letters)[number]
