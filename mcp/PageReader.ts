/** A thread that reads pages out of long purchases. It is there from the start, and what it runs is loaded with its first task. */
import { Context, Effect, Layer } from "effect"
import { makeThread } from "../core/process/threads/thread.ts"
import type { PageTask, PurchasePage } from "./purchasePage.ts"

export class PageReader extends Context.Service<
  PageReader,
  { readonly page: (task: PageTask) => Effect.Effect<PurchasePage> }
>()("mcp/PageReader") {
  static readonly layer = Layer.effect(
    PageReader,
    Effect.map(
      makeThread<PageTask, PurchasePage>(new URL("pages.thread.ts", import.meta.url), "pages"),
      (page) => PageReader.of({ page })
    )
  )
}
