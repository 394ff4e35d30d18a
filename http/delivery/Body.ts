/** What a response has as its body, by the way it is sent. */
import { HttpServerResponse } from "effect/http"
import { OpenStream } from "../stream/OpenStream.ts"
import { type Content, sha256Hex } from "./answer.ts"
import { Coded } from "./Coded.ts"
import { Spooled } from "./Spool.ts"
import { StoredFile } from "./StoredFile.ts"

/** Bodies of ours, which Effect's response carries without looking at them. */
type OwnBody = Coded | OpenStream | Spooled | StoredFile

/** Bytes in memory, to be compressed. */
interface InMemory {
  readonly _tag: "InMemory"
  readonly content: Content
}

/** A stream of another protocol: it cannot be hashed before it is sent, so it goes out unsigned. */
interface Unhashed {
  readonly _tag: "Unhashed"
}

export type Body = InMemory | OwnBody | Unhashed

type Options = NonNullable<Parameters<typeof HttpServerResponse.raw>[1]>

/** A response with a body of ours. */
export const withOwnBody = (body: OwnBody, options: Options): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.raw(body, options)

const isOwnBody = (body: unknown): body is OwnBody =>
  body instanceof Coded || body instanceof OpenStream || body instanceof Spooled || body instanceof StoredFile

export const bodyOf = (response: HttpServerResponse.HttpServerResponse): Body => {
  const { body } = response
  switch (body._tag) {
    case "Empty":
      return inMemory(response, new Uint8Array(), undefined)
    case "Uint8Array":
      return inMemory(response, body.body, response.headers["content-type"] ?? body.contentType)
    case "Raw":
      return isOwnBody(body.body) ? body.body : { _tag: "Unhashed" }
    default:
      return { _tag: "Unhashed" }
  }
}

const inMemory = (
  response: HttpServerResponse.HttpServerResponse,
  body: Uint8Array,
  contentType: string | undefined
): Body => ({
  _tag: "InMemory",
  content: {
    status: response.status,
    contentType,
    body,
    sha256: sha256Hex(body),
    headers: headersBesideContent(response)
  }
})

const ofContent = new Set(["content-type", "content-length"])

/** The headers of a response but those that say what its content is. */
export const headersBesideContent = (
  response: HttpServerResponse.HttpServerResponse
): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(response.headers).filter(([name]) => !ofContent.has(name)))
