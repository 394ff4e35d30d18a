/** Runs what a click starts, once at a time: meanwhile these buttons do nothing. */
export const busyAll = (buttons: ReadonlyArray<HTMLButtonElement>, work: () => Promise<void>): void => {
  for (const button of buttons) button.disabled = true
  work().finally(() => {
    for (const button of buttons) button.disabled = false
  })
}

export const busy = (pressed: HTMLButtonElement, work: () => Promise<void>): void => busyAll([pressed], work)
