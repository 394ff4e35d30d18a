/** Items of storage that every Substrate chain has, by their keys, hex. */

/** `Timestamp.Now`: when the block was made, in milliseconds. */
export const timestampKey = "f0c365c3cf59d671eb72da0e7a4113c49f1f0515f462cdcf84e0f1d6045dfcbb"

/** `System.LastRuntimeUpgrade`: the version of the runtime says what the bytes of all others mean. */
export const runtimeKey = "26aa394eea5630e07c48ae0c9558cef7f9cce9c888469bb1a0dceaa129672ef8"
