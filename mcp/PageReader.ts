/** Reads pages out of long purchases, in a thread. */
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
