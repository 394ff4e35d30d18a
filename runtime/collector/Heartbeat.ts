/**
 * A small shared memory that shows the main thread the state of the collector thread even when that thread is blocked:
 * its heartbeat, which plugin's code it is running, and whether it can still be trusted.
 */

/** Indices into the memory. Plugins are numbered from 1 in the order of their names; 0 means none. */
const beat = 0
const inside = 1
const last = 2
const loaded = 3
const spoiled = 4

// Read at load time, so a plugin cannot replace them.
const { add, load, store, sub, wait } = Atomics

export type Heartbeat = Int32Array<SharedArrayBuffer>

/** From here on, one entry per plugin: the KiB that memory grew by while it ran. */
const grown = 5

/** Memory for this many plugins. */
export const make = (plugins: number): Heartbeat =>
  new Int32Array(new SharedArrayBuffer((grown + 1 + plugins) * Int32Array.BYTES_PER_ELEMENT))

export const beats = (heartbeat: Heartbeat): number => load(heartbeat, beat)

/** Signals that the thread is alive. */
export const tell = (heartbeat: Heartbeat): number => add(heartbeat, beat, 1)

/** Names the plugin whose code runs from now until the next call. */
export const enter = (heartbeat: Heartbeat, plugin: number): void => {
  store(heartbeat, last, plugin)
  store(heartbeat, inside, plugin)
}

/** The plugin whose code is running; 0 for none. */
export const entered = (heartbeat: Heartbeat): number => load(heartbeat, inside)

/** Returns to the plugin that was entered before. */
export const leave = (heartbeat: Heartbeat, outer = 0): void => {
  store(heartbeat, inside, outer)
}

/** The plugin whose code is running, else the one that ran last; 0 for none. */
export const blamed = (heartbeat: Heartbeat): number => load(heartbeat, inside) || load(heartbeat, last)

/** Signals that all plugins are loaded. */
export const finish = (heartbeat: Heartbeat): void => {
  store(heartbeat, loaded, 1)
}

export const isLoading = (heartbeat: Heartbeat): boolean => load(heartbeat, loaded) === 0

/** Signals that the thread can no longer be trusted, and stops it at this point. */
export const spoil = (heartbeat: Heartbeat): void => {
  store(heartbeat, spoiled, 1)
  wait(heartbeat, spoiled, 1)
}

export const isSpoiled = (heartbeat: Heartbeat): boolean => load(heartbeat, spoiled) === 1

/** The plugin whose code ran last; 0 for none. */
export const lastOf = (heartbeat: Heartbeat): number => load(heartbeat, last)

/** Charges KiB to the plugin whose code ran last. Garbage collection is not credited: no entry falls below 0. */
export const grow = (heartbeat: Heartbeat, kibibytes: number): void => {
  const place = grown + load(heartbeat, last)
  store(heartbeat, place, Math.max(0, load(heartbeat, place) + kibibytes))
}

/** Reduces every entry a little, so a plugin that has released its memory is not blamed in the end. */
export const forget = (heartbeat: Heartbeat): void => {
  for (let place = grown; place < heartbeat.length; place++)
    sub(heartbeat, place, load(heartbeat, place) >> 9)
}

/** The plugin during whose code memory grew most recently; 0 for none. */
export const grewMost = (heartbeat: Heartbeat): number => {
  let most = 0
  for (let plugin = 1; grown + plugin < heartbeat.length; plugin++) {
    if (load(heartbeat, grown + plugin) > (most === 0 ? 0 : load(heartbeat, grown + most))) most = plugin
  }
  return most
}
