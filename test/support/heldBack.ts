/** Answers that a test holds back, so that what was asked for first ends last. */
import type { Page, Request } from "playwright-core"

export interface HeldBack {
  /** Resolves once the service has answered. */
  readonly arrived: Promise<void>
  /** Gives the page what the service answered, or no answer at all, and waits until it has that. */
  readonly release: (how?: "answered" | "refused") => Promise<void>
}

/** Holds back the answer to the next request that `isIt`. */
export const holdBack = async (page: Page, isIt: (request: Request) => boolean): Promise<HeldBack> => {
  const arrived = Promise.withResolvers<void>()
  const released = Promise.withResolvers<"answered" | "refused">()
  const ended = Promise.withResolvers<void>()
  let chosen: Request | undefined
  const end = (request: Request) => {
    if (request === chosen) ended.resolve()
  }
  page.on("requestfinished", end)
  page.on("requestfailed", end)
  await page.route("**", async (route, request) => {
    if (chosen !== undefined || !isIt(request)) return route.fallback()
    chosen = request
    const response = await route.fetch()
    arrived.resolve()
    return (await released.promise) === "answered" ? route.fulfill({ response }) : route.abort()
  })
  return {
    arrived: arrived.promise,
    release: (how = "answered") => {
      released.resolve(how)
      return ended.promise
    }
  }
}

/** Whether a request's address has a part. */
export const asks =
  (part: string) =>
  (request: Request): boolean =>
    request.url().includes(part)

/** Notes the text of a place whenever the page changes from now on; gives the texts. */
export const textsShown = async (
  page: Page,
  selector: string
): Promise<() => Promise<ReadonlyArray<string>>> => {
  const texts = await page.evaluateHandle(`(() => {
    const texts = []
    const note = () => texts.push(document.querySelector(${JSON.stringify(selector)})?.textContent ?? "")
    new MutationObserver(note).observe(document.body, { childList: true, characterData: true, subtree: true })
    return texts
  })()`)
  return async () => (await texts.jsonValue()) as ReadonlyArray<string>
}
