/**
 * Debian's Chromium, driven by playwright: one browser for a file of tests. It reaches the service under test and nothing
 * else; whatever a page asks of another host is refused and noted.
 */
import { Context, Effect, Layer } from "effect"
import { type Browser, chromium, type Page } from "playwright-core"
import { pathOf } from "./programs.ts"
import { Service } from "./service.ts"

export interface OpenPage {
  readonly page: Page
  /** Errors of scripts, of the console and of the content security policy. */
  readonly errors: Array<string>
  /** What was asked of other hosts. */
  readonly outside: Array<string>
  /** Bytes of scripts as they were sent. */
  readonly scripts: Map<string, number>
}

export interface Window {
  readonly width?: number
  readonly theme?: "light" | "dark"
  readonly script?: boolean
  /** Lets a test put a script of its own into the page, which the page's policy forbids. */
  readonly forbidden?: boolean
  /** Another address than the service's own, such as that of somebody in between. */
  readonly at?: string
}

export class Chromium extends Context.Service<
  Chromium,
  {
    /** Opens a path of the service in a new window and runs what is to be seen there; the window closes afterwards. */
    readonly open: <A>(
      path: string,
      look: (opened: OpenPage) => Promise<A>,
      window?: Window
    ) => Effect.Effect<A>
  }
>()("test/Chromium") {
  static readonly layer = Layer.effect(
    Chromium,
    Effect.gen(function* () {
      const { port } = yield* Service
      const origin = `http://127.0.0.1:${port}`
      const browser = yield* Effect.acquireRelease(
        Effect.promise(() =>
          chromium.launch({
            executablePath: pathOf("chromium"),
            args: ["--no-sandbox", "--disable-gpu"]
          })
        ),
        (browser) => Effect.promise(() => browser.close())
      )
      return Chromium.of({
        open: (path, look, window = {}) =>
          Effect.promise(() => visit(browser, window.at ?? origin, path, look, window))
      })
    })
  )
}

const visit = async <A>(
  browser: Browser,
  origin: string,
  path: string,
  look: (opened: OpenPage) => Promise<A>,
  { forbidden = false, script = true, theme = "light", width = 1440 }: Window
): Promise<A> => {
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme: theme,
    javaScriptEnabled: script,
    bypassCSP: forbidden,
    reducedMotion: "reduce"
  })
  try {
    const page = await context.newPage()
    const opened: OpenPage = { page, errors: [], outside: [], scripts: new Map() }
    await context.route(
      (url) => url.origin !== origin,
      (route) => {
        opened.outside.push(route.request().url())
        return route.abort()
      }
    )
    page.on("pageerror", (error) => opened.errors.push(String(error)))
    page.on("console", (message) => {
      if (message.type() === "error") opened.errors.push(message.text())
    })
    page.on("response", (response) => {
      const length = Number(response.headers()["content-length"] ?? Number.NaN)
      if (response.request().resourceType() === "script") opened.scripts.set(response.url(), length)
    })
    await page.goto(`${origin}${path}`, { waitUntil: "load" })
    return await look(opened)
  } finally {
    await context.close()
  }
}
