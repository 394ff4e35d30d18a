/** Makes a value when it is first asked for, and only then. */
export const lazily = <A>(make: () => A): (() => A) => {
  let cached: { readonly value: A } | undefined
  return () => {
    cached ??= { value: make() }
    return cached.value
  }
}
