/**
 * A store of objects in memory that checks signatures, hashes of bodies and preconditions, from the published description
 * of signature version 4 and without the library that our client signs with.
 */
import { createHash, createHmac } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { Effect } from "effect"

export interface StoreServer {
  readonly endpoint: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

export interface BucketServer extends StoreServer {
  /** Bytes by `bucket/key`. */
  readonly objects: Map<string, Buffer>
  /** What happens to the next requests instead of their answer: this refusal, or a connection that is cut. */
  readonly faults: Array<{ readonly status: number; readonly code: string } | "cut" | "cut after">
  /** Method and path of each request, as they arrive. */
  readonly requests: Array<string>
}

const accessKeyId = "AKIATEST"
const secretAccessKey = "a secret/of+tests"

const hex = (content: Buffer | string) => createHash("sha256").update(content).digest("hex")
const hmac = (key: Buffer | string, text: string) => createHmac("sha256", key).update(text).digest()
const strict = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)

/** The code of the refusal; undefined if the request is signed with the key. */
const fault = (request: IncomingMessage, url: URL, body: Buffer): string | undefined => {
  const { authorization = "", "x-amz-content-sha256": hash, "x-amz-date": date = "" } = request.headers
  const [, id, day, region, names = "", signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)$/.exec(
      authorization
    ) ?? []
  if (id === undefined || day === undefined || region === undefined) return "AccessDenied"
  if (id !== accessKeyId) return "InvalidAccessKeyId"
  const at = String(date).replace(/^(....)(..)(..)T(..)(..)(..)Z$/, "$1-$2-$3T$4:$5:$6Z")
  if (!(Math.abs(Date.now() - Date.parse(at)) < 15 * 60_000)) return "RequestTimeTooSkewed"
  if (hash !== hex(body)) return "XAmzContentSHA256Mismatch"
  for (const name of ["host", "x-amz-content-sha256", "x-amz-date"]) {
    if (!names.split(";").includes(name)) return "AccessDenied"
  }
  const canonical = [
    request.method,
    url.pathname
      .split("/")
      .map((part) => strict(decodeURIComponent(part)))
      .join("/"),
    [...url.searchParams]
      .map((pair) => pair.map(strict).join("="))
      .toSorted()
      .join("&"),
    ...names.split(";").map((name) => `${name}:${String(request.headers[name] ?? "").trim()}`),
    "",
    names,
    hash
  ].join("\n")
  const scope = `${day}/${region}/s3/aws4_request`
  const toSign = ["AWS4-HMAC-SHA256", date, scope, hex(canonical)].join("\n")
  const key = [region, "s3", "aws4_request"].reduce(hmac, hmac(`AWS4${secretAccessKey}`, day))
  return hmac(key, toSign).toString("hex") === signature ? undefined : "SignatureDoesNotMatch"
}

const refuse = (response: ServerResponse, status: number, code: string) =>
  void response
    .writeHead(status, { "content-type": "application/xml" })
    .end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>Refused.</Message></Error>`)

const pageOf = (
  names: ReadonlyArray<string>,
  objects: ReadonlyMap<string, Buffer>,
  query: URLSearchParams
) => {
  const [prefix, most] = [query.get("prefix") ?? "", Number(query.get("max-keys") ?? 1000)]
  const after = query.get("continuation-token") ?? ""
  const left = names
    .map((name) => ({ key: name.slice(name.indexOf("/") + 1), size: objects.get(name)?.length ?? 0 }))
    .filter(({ key }) => key.startsWith(prefix) && key > after)
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
  const page = left.slice(0, most)
  const next = left.length > most ? `<NextContinuationToken>${page.at(-1)?.key}</NextContinuationToken>` : ""
  const contents = page.map(
    ({ key, size }) => `<Contents><Key>${encodeURIComponent(key)}</Key><Size>${size}</Size></Contents>`
  )
  return `<?xml version="1.0"?><ListBucketResult>${contents.join("")}${next}</ListBucketResult>`
}

/** A store with these buckets, until its scope ends. */
export const bucketServer = (buckets: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.callback<BucketServer & { readonly close: () => void }>((resume) => {
      const objects = new Map<string, Buffer>()
      const faults: BucketServer["faults"] = []
      const requests: Array<string> = []
      const server = createServer(async (request, response) => {
        const chunks: Array<Buffer> = []
        for await (const chunk of request) chunks.push(chunk)
        const body = Buffer.concat(chunks)
        const url = new URL(request.url ?? "/", "http://store")
        requests.push(`${request.method} ${url.pathname}`)
        const next = faults.shift()
        if (next === "cut") return void request.destroy()
        if (next !== undefined && next !== "cut after") return refuse(response, next.status, next.code)
        const code = fault(request, url, body)
        if (code !== undefined) return refuse(response, code.startsWith("XAmz") ? 400 : 403, code)
        const name = decodeURIComponent(url.pathname.slice(1))
        const bucket = name.split("/")[0] ?? ""
        if (!buckets.includes(bucket)) return refuse(response, 404, "NoSuchBucket")
        const object = objects.get(name)
        if (request.method === "GET" && name === `${bucket}/`) {
          const names = [...objects.keys()].filter((other) => other.startsWith(name))
          return void response.writeHead(200).end(pageOf(names, objects, url.searchParams))
        }
        if (request.method === "PUT") {
          if (request.headers["if-none-match"] === "*" && object !== undefined) {
            return refuse(response, 412, "PreconditionFailed")
          }
          objects.set(name, body)
          return next === "cut after" ? void request.destroy() : void response.writeHead(200).end()
        }
        if (request.method === "DELETE") {
          objects.delete(name)
          return void response.writeHead(204).end()
        }
        if (object === undefined) return refuse(response, 404, "NoSuchKey")
        if (request.method === "HEAD") {
          return void response.writeHead(200, { "content-length": object.length }).end()
        }
        const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? []
        const part = from === undefined ? object : object.subarray(Number(from), Number(to) + 1)
        response.writeHead(from === undefined ? 200 : 206).end(part)
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" ? address?.port : 0
        const endpoint = `http://127.0.0.1:${port}`
        const close = () => {
          server.close()
          server.closeAllConnections()
        }
        resume(Effect.succeed({ endpoint, accessKeyId, secretAccessKey, objects, faults, requests, close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )
