/** One line of the table that `npm run bench` prints. */
export interface Row {
  readonly what: string
  readonly value: number
  readonly unit: string
  /** The figure of what it is compared with in the same run; absent where a limit stands there. */
  readonly peer?: number
  /** `value` over `peer`, or over the limit. */
  readonly ratio: number
  readonly aim: string
  /** Whether the aim is met, where the benchmark says so. */
  readonly met?: boolean
}

/** A row whose figure is to be at least `factor` times its peer's. */
export const beside = (
  what: string,
  unit: string,
  [value, peer]: readonly [value: number, peer: number],
  [factor, name]: readonly [factor: number, name: string]
): Row => ({
  what,
  value: rounded(value),
  unit,
  peer: rounded(peer),
  ratio: rounded(value / peer),
  aim: `>= ${factor} of ${name}`,
  met: value >= factor * peer
})

/** A row whose figure is to be at least, or at most, so much. */
export const within = (
  what: string,
  unit: string,
  value: number,
  [relation, limit]: readonly [relation: ">=" | "<=", limit: number]
): Row => ({
  what,
  value: rounded(value),
  unit,
  ratio: rounded(value / limit),
  aim: `${relation} ${limit} ${unit}`,
  met: relation === ">=" ? value >= limit : value <= limit
})

export const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/** To three significant digits: more is noise. */
export const rounded = (value: number): number => Number(value.toPrecision(3))
