/** One outside party that the books are compared with. */
export interface Side {
  readonly name: "card" | "stablecoin" | "x402"
  /** Why it was not compared; undefined if it was. */
  readonly skipped?: string
  /** What the books have of these days, in USD. */
  readonly books_usd: string
  /** What the other side has of them. */
  readonly theirs_usd: string
  /** Lines of theirs that no customer caused, such as payouts and fees, by kind. */
  readonly other_usd?: Readonly<Record<string, string>>
  readonly fees_usd?: string
  readonly n_compared: number
  readonly differences: ReadonlyArray<string>
}
