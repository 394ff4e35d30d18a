/**
 * The whole API as a definition: the routes, OpenAPI, the documentation page and typed clients are made from it.
 * Clients may import it. A family is one file here and one in `handlers/`; see the README of this room.
 */
import { HttpApi, OpenApi } from "effect/http-api"
import { BriefFamily } from "./brief.ts"
import { Buy, TopUp } from "./buy.ts"
import { Contract } from "./Contract.ts"
import { Credits, CreditsOpen } from "./credits.ts"
import { Derivation } from "./derivation.ts"
import { Export, Gated } from "./gated.ts"
import { Keyless } from "./keyless.ts"
import { LogFamily } from "./log.ts"
import { ManifoldFamily } from "./manifold.ts"
import { Meta } from "./meta.ts"
import { showWholeNumbers } from "./parameters.ts"
import { X402Family } from "./x402.ts"

export class Api extends HttpApi.make("plumbline")
  .add(Keyless)
  .add(CreditsOpen)
  .add(Credits)
  .add(TopUp)
  .add(Buy)
  .add(Gated)
  .add(Export)
  .add(X402Family)
  .add(LogFamily)
  .add(Derivation)
  .add(BriefFamily)
  .add(ManifoldFamily)
  .add(Meta)
  .middleware(Contract)
  .annotateMerge(
    OpenApi.annotations({
      title: "Plumbline",
      // Of the interface, which evolves by addition; the software has its own in package.json.
      version: "1.0.0",
      description:
        "A verifiable data service for decentralized physical infrastructure networks and the physical world. " +
        "Every value says where it came from, when it was true and where to check it; what was not measured is " +
        "absent or null, never 0. Every answer is signed. The data are measurements, not investment advice.",
      license: { name: "Apache-2.0 (software)" },
      transform: (document) => showWholeNumbers(document as OpenApi.OpenAPISpec)
    })
  ) {}
