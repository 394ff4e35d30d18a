/**
 * A few words of shared memory through which the main thread sees the collector thread even when that one does not
 * answer: its heartbeat, and which plugin's code it is in.
 */

/** Places in the memory. Plugins are counted from 1 in the order of their names; 0 is none. */
const beat = 0
const inside = 1
const last = 2

export type Slot = Int32Array<SharedArrayBuffer>

export const make = (): Slot => new Int32Array(new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT))

export const beats = (slot: Slot): number => Atomics.load(slot, beat)

/** Tells that the thread is alive. */
export const tell = (slot: Slot): number => Atomics.add(slot, beat, 1)

/** Names the plugin whose code runs from here on, until the next call. */
export const enter = (slot: Slot, plugin: number): void => {
  Atomics.store(slot, last, plugin)
  Atomics.store(slot, inside, plugin)
}

/** The plugin whose code the thread is in; 0 is none. */
export const entered = (slot: Slot): number => Atomics.load(slot, inside)

/** Goes back to the plugin that was entered before. */
export const leave = (slot: Slot, outer = 0): void => {
  Atomics.store(slot, inside, outer)
}

/** The plugin whose code the thread is in, else the one it was in last; 0 when there was none. */
export const blamed = (slot: Slot): number => Atomics.load(slot, inside) || Atomics.load(slot, last)
