/** Keeps the ages on a page current: the only thing that moves by itself. */
import { formatAge, formatAged } from "../../html/format.ts"

const tick = (offset: number): void => {
  for (const time of document.querySelectorAll<HTMLTimeElement>("time[data-age]")) {
    const ms = Date.now() + offset - Date.parse(time.dateTime)
    const text = time.dataset["age"] === "phrase" ? formatAged(ms) : formatAge(ms)
    if (time.textContent !== text) time.textContent = text
  }
}

/** The time that the page speaks of, epoch milliseconds; of a page without one, that of the reader. */
export const renderTime = (): number => {
  const rendered = document.querySelector<HTMLTimeElement>(".foot time")
  return rendered === null ? Date.now() : Date.parse(rendered.dateTime)
}

/** The service's clock may be another than the reader's, and in a demonstration it is. */
export const keepAges = (): void => {
  const offset = renderTime() - Date.now()
  // biome-ignore lint/plugin/loop: in a browser, which shows the error and goes on
  setInterval(() => tick(offset), 30_000)
}
