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
}

export const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/** To three significant digits: more is noise. */
export const rounded = (value: number): number => Number(value.toPrecision(3))
