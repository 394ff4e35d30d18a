/** Who brings messages to their addressees. The room that composes the service says how. */
import { Context, type Effect } from "effect"
import type { AlertChannel, ChannelKind } from "../wire/alerts/alert.ts"

/** Channels that something is sent to by a messenger; webhooks have their own deliverer, and feeds are read. */
export type SentChannel = Exclude<AlertChannel, { readonly kind: "webhook" | "feed" }>

/** A message as its addressee reads it. */
export interface AlertMessage {
  /** The same with every attempt. */
  readonly id: string
  readonly subject: string
  /** Plain text: what happened, and the addresses of proofs and of the end of the alert. */
  readonly text: string
  /** Where the alert is ended with one click; absent in what asks for a confirmation. */
  readonly endUrl?: string
}

/** What came of one attempt: nothing, if it was taken; otherwise why not, and the status of the answer if there was one. */
export type Outcome = { readonly status?: number; readonly error?: string }

export class Messengers extends Context.Service<
  Messengers,
  {
    /** The channels that this service can send to. */
    readonly offered: ReadonlySet<ChannelKind>
    /** Sends once, to the fixed host of the channel or the mail server of the operator. */
    readonly send: (channel: SentChannel, message: AlertMessage) => Effect.Effect<Outcome>
  }
>()("core/alerts/Messengers") {}
