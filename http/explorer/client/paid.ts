/** Asks again until the payment has arrived: soon at first, then more and more rarely. */
import { addCopy } from "./parts/copyButton.ts"
import "./page.ts"
import { pageOf } from "./parts/trusted.ts"

/** Seconds between one question and the next. */
const waits = [2, 2, 3, 5, 8, 13, 20, 30]
/** From then on the page says that it takes long. */
const long = 45
/** Then it gives up; a reload goes on. */
const most = 15 * 60

let waited = 0

const show = (): void => {
  const later = document.querySelector<HTMLElement>(".later")
  if (later !== null && waited >= long) later.hidden = false
  const statusLine = document.querySelector<HTMLElement>("#waiting")
  if (statusLine === null) return
  statusLine.textContent =
    waited >= most
      ? "Stopped asking. Load this page again to go on."
      : `Asking again by itself; ${waited} s so far.`
}

const copyKey = (): void => {
  const key = document.querySelector<HTMLElement>("#paid .key")
  if (key !== null) addCopy(key, "the key")
}

const ask = async (): Promise<boolean> => {
  const response = await fetch(location.href)
  if (!response.ok) return false
  const page = pageOf(await response.text())
  const fresh = page.querySelector<HTMLElement>("#paid")
  if (fresh === null || fresh.dataset["state"] === "waiting") return false
  document.querySelector("#paid")?.replaceWith(fresh)
  document.title = page.title
  copyKey()
  fresh.querySelector("h1")?.setAttribute("tabindex", "-1")
  fresh.querySelector("h1")?.focus()
  return true
}

const next = (place: number): void => {
  const wait = waits[Math.min(place, waits.length - 1)] ?? 30
  setTimeout(() => {
    waited += wait
    ask()
      .catch(() => false)
      .then((done) => {
        if (done) return
        show()
        if (waited < most) next(place + 1)
      })
  }, wait * 1000)
}

copyKey()
if (document.querySelector<HTMLElement>("#paid")?.dataset["state"] === "waiting") {
  show()
  next(0)
}
