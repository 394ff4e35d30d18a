/**
 * Brings the messages of alerts: by the operator's mail server, and to services at fixed hosts. Nothing that an owner writes
 * chooses a host, redirects are not followed, and nothing of an answer but its status is used.
 */
import { Duration, Effect, Layer, Option, Redacted, Scope } from "effect"
import type { Transporter } from "nodemailer"
import {
  type AlertMessage,
  Messengers,
  type Outcome,
  type SentChannel
} from "../../core/alerts/Messengers.ts"
import type { ChannelKind } from "../../core/wire/alerts/alert.ts"
import { guard, systemResolve } from "../upstream/address.ts"
import type { UpstreamMap } from "../upstream/map.ts"
import { toTransportError } from "../upstream/toTransportError.ts"

/** Well below the time for which an attempt is claimed. */
const timeout = Duration.seconds(15)

const mostRead = 16 * 1024

export interface MailServer {
  /** `smtp://` or `smtps://`, with user and password if it asks for them. */
  readonly url: Redacted.Redacted
  readonly from: string
}

export interface Options {
  readonly mail: Option.Option<MailServer>
  readonly telegramToken: Option.Option<Redacted.Redacted>
  /** Local stand-ins of the hosts, for tests. */
  readonly hosts: UpstreamMap
}

interface Post {
  readonly url: string
  readonly body: object
}

/** `&`, `<` and `>` have a meaning in a text of Slack. */
const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

/** What is sent to the service of a channel. */
const postOf = (
  channel: Exclude<SentChannel, { readonly kind: "email" }>,
  { endUrl, id, subject, text }: AlertMessage,
  token: string
): Post => {
  switch (channel.kind) {
    case "telegram":
      return {
        url: `https://api.telegram.org/bot${token}/sendMessage`,
        body: {
          chat_id: channel.chat_id,
          text: `${subject}\n\n${text}`,
          link_preview_options: { is_disabled: true }
        }
      }
    case "slack":
      return { url: channel.url, body: { text: escaped(text), unfurl_links: false } }
    case "discord":
      return { url: channel.url, body: { content: text, allowed_mentions: { parse: [] } } }
    case "ntfy":
      return {
        url: "https://ntfy.sh/",
        body: {
          topic: channel.topic,
          title: subject,
          message: text,
          sequence_id: id,
          ...(endUrl === undefined
            ? {}
            : { actions: [{ action: "view", label: "End this alert", url: endUrl }] })
        }
      }
  }
}

/** The address of a request: its own, or the stand-in of its host. */
const placeOf = (text: string, hosts: UpstreamMap): { readonly url: URL; readonly isStandIn: boolean } => {
  const url = new URL(text)
  const standIn = hosts.get(url.host)
  return standIn === undefined
    ? { url, isStandIn: false }
    : { url: new URL(url.pathname + url.search, standIn), isStandIn: true }
}

const http = Effect.gen(function* () {
  const { Agent, request } = yield* Effect.promise(() => import("undici"))
  const shared = { allowH2: false, maxHeaderSize: 16 * 1024, keepAliveTimeout: 1000 } as const
  return yield* Effect.acquireRelease(
    Effect.sync(() => ({
      request,
      guarded: new Agent({ ...shared, connect: { lookup: guard(systemResolve) } }),
      standIns: new Agent(shared)
    })),
    ({ guarded, standIns }) =>
      // biome-ignore lint/plugin/promise: closes connections, which does not reject
      Effect.promise(() => Promise.all([guarded.destroy(), standIns.destroy()]))
  )
})

/** Whether a password would go over the network in the clear if the server offered no encryption. */
const sendsPassword = (url: Redacted.Redacted): boolean => {
  const { hostname, password, protocol } = new URL(Redacted.value(url))
  return protocol === "smtp:" && password !== "" && !/^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname)
}

const transporter = ({ url }: MailServer) =>
  Effect.acquireRelease(
    Effect.map(
      Effect.promise(() => import("nodemailer")),
      ({ createTransport }) =>
        createTransport({
          url: Redacted.value(url),
          pool: true,
          maxConnections: 4,
          connectionTimeout: Duration.toMillis(timeout),
          greetingTimeout: Duration.toMillis(timeout),
          socketTimeout: Duration.toMillis(timeout),
          requireTLS: sendsPassword(url),
          // A text or an address is never read as a path or a URL to fetch.
          disableFileAccess: true,
          disableUrlAccess: true
        })
    ),
    (transport) => Effect.sync(() => transport.close())
  )

/** What a mail client does with its one-click button (RFC 8058). */
const listHeaders = (endUrl: string | undefined): Readonly<Record<string, string>> =>
  endUrl === undefined
    ? {}
    : { "List-Unsubscribe": `<${endUrl}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" }

/** Why a mail server did not take something. Its texts may name users and are not repeated. */
const toOutcome = (error: unknown): Outcome =>
  typeof error === "object" && error !== null && "responseCode" in error
    ? { status: Number(error.responseCode), error: `the mail server answered ${error.responseCode}` }
    : { error: "the mail server was not reached" }

const sendMail = (
  transport: Transporter,
  from: string,
  to: string,
  { endUrl, id, subject, text }: AlertMessage
) =>
  Effect.tryPromise({
    try: async (): Promise<Outcome> => {
      await transport.sendMail({
        from,
        to: { name: "", address: to },
        subject,
        text,
        // The same with every attempt, so a client shows a repeated one once.
        messageId: `<${id}@${
          from
            .split("@")
            .at(-1)
            ?.replace(/[^\w.-]/g, "") ?? "plumbline"
        }>`,
        headers: { ...listHeaders(endUrl), "Auto-Submitted": "auto-generated" }
      })
      return {}
    },
    catch: toOutcome
  }).pipe(Effect.catch((outcome) => Effect.succeed<Outcome>(outcome)))

/** Why the mail server cannot be used, in words without its answer; undefined if it can. Nothing is sent. */
export const verifyMail = (mail: MailServer): Effect.Effect<string | undefined> =>
  transporter(mail).pipe(
    Effect.flatMap((transport) =>
      Effect.tryPromise({ try: () => transport.verify(), catch: toOutcome }).pipe(
        Effect.as(undefined),
        Effect.catch(({ error }) => Effect.succeed(error))
      )
    ),
    Effect.scoped
  )

const bounded = (send: Effect.Effect<Outcome>): Effect.Effect<Outcome> =>
  Effect.timeoutOrElse(send, {
    duration: timeout,
    orElse: () => Effect.succeed({ error: `no answer within ${Duration.toSeconds(timeout)} s` })
  })

/** Brings nothing to anybody, as in test mode: whoever has paid nothing makes this service write to no stranger. */
export const none: Layer.Layer<Messengers> = Layer.succeed(
  Messengers,
  Messengers.of({
    offered: new Set(),
    send: () => Effect.succeed({ error: "test mode sends nothing to others" })
  })
)

export const layer = (options: Options): Layer.Layer<Messengers> =>
  Layer.effect(
    Messengers,
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      // Loaded by the first message, because many services send none.
      const client = yield* Effect.cached(Effect.provideService(http, Scope.Scope, scope))
      const mail = Option.getOrUndefined(options.mail)
      const transport =
        mail === undefined
          ? undefined
          : yield* Effect.cached(Effect.provideService(transporter(mail), Scope.Scope, scope))
      const token = Option.getOrUndefined(options.telegramToken)
      const post = Effect.fnUntraced(function* ({ body, url: text }: Post) {
        const { guarded, request, standIns } = yield* client
        const { isStandIn, url } = placeOf(text, options.hosts)
        return yield* Effect.tryPromise({
          try: async (signal): Promise<Outcome> => {
            const answer = await request(url, {
              dispatcher: isStandIn ? standIns : guarded,
              signal,
              method: "POST",
              headers: { "content-type": "application/json", "user-agent": "plumbline-alerts" },
              body: JSON.stringify(body)
            })
            await answer.body.dump({ limit: mostRead, signal })
            const { statusCode: status } = answer
            return status >= 200 && status < 300 ? { status } : { status, error: `it answered ${status}` }
          },
          catch: (error) => toTransportError(error, url.host).detail
        }).pipe(Effect.catch((error) => Effect.succeed<Outcome>({ error })))
      })
      const offered: ReadonlySet<ChannelKind> = new Set([
        ...(mail === undefined ? [] : ["email" as const]),
        ...(token === undefined ? [] : ["telegram" as const]),
        "slack",
        "discord",
        "ntfy"
      ])
      const absent: Outcome = { error: "this service does not send by this channel any more" }
      return Messengers.of({
        offered,
        send: Effect.fn("Messengers.send")(function* (channel, message) {
          if (!offered.has(channel.kind)) return absent
          if (channel.kind !== "email")
            return yield* bounded(
              post(postOf(channel, message, token === undefined ? "" : Redacted.value(token)))
            )
          if (mail === undefined || transport === undefined) return absent
          return yield* bounded(sendMail(yield* transport, mail.from, channel.address, message))
        })
      })
    })
  )
