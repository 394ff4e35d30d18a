/** `Upstream` as a recording has it: people read and edit a case, which they could not do with the nodes of a trie. */
import { Effect } from "effect"
import { asksForProof } from "../../core/plugin/shapes/asksForProof.ts"
import { nameOf, notRecorded, type Upstream, UpstreamUnreachable } from "../../core/plugin/Upstream.ts"

/** Answers no request for a chain's proof: then a collector reads the values themselves, and says nothing of a proof. */
export const withoutProofs = (inner: Upstream["Service"]): Upstream["Service"] => ({
  ...inner,
  exchange: (request) =>
    asksForProof(request.body)
      ? Effect.fail(new UpstreamUnreachable({ request: nameOf(request), detail: notRecorded }))
      : inner.exchange(request)
})
