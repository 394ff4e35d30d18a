/** What `Documents.ts` asks of its thread, and gets. */
import type { Listed } from "../../../core/credits/x402/X402.ts"
import type { HttpSettings } from "../../HttpSettings.ts"
import type { ExtraRoute } from "../../routing/ExtraRoutes.ts"

/** What the documentation says of this service. */
export interface About {
  readonly baseUrl: string
  readonly limits: ReadonlyArray<string>
  readonly extraRoutes: ReadonlyArray<Pick<ExtraRoute, "method" | "path" | "summary">>
}

/** What a page is framed with, as a thread can be sent it: `Frame` of `shell.ts`. */
export interface SentFrame extends Pick<HttpSettings["Service"], "baseUrl" | "mode"> {
  /** As `Assets` has them. */
  readonly addresses: Readonly<Record<string, string>>
}

export type Task =
  | { readonly of: "documentation"; readonly about: About; readonly frame: SentFrame }
  | { readonly of: "sales"; readonly products: ReadonlyArray<Listed>; readonly baseUrl: string }

/** A whole answer. The thread gives them by their paths. */
export interface Document {
  readonly contentType: string
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Uint8Array
}
