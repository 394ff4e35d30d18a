/**
 * From how many bytes on a payload is parsed in a thread: a shorter one takes a few milliseconds, a longer one would hold up
 * every other answer.
 */
export const longPayload = 256 * 1024
