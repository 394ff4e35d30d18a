/** Lets the page answer its reader before the next piece of work. */
export const turn = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve)
  })
