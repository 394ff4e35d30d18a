/**
 * Which rows come from a plugin that nobody of this project reviewed: one that an operator loads from elsewhere. The label of its
 * source says so permanently, in leaves too. Browsers load this file, so that it imports nothing.
 */

/** How the label of a source begins that is read by a plugin from elsewhere, and of no other. */
const mark = "outside_"

/** Whether the plugin behind rows with this source was reviewed here. */
export const isReviewed = (source: string): boolean => !source.startsWith(mark)

/** What people are told of one that was not. */
export const notReviewed = "not reviewed here"
