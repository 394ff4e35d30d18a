/**
 * The complete API definition. Routes, OpenAPI, the documentation page and typed clients are generated from it, and
 * clients may import it. Each family is one file here and one in `handlers/`; see README.md.
 */
import { HttpApi, OpenApi } from "effect/http-api"
import { AlertsFamily } from "./alerts.ts"
import { ArchiveFamily } from "./archive.ts"
import { BriefFamily } from "./brief.ts"
import { Buy, TopUp } from "./buy.ts"
import { Contract } from "./Contract.ts"
import { Credits, CreditsOpen } from "./credits.ts"
import { Derivation } from "./derivation.ts"
import { EventsFamily } from "./events.ts"
import { Export, Gated } from "./gated.ts"
import { Keyless } from "./keyless.ts"
import { LogFamily } from "./log.ts"
import { ManifoldFamily } from "./manifold.ts"
import { Measures } from "./measures.ts"
import { Meta } from "./meta.ts"
import { PaidReads } from "./paidReads.ts"
import { showWholeNumbers } from "./parameters.ts"
import { WebhooksFamily } from "./webhooks.ts"
import { X402Family } from "./x402.ts"

/** The version of the interface, which only grows; the software version is in package.json. */
export const version = "1.0.0"

export class Api extends HttpApi.make("plumbline")
  .add(Keyless)
  .add(Measures)
  .add(EventsFamily)
  .add(WebhooksFamily)
  .add(AlertsFamily)
  .add(CreditsOpen)
  .add(Credits)
  .add(TopUp)
  .add(Buy)
  .add(Gated)
  .add(Export)
  .add(X402Family)
  .add(PaidReads)
  .add(LogFamily)
  .add(ArchiveFamily)
  .add(Derivation)
  .add(BriefFamily)
  .add(ManifoldFamily)
  .add(Meta)
  .middleware(Contract)
  .annotateMerge(
    OpenApi.annotations({
      title: "Plumbline",
      version,
      description:
        "Verifiable data about decentralized physical infrastructure networks (DePIN) and the physical world. " +
        "Every value names its source, the time it was true and a URL to check it against. What was not measured is " +
        "absent or null, never 0. Every response is signed, except streams of events (whose events are signed), parts of archive files (206) and refusals that state no data: " +
        "429, 405, 404 for a path that does not exist, 400 for a malformed URL, 414 for one that is too long, 401 for a malformed key, 408, 431, " +
        "and the 308 of a page's address with a slash too many. The data are measurements, not investment advice.",
      license: { name: "Apache-2.0 (software)", identifier: "Apache-2.0" },
      transform: (document) => showWholeNumbers(document as OpenApi.OpenAPISpec)
    })
  ) {}
