/**
 * A number of an answer that a double would round: it is this text, digit for digit. It has no order and takes part in no
 * arithmetic of its own, so that nobody calculates with the rounded one by mistake; `sum`, `largest` and `difference` of
 * `#plugin/fields` keep its digits, and so does `observe`.
 */
export class Decimal {
  readonly _tag = "Decimal"
  /** A plain decimal without an exponent, in the form of `decimalText`. */
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toString(): string {
    return this.text
  }

  toJSON(): string {
    return this.text
  }

  [Symbol.toPrimitive](hint: string): string {
    if (hint === "string") return this.text
    throw new TypeError(`${this.text} has more digits than a double: use sum, difference or combine`)
  }
}
