/** One line of the list that follows the typing, and where it leads. A browser loads this file. */
export interface Suggestion {
  readonly text: string
  readonly beside: string
  readonly address: string
}
