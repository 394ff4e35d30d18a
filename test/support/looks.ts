/** What only eyes would see of a page that a browser has open: each a measure, or the texts that are at fault. */
import type { Page } from "playwright-core"

/** Pixels of the smallest letter of a chart that is to be seen, as it is drawn; undefined without letters. */
export const smallestLetter = async (page: Page): Promise<number | undefined> => {
  const size: unknown = await page.evaluate(`Math.min(...[...document.querySelectorAll("svg text")]
    .filter((text) => text.getClientRects().length > 0 && text.textContent !== "")
    .map((text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a))`)
  return typeof size === "number" && Number.isFinite(size) ? size : undefined
}

const watchShifts = `window.shifted = 0
new PerformanceObserver((list) => {
  for (const { value } of list.getEntries()) window.shifted += value
}).observe({ type: "layout-shift", buffered: true })
// A browser shows no letters at all for the first 100 ms, and those of the system after them.
new PerformanceObserver(() => setTimeout(() => window.painted(), 200)).observe({ type: "paint", buffered: true })`

/** How far a page jumps when its letters come after its first paint. */
export const shiftOf = async (page: Page, address: string): Promise<number> => {
  let release = () => {}
  const painted = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route("**/*.woff2", async (route) => {
    await painted
    await route.continue()
  })
  await page.exposeFunction("painted", release)
  await page.addInitScript(watchShifts)
  await page.goto(address, { waitUntil: "load" })
  await page.evaluate(
    "document.fonts.ready.then(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))"
  )
  return Number(await page.evaluate("window.shifted"))
}

/** Figures that stand whole on the screen: numbers of the data, each marked as one, and maps and charts of them. */
export const figuresInSight = (page: Page): Promise<unknown> =>
  page.evaluate(`[...document.querySelectorAll(".big, .value, data, td, dd, main svg.chart, main svg.map")]
    .filter((one) => one.matches("svg") || /\\d/.test(one.textContent))
    .filter((one) => one.closest("footer") === null && one.getBoundingClientRect().height > 0)
    .filter((one) => one.getBoundingClientRect().bottom <= innerHeight).length`)

/** Words with low lines, as programs have them, in what people read: not in code, and not in what is there to be copied. */
export const programNames = (page: Page): Promise<unknown> =>
  page.evaluate(`(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const names = new Set()
    while (walker.nextNode()) {
      const { parentElement, textContent } = walker.currentNode
      if (parentElement.closest("code, pre, kbd, samp, textarea, script, style, noscript") !== null) continue
      for (const [name] of textContent.matchAll(/[A-Za-z\\d]+(?:_[A-Za-z\\d]+)+/g)) names.add(name)
    }
    return [...names]
  })()`)

/** Texts that stand in a strip so narrow that they run down the page a few letters a line. */
export const narrowTexts = (page: Page): Promise<unknown> =>
  page.evaluate(`[...document.querySelectorAll("main dd, main dt, main td, main th, main li, main p")]
    .filter((one) => one.closest(".visually-hidden, svg") === null && one.textContent.trim().length > 60)
    .filter((one) => { const { height, width } = one.getBoundingClientRect(); return width > 0 && height > 8 * width })
    .map((one) => one.textContent.trim().slice(0, 40))`)

/** Tables of numbers of which a phone shows none: the first is beyond the edge, and nobody scrolls to what he does not know of. */
export const hiddenNumbers = (page: Page): Promise<unknown> =>
  page.evaluate(`[...document.querySelectorAll("main table:has(td.n)")]
    .filter((table) => table.getBoundingClientRect().height > 0)
    .filter((table) => [...table.querySelectorAll("tbody tr:first-child td.n")].every((one) => (one.querySelector("data") ?? one).getBoundingClientRect().left > innerWidth - 40))
    .map((table) => table.getAttribute("aria-label") ?? table.getAttribute("aria-labelledby") ?? table.className)`)

/** Lines of one text that stand further apart than the others, since a word of them is higher than its letters. */
export const highWords = (page: Page): Promise<unknown> =>
  page.evaluate(`[...document.querySelectorAll("main .term")]
    .filter((one) => one.getBoundingClientRect().height > 2 * parseFloat(getComputedStyle(one).fontSize))
    .map((one) => one.textContent)`)

/** Numbers of a thousand and more with decimals: nobody reads as many digits in a list. */
export const longNumbers = (page: Page): Promise<unknown> =>
  page.evaluate(`[...document.querySelectorAll("main data, main td, main dd, main h1, main .sub, main strong")]
    .filter((one) => one.getBoundingClientRect().height > 0)
    .flatMap((one) => one.textContent.match(/\\d,\\d{3}\\.\\d+/g) ?? [])`)

/** Sentences that stand more than once in the paragraphs of a page. */
export const doubledSentences = (page: Page): Promise<unknown> =>
  page.evaluate(`(() => {
    const texts = [...document.querySelectorAll("main p")].filter((one) => one.getBoundingClientRect().height > 0)
    const sentences = texts.flatMap((one) => one.textContent.split(/(?<=[.])\\s+/)).map((one) => one.trim())
      .filter((one) => one.length >= 25 && !/\\d/.test(one))
    return [...new Set(sentences.filter((one, n) => sentences.indexOf(one) !== n))]
  })()`)

/** How far down the page one half of it is empty beside the other, in pixels: the longest such stretch. */
export const emptyHalf = (page: Page): Promise<unknown> =>
  page.evaluate(`(() => {
    const main = document.querySelector("main").getBoundingClientRect()
    const middle = main.left + main.width / 2
    const step = 20
    const rows = Array.from({ length: Math.ceil(main.height / step) }, () => [false, false])
    const fill = ({ bottom, height, left, right, top, width }) => {
      if (height === 0 || width === 0) return
      for (let at = Math.floor((top - main.top) / step); at <= (bottom - main.top) / step; at++) {
        if (rows[at] === undefined) continue
        if (left < middle) rows[at][0] = true
        if (right > middle) rows[at][1] = true
      }
    }
    const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      const node = walker.currentNode
      if (node.textContent.trim() === "" || node.parentElement.closest(".visually-hidden, svg, [hidden]") !== null) continue
      const range = document.createRange()
      range.selectNodeContents(node)
      for (const one of range.getClientRects()) fill(one)
    }
    for (const one of document.querySelectorAll("main table, main svg, main img, main input, main textarea, main select, main pre")) fill(one.getBoundingClientRect())
    let longest = 0
    let run = 0
    for (const [left, right] of rows) {
      if (left !== right) run += step
      else if (left && right) run = 0
      longest = Math.max(longest, run)
    }
    return longest
  })()`)

/** Pixels below a chart that its column leaves empty beside the other one. */
export const emptyBelowChart = (page: Page): Promise<unknown> =>
  page.evaluate(`(() => {
    const hero = document.querySelector("main .hero")
    const middle = innerWidth / 2
    // What stretches to the height of its row is empty all the same: what it holds counts.
    const left = [...hero.querySelectorAll(":scope > * > *")].map((one) => one.getBoundingClientRect())
      .filter((one) => one.height > 0 && one.left < middle)
    return hero.getBoundingClientRect().bottom - Math.max(...left.map((one) => one.bottom))
  })()`)

export const links = (page: Page): Promise<unknown> =>
  page.evaluate(`[...document.querySelectorAll("a[href^='/']")].map((one) => one.getAttribute("href"))`)
