/**
 * A function of bytes that is made once for the same array: the nodes near a root are on the way to every key. It forgets arrays that
 * nobody has any more.
 */
export const once = <A>(work: (bytes: Uint8Array) => A): ((bytes: Uint8Array) => A) => {
  const results = new WeakMap<Uint8Array, { readonly value: A }>()
  return (bytes) => {
    const before = results.get(bytes)
    if (before !== undefined) return before.value
    const value = work(bytes)
    results.set(bytes, { value })
    return value
  }
}
