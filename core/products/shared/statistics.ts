/** Statistics that several products share. */

/**
 * Benjamini-Hochberg q-values in the order of the p-values: the lowest false discovery rate at which each is a discovery.
 * Equal p-values get equal q-values.
 */
export const qValues = (p: ReadonlyArray<number>): ReadonlyArray<number> => {
  const order = p.map((value, index) => ({ value, index })).toSorted((a, b) => b.value - a.value)
  const q = new Array<number>(p.length).fill(1)
  let least = 1
  order.forEach(({ index, value }, n) => {
    least = Math.min(least, (value * p.length) / (p.length - n))
    q[index] = least
  })
  return q
}

/** Logarithmic changes between consecutive times; skips gaps and changes from or to 0. */
export const changes = (
  values: ReadonlyArray<number>,
  ends: ReadonlyArray<number>,
  length: number
): ReadonlyMap<number, number> => {
  const returns = new Map<number, number>()
  values.forEach((value, n) => {
    const [before, end, start] = [values[n - 1], ends[n], ends[n - 1]]
    if (before === undefined || end === undefined || start === undefined) return
    if (end - start !== length || before <= 0 || value <= 0) return
    returns.set(end, Math.log(value) - Math.log(before))
  })
  return returns
}
