/** Adds the keys of a manifest just before sending, and keeps them out of everything that is kept or shown. */
import { Redacted } from "effect"
import type { Manifest } from "../../core/plugin/Plugin.ts"

/** Values of the settings that manifests name in `auth`. */
export type KeyValues = Readonly<Record<string, Redacted.Redacted>>

/** What goes to one host. */
export interface Outgoing {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

export interface Keys {
  /** The request with the key of the host that it goes to, if there is one. */
  readonly add: (outgoing: Outgoing) => Outgoing
  /** The text without any key. */
  readonly strike: (text: string) => string
  /** The body without any key: an upstream may repeat it in an error. The same bytes where there is none. */
  readonly strikeBody: (body: Buffer) => Buffer
}

/** An empty text is how an environment says that a setting is not there. */
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
  // A shorter key ("demo") is a word that stands in answers anyway, and no secret.
  const secrets = [...byHost.values()]
    .filter(({ value }) => value.length >= shortestSecret)
    .flatMap(({ value }) => [...new Set([value, encodeURIComponent(value), inJson(value)])])
  const strike = (text: string) => secrets.reduce((rest, secret) => rest.replaceAll(secret, "***"), text)
  return {
    add: (outgoing) => {
      const key = byHost.get(outgoing.url.host)
      if (key === undefined) return outgoing
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
