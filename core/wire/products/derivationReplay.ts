/** `derivation_replay`: the raw payloads of one collector run, to be hashed and derived again. */
import { Schema } from "effect"
import { CodeResponse, DerivationExchange, DerivationRun } from "../log/derivation.ts"
import { head, natural } from "./payload.ts"

export const RawBody = Schema.Struct({
  encoding: Schema.NullOr(Schema.Literals(["utf-8", "base64"])).annotate({
    description:
      "How `content` holds the bytes: as text where they are UTF-8, else base64; null where they are withheld"
  }),
  content: Schema.NullOr(Schema.String).annotate({
    description: "The body as it was read, after content decoding; its bytes have the SHA-256 beside it"
  }),
  withheld: Schema.optionalKey(
    Schema.Literals(["gone", "damaged", "not_for_resale"]).annotate({
      description:
        "Why there is none: its time to be kept is over, what is kept is not what was read, or the upstream's terms forbid it"
    })
  )
}).annotate({ identifier: "RawBody", description: "The bytes behind a hash" })
export interface RawBody extends Schema.Schema.Type<typeof RawBody> {}

const { exchanges: _, ...runFields } = DerivationRun.fields

const { body_kept: __, ...exchangeFields } = DerivationExchange.fields

export const DerivationReplay = Schema.Struct({
  ...head,
  run: Schema.Struct(runFields).annotate({ description: "The run, as /v1/derivation lists it" }),
  bytes_delivered: natural("Bytes of the bodies in this answer"),
  n_delivered: natural("Exchanges whose body is in this answer"),
  n_withheld: natural("Exchanges whose body is not"),
  exchanges: Schema.Array(
    Schema.Struct({ ...exchangeFields, body: RawBody }).annotate({
      identifier: "ReplayExchange",
      description: "One exchange with an upstream, and what it answered"
    })
  ).annotate({ description: "All exchanges of the run, in their order" }),
  targets: Schema.Struct({ sha256: exchangeFields.sha256, body: RawBody }).annotate({
    description: "The list of networks that the run was given"
  }),
  files: Schema.NullOr(CodeResponse.fields.files).annotate({
    description: "The files behind `code_hash`; null where the list is not kept"
  })
}).annotate({ identifier: "DerivationReplay", description: "All that the rows of one run came from" })
export interface DerivationReplay extends Schema.Schema.Type<typeof DerivationReplay> {}
