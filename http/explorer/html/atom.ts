/** Atom feeds (RFC 4287): every feed of the service is written here. */
import { HttpServerResponse } from "effect/http"
import { escapeXml } from "../charts/xml.ts"

export interface AtomLink {
  /** Absolute. */
  readonly href: string
  readonly type: string
}

export interface AtomEntry {
  /** An IRI that is this entry's for good. */
  readonly id: string
  readonly title: string
  /** ISO 8601 in UTC. */
  readonly updated: string
  /** What the entry is about. */
  readonly page: AtomLink
  /** Its proof, or the same for programs. */
  readonly related?: AtomLink
  readonly summary?: string
  /** HTML. */
  readonly content?: string
}

export interface AtomFeed {
  /** An IRI that is this feed's for good. */
  readonly id: string
  readonly title: string
  readonly subtitle?: string
  /** The address of the feed itself, absolute. */
  readonly self: string
  /** The address of the page that it is the feed of, absolute; a private feed has none. */
  readonly page?: string
  /** Newest first. */
  readonly entries: ReadonlyArray<AtomEntry>
}

/** The time of a feed without an entry: it has never changed. */
const never = "1970-01-01T00:00:00Z"

/** Text for XML 1.0, which has no control characters but these three, and no halves of pairs. */
const text = (value: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be written
  escapeXml(value.toWellFormed().replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd"))

const link = (rel: string, { href, type }: AtomLink): string =>
  `<link rel="${rel}" type="${text(type)}" href="${text(href)}"/>\n`

const element = (name: string, value: string | undefined, attributes = ""): string =>
  value === undefined ? "" : `<${name}${attributes}>${text(value)}</${name}>\n`

const entryText = ({ content, id, page, related, summary, title, updated }: AtomEntry): string =>
  `<entry>
${element("title", title)}${element("id", id)}${link("alternate", page)}${related === undefined ? "" : link("related", related)}${element("updated", updated)}${element("summary", summary)}${element("content", content, ' type="html"')}</entry>
`

export const atomType = "application/atom+xml"

export const atomText = ({ entries, id, page, self, subtitle, title }: AtomFeed): string => {
  const updated =
    entries
      .map((entry) => entry.updated)
      .toSorted()
      .at(-1) ?? never
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
${element("title", title)}${element("subtitle", subtitle)}${element("id", id)}${link("self", { href: self, type: atomType })}${page === undefined ? "" : link("alternate", { href: page, type: "text/html" })}${element("updated", updated)}<author><name>Plumbline</name></author>
${entries.map(entryText).join("")}</feed>
`
}

export const atomResponse = (
  feed: AtomFeed,
  headers: Readonly<Record<string, string>> = {}
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(atomText(feed), { contentType: `${atomType}; charset=utf-8`, headers })
