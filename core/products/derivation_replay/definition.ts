/** `derivation_replay`: the raw payloads of one collector run, so buyers can hash them and repeat the derivation. */
import { Schema } from "effect"
import { CodeResponse, DerivationExchange, DerivationRun } from "../../wire/log/derivation.ts"
import { head, natural } from "../../wire/products/payload.ts"
import { define } from "../definition.ts"

export const RawBody = Schema.Struct({
  encoding: Schema.NullOr(Schema.Literals(["utf-8", "base64"])).annotate({
    description:
      "Encoding of `content`: plain text if the bytes are UTF-8, otherwise base64; null if withheld"
  }),
  content: Schema.NullOr(Schema.String).annotate({
    description: "The body as read, after content decoding; its bytes hash to the accompanying `sha256`"
  }),
  withheld: Schema.optionalKey(
    Schema.Literals(["gone", "damaged", "not_for_resale"]).annotate({
      description:
        "Why the body is withheld. `gone`: its retention period is over; `damaged`: the stored copy no longer matches what was read; `not_for_resale`: nobody has read that the upstream's terms allow it"
    })
  )
}).annotate({ identifier: "RawBody", description: "The bytes behind a hash" })
export interface RawBody extends Schema.Schema.Type<typeof RawBody> {}

const { exchanges: _, ...runFields } = DerivationRun.fields

const { body_kept: __, ...exchangeFields } = DerivationExchange.fields

export const DerivationReplay = Schema.Struct({
  ...head,
  run: Schema.Struct(runFields).annotate({ description: "The run, as /v1/derivation lists it" }),
  bytes_delivered: natural("Total bytes of the bodies in this answer"),
  n_delivered: natural("Exchanges whose body is in this answer"),
  n_withheld: natural("Exchanges whose body is withheld"),
  exchanges: Schema.Array(
    Schema.Struct({ ...exchangeFields, body: RawBody }).annotate({
      identifier: "ReplayExchange",
      description: "One exchange with an upstream, with the response body"
    })
  ).annotate({ description: "All exchanges of the run, in order" }),
  targets: Schema.Struct({ sha256: exchangeFields.sha256, body: RawBody }).annotate({
    description: "The list of networks given to the run"
  }),
  files: Schema.NullOr(CodeResponse.fields.files).annotate({
    description: "The files behind `code_hash`; null if the list is not stored"
  })
}).annotate({
  identifier: "DerivationReplay",
  description: "Everything the rows of one run were derived from"
})
export interface DerivationReplay extends Schema.Schema.Type<typeof DerivationReplay> {}

export default define({
  key: "derivation_replay",
  title: "Derivation replay",
  schema: DerivationReplay,
  onlyNow: "a run never changes; name the run",
  sale: {
    content: "Raw upstream payloads of one run, with the SHA-256 of each fetch and the collector's code hash",
    free: "Free: the hashes of every run at /v1/derivation.",
    price: "2.99",
    inputs: {
      run: "Id of a run of /v1/derivation; defaults to the newest run whose payloads may be resold"
    }
  }
})
