/** Turns in the queue of answers, of seven where all classes wait: no class starves another. */

/** `identified` has a key that exists, or pays. */
export const turns = { identified: 4, keyless: 2, pages: 1 } as const

export type Class = keyof typeof turns
