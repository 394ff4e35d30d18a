/**
 * A few words of shared memory through which the main thread sees the collector thread even when that one does not
 * answer: its heartbeat, and which plugin's code it is in.
 */

/** Places in the memory. Plugins are counted from 1 in the order of their names; 0 is none. */
const beat = 0
const inside = 1
const last = 2

export type Heartbeat = Int32Array<SharedArrayBuffer>

export const make = (): Heartbeat => new Int32Array(new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT))

export const beats = (heartbeat: Heartbeat): number => Atomics.load(heartbeat, beat)

/** Tells that the thread is alive. */
export const tell = (heartbeat: Heartbeat): number => Atomics.add(heartbeat, beat, 1)

/** Names the plugin whose code runs from here on, until the next call. */
export const enter = (heartbeat: Heartbeat, plugin: number): void => {
  Atomics.store(heartbeat, last, plugin)
  Atomics.store(heartbeat, inside, plugin)
}

/** The plugin whose code the thread is in; 0 is none. */
export const entered = (heartbeat: Heartbeat): number => Atomics.load(heartbeat, inside)

/** Goes back to the plugin that was entered before. */
export const leave = (heartbeat: Heartbeat, outer = 0): void => {
  Atomics.store(heartbeat, inside, outer)
}

/** The plugin whose code the thread is in, else the one it was in last; 0 when there was none. */
export const blamed = (heartbeat: Heartbeat): number =>
  Atomics.load(heartbeat, inside) || Atomics.load(heartbeat, last)
