/**
 * Whether a thread is blocked. Its own CPU time is what counts: on a busy machine a thread waits for a core, and no plugin
 * is to blame for that.
 */

/** A thread as it looks now. */
export interface Look {
  /** Its heartbeats so far. */
  readonly beats: number
  /** Milliseconds of CPU time that it has used so far. */
  readonly cpu: number
}

/** A thread without a heartbeat that uses less than this between two looks, in milliseconds, waits for something. */
const least = 1

/**
 * Looks at a thread every `beat` milliseconds, and tells for how many beats it has been blocked once those are `allowed`.
 * Without a heartbeat it is blocked for the CPU time that it uses. One that uses none, because it waits outside of
 * JavaScript or for a core, is given three times as long.
 */
export const watch = (beat: number) => {
  let lastBeats = 0
  let since = 0
  let before = 0
  let missed = 0
  let idle = 0
  return ({ beats, cpu }: Look, allowed: number): { readonly missed: number; readonly blocked: boolean } => {
    const waits = cpu - before < least
    before = cpu
    if (beats !== lastBeats) {
      lastBeats = beats
      since = cpu
      missed = 0
      idle = 0
      return { missed, blocked: false }
    }
    missed++
    idle = waits ? idle + 1 : 0
    const spent = (cpu - since) / beat
    return { missed, blocked: (missed >= allowed && spent >= allowed) || idle >= 3 * allowed }
  }
}
