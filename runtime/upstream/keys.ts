/** Adds the keys of a manifest just before sending, and keeps them out of everything that is stored or shown. */
import { Redacted } from "effect"
import type { Manifest } from "../../core/plugin/Manifest.ts"
import type { TransportResponse } from "./transport.ts"

/** Values of the settings that manifests name in `auth`. */
export type KeyValues = Readonly<Record<string, Redacted.Redacted>>

/** A request to one host. */
export interface Outgoing {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

/** The credentials to request a host's access token with. */
export interface Client {
  readonly token: URL
  readonly form: URLSearchParams
}

export interface Keys {
  /** The client for a host that wants an access token, until `hold` has been given one. */
  readonly client: (host: string) => Client | undefined
  readonly hold: (host: string, token: string) => void
  /** Whether requests to the host have a key in them. */
  readonly isKeyed: (host: string) => boolean
  /** Whether an answer repeats a key. */
  readonly isIn: (answer: Pick<TransportResponse, "body" | "headers">) => boolean
  /** The request with the key of the host that it goes to, if there is one. */
  readonly add: (outgoing: Outgoing) => Outgoing
  /** The text without any key. */
  readonly strike: (text: string) => string
  /** The body without any key: an upstream may repeat it in an error. The same bytes where there is none. */
  readonly strikeBody: (body: Buffer) => Buffer
}

/** An empty variable counts as not set. */
const valueOf = (values: KeyValues, setting: string): string | undefined => {
  const value = values[setting]
  return value === undefined ? undefined : Redacted.value(value).trim() || undefined
}

/** Settings that the manifest needs and that have no value. */
export const missingKeys = (manifest: Manifest, values: KeyValues): ReadonlyArray<string> =>
  Object.values(manifest.auth ?? {})
    .filter(({ optional, setting }) => !optional && valueOf(values, setting) === undefined)
    .map(({ setting }) => setting)

export const keysOf = (manifest: Manifest, values: KeyValues): Keys => {
  const byHost = new Map(
    Object.entries(manifest.auth ?? {}).flatMap(([host, { as, setting }]) => {
      const value = valueOf(values, setting)
      return value === undefined ? [] : [[host, { as, value }] as const]
    })
  )
  // A shorter key ("demo") is an ordinary word that also occurs in answers, not a secret.
  const formsOf = (value: string) =>
    value.length < shortestSecret ? [] : [...new Set([value, encodeURIComponent(value), inJson(value)])]
  const secrets = [...byHost.values()].flatMap(({ as, value }) =>
    formsOf("client" in as ? value.slice(value.lastIndexOf(":") + 1) : value)
  )
  const tokens = new Map<string, string>()
  const strike = (text: string) => secrets.reduce((rest, secret) => rest.replaceAll(secret, "***"), text)
  return {
    client: (host) => {
      const key = byHost.get(host)
      if (key === undefined || !("client" in key.as) || tokens.has(host)) return undefined
      const cut = key.value.lastIndexOf(":")
      const form = new URLSearchParams({
        grant_type: "client_credentials",
        client_id: key.value.slice(0, Math.max(cut, 0)),
        client_secret: key.value.slice(cut + 1),
        scope: key.as.client.scope
      })
      return { token: new URL(key.as.client.token), form }
    },
    hold: (host, token) => {
      tokens.set(host, token)
      secrets.push(...formsOf(token))
    },
    isKeyed: (host) => byHost.has(host),
    isIn: ({ body, headers }) => {
      const text = Object.values(headers).join("\n")
      return secrets.some((secret) => body.includes(secret) || text.includes(secret))
    },
    add: (outgoing) => {
      const key = byHost.get(outgoing.url.host)
      if (key === undefined) return outgoing
      if ("client" in key.as) {
        const token = tokens.get(outgoing.url.host)
        return token === undefined
          ? outgoing
          : { ...outgoing, headers: { ...outgoing.headers, authorization: `Bearer ${token}` } }
      }
      if ("header" in key.as) {
        // A key for `Authorization` is a bearer token unless it names its own scheme.
        const bearer = key.as.header.toLowerCase() === "authorization" && !key.value.includes(" ")
        const header = { [key.as.header.toLowerCase()]: bearer ? `Bearer ${key.value}` : key.value }
        return { ...outgoing, headers: { ...outgoing.headers, ...header } }
      }
      if ("query" in key.as) {
        const url = new URL(outgoing.url)
        // Appended as text where it can be: `searchParams` would write the plugin's own query anew.
        if (url.searchParams.has(key.as.query)) url.searchParams.set(key.as.query, key.value)
        else url.search += `${url.search === "" ? "?" : "&"}${key.as.query}=${encodeURIComponent(key.value)}`
        return { ...outgoing, url }
      }
      return { ...outgoing, body: outgoing.body?.replaceAll(key.as.placeholder, inJson(key.value)) }
    },
    strike,
    strikeBody: (body) =>
      secrets.some((secret) => body.includes(secret))
        ? // Latin-1 keeps every byte of a body that is not UTF-8 text.
          Buffer.from(
            secrets.reduce(
              (rest, secret) => rest.replaceAll(Buffer.from(secret).toString("latin1"), "***"),
              body.toString("latin1")
            ),
            "latin1"
          )
        : body
  }
}

const shortestSecret = 8

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)
