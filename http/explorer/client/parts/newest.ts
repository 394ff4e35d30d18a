/**
 * The newest asked is the one shown. Pieces of work for one place on a page take a turn when they are asked for; one that
 * ends after a newer one was asked for shows nothing.
 */

/** Takes a turn, and gives whether it is still the newest. */
export type TakeTurn = () => () => boolean

/** The turns of one place. */
export const turns = (): TakeTurn => {
  let newest = 0
  return () => {
    const turn = ++newest
    return () => turn === newest
  }
}
