/**
 * A few words of shared memory through which the main thread sees the collector thread even when that one does not
 * answer: its heartbeat, which plugin's code it is in, and whether it can be believed.
 */

/** Places in the memory. Plugins are counted from 1 in the order of their names; 0 is none. */
const beat = 0
const inside = 1
const last = 2
const loaded = 3
const spoiled = 4

// Taken here, so that a plugin cannot put its own in their place.
const { add, load, store, sub, wait } = Atomics

export type Heartbeat = Int32Array<SharedArrayBuffer>

/** From here on a place for each plugin: the KiB that memory grew by in its steps. */
const grown = 5

/** Memory for so many plugins. */
export const make = (plugins: number): Heartbeat =>
  new Int32Array(new SharedArrayBuffer((grown + 1 + plugins) * Int32Array.BYTES_PER_ELEMENT))

export const beats = (heartbeat: Heartbeat): number => load(heartbeat, beat)

/** Tells that the thread is alive. */
export const tell = (heartbeat: Heartbeat): number => add(heartbeat, beat, 1)

/** Names the plugin whose code runs from here on, until the next call. */
export const enter = (heartbeat: Heartbeat, plugin: number): void => {
  store(heartbeat, last, plugin)
  store(heartbeat, inside, plugin)
}

/** The plugin whose code the thread is in; 0 is none. */
export const entered = (heartbeat: Heartbeat): number => load(heartbeat, inside)

/** Goes back to the plugin that was entered before. */
export const leave = (heartbeat: Heartbeat, outer = 0): void => {
  store(heartbeat, inside, outer)
}

/** The plugin whose code the thread is in, else the one it was in last; 0 when there was none. */
export const blamed = (heartbeat: Heartbeat): number => load(heartbeat, inside) || load(heartbeat, last)

/** Tells that all plugins are loaded. */
export const finish = (heartbeat: Heartbeat): void => {
  store(heartbeat, loaded, 1)
}

export const isLoading = (heartbeat: Heartbeat): boolean => load(heartbeat, loaded) === 0

/** Tells that nothing that the thread says from here on can be believed, and stops it there. */
export const spoil = (heartbeat: Heartbeat): void => {
  store(heartbeat, spoiled, 1)
  wait(heartbeat, spoiled, 1)
}

export const isSpoiled = (heartbeat: Heartbeat): boolean => load(heartbeat, spoiled) === 1

/** The plugin whose code ran last; 0 is none. */
export const lastOf = (heartbeat: Heartbeat): number => load(heartbeat, last)

/** Charges KiB to the plugin whose code ran last. What is collected is nobody's merit: no account falls below 0. */
export const grow = (heartbeat: Heartbeat, kibibytes: number): void => {
  const place = grown + load(heartbeat, last)
  store(heartbeat, place, Math.max(0, load(heartbeat, place) + kibibytes))
}

/** Forgets a small part of every account, so that a plugin that lets go of what it took is not blamed in the end. */
export const forget = (heartbeat: Heartbeat): void => {
  for (let place = grown; place < heartbeat.length; place++)
    sub(heartbeat, place, load(heartbeat, place) >> 9)
}

/** The plugin in whose steps memory grew most of late; 0 when it did in none. */
export const grewMost = (heartbeat: Heartbeat): number => {
  let most = 0
  for (let plugin = 1; grown + plugin < heartbeat.length; plugin++) {
    if (load(heartbeat, grown + plugin) > (most === 0 ? 0 : load(heartbeat, grown + most))) most = plugin
  }
  return most
}
