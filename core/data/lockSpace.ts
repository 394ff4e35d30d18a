/** "Plum" in ASCII: the namespace of this service's advisory locks. */
export const lockSpace = 0x506c756d
