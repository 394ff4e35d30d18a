/**
 * Detects changes to the built-in objects that all plugins share. A plugin that changes a prototype would change what the
 * others compute, and could break this thread without any report.
 */

// Read before any plugin is loaded: the check itself must not use what a plugin has changed.
const { getOwnPropertyDescriptor, ownKeys } = Reflect
const { is } = Object

const names = [
  "Object",
  "Function",
  "Array",
  "String",
  "Number",
  "Boolean",
  "Symbol",
  "BigInt",
  "Math",
  "Date",
  "RegExp",
  "JSON",
  "Reflect",
  "Proxy",
  "Promise",
  "Map",
  "Set",
  "WeakMap",
  "WeakSet",
  "WeakRef",
  "Iterator",
  "ArrayBuffer",
  "SharedArrayBuffer",
  "DataView",
  "Atomics",
  "Uint8Array",
  "Int32Array",
  "Float64Array",
  "BigInt64Array",
  "Error",
  "TypeError",
  "RangeError",
  "SyntaxError",
  "Buffer",
  "TextDecoder",
  "TextEncoder",
  "URL",
  "URLSearchParams",
  "MessagePort",
  "EventTarget",
  "AbortController",
  "AbortSignal"
]

/** Properties that libraries may set temporarily. */
const free: ReadonlySet<PropertyKey> = new Set(["stackTraceLimit", "prepareStackTrace"])

interface Snapshot {
  readonly object: object
  readonly keys: ReadonlyArray<PropertyKey>
  readonly descriptors: ReadonlyArray<PropertyDescriptor | undefined>
}

const isObject = (value: unknown): value is object =>
  (typeof value === "object" && value !== null) || typeof value === "function"

const snapshot = (object: object): Snapshot => {
  const keys = ownKeys(object).filter((key) => !free.has(key))
  return { object, keys, descriptors: keys.map((key) => getOwnPropertyDescriptor(object, key)) }
}

/** Remembers the shared objects and returns a function that tells whether they are unchanged. */
export const watch = (): (() => boolean) => {
  const globals = names.map((name): unknown => Reflect.get(globalThis, name)).filter(isObject)
  const prototypes = globals.flatMap((object): ReadonlyArray<unknown> => {
    const prototype: unknown = Reflect.get(object, "prototype")
    return [prototype, isObject(prototype) ? Object.getPrototypeOf(prototype) : undefined]
  })
  const hidden: ReadonlyArray<unknown> = [
    [][Symbol.iterator](),
    new Map()[Symbol.iterator](),
    new Set()[Symbol.iterator](),
    (function* () {})(),
    (async function* () {})(),
    async () => {}
  ].map((value): unknown => Object.getPrototypeOf(value))
  const snapshots = [...new Set([...globals, ...prototypes, ...hidden].filter(isObject))].map(snapshot)

  return () => {
    // Loops by index, because a plugin may have replaced even the array iterator.
    for (let n = 0; n < snapshots.length; n++) {
      const { descriptors, keys, object } = snapshots[n] as Snapshot
      let count = 0
      const now = ownKeys(object)
      for (let k = 0; k < now.length; k++) {
        const key = now[k]
        if (key !== "stackTraceLimit" && key !== "prepareStackTrace") count++
      }
      if (count !== keys.length) return false
      for (let k = 0; k < keys.length; k++) {
        const before = descriptors[k]
        const after = getOwnPropertyDescriptor(object, keys[k] as PropertyKey)
        if (before === undefined || after === undefined) return false
        if (!is(before.value, after.value) || before.get !== after.get || before.set !== after.set)
          return false
      }
    }
    return true
  }
}
