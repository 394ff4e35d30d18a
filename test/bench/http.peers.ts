/** The same bytes and headers from nginx, Fastify and bare `node:http`, each in a process of its own. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { get } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { freePort } from "../support/freePort.ts"

/** An answer to send again and again. */
export interface RecordedResponse {
  readonly path: string
  readonly status: number
  /** Name, value, name, value; without those that belong to a connection. */
  readonly headers: ReadonlyArray<string>
  readonly body: Buffer
}

const ofConnection = /^(connection|keep-alive|date|transfer-encoding)$/i

export const fetchResponse = (port: number, path: string, coding = "identity"): Promise<RecordedResponse> =>
  new Promise((resolve, reject) => {
    get({ host: "127.0.0.1", port, path, headers: { "accept-encoding": coding } }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("end", () =>
        resolve({
          path,
          status: response.statusCode ?? 0,
          headers: response.rawHeaders.flatMap((name, at, all) =>
            at % 2 === 0 && !ofConnection.test(name) ? [name, all[at + 1] ?? ""] : []
          ),
          body: Buffer.concat(chunks)
        })
      )
    }).on("error", reject)
  })

export interface Peer {
  readonly port: number
  readonly stop: () => void
}

/** True if a program of this name is installed. */
export const isInstalled = (program: string): boolean => {
  try {
    execFileSync("which", [program], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

const quoted = (text: string): string => `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`

/** Nginx makes these itself; `default_type` sets the other. */
const byNginx = /^(content-length|content-type)$/i

const location = ({ body, headers, status }: RecordedResponse, n: number, folder: string): string => {
  const type = headers[headers.findIndex((name) => /^content-type$/i.test(name)) + 1] ?? ""
  const added = headers.flatMap((name, at) =>
    at % 2 === 0 && !byNginx.test(name) ? [`add_header ${name} ${quoted(headers[at + 1] ?? "")} always;`] : []
  )
  const source =
    status === 200 ? `alias ${join(folder, `${n}`)};` : `return ${status} ${quoted(body.toString())};`
  return `location = /_/${n} { internal; default_type ${quoted(type)}; add_header Last-Modified ""; ${added.join(" ")} ${source} }`
}

const nginxSettings = (responses: ReadonlyArray<RecordedResponse>, folder: string, port: number): string => `
${process.getuid?.() === 0 ? "user root;" : ""}
worker_processes 1;
pid ${join(folder, "nginx.pid")};
error_log stderr crit;
events { worker_connections 512; }
http {
  access_log off;
  server_tokens off;
  etag off;
  if_modified_since off;
  merge_slashes off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 100000000;
  open_file_cache max=1000;
  open_file_cache_valid 600s;
  types { }
  map_hash_bucket_size 512;
  map $request_uri $n {
    default none;
    ${responses.map(({ path }, n) => `${quoted(path)} ${n};`).join("\n    ")}
  }
  server {
    listen 127.0.0.1:${port};
    location / { rewrite ^ /_/$n? last; }
    ${responses.map((response, n) => location(response, n, folder)).join("\n    ")}
  }
}
`

/** Debian's nginx, one worker; undefined where it is not installed. */
export const startNginx = async (responses: ReadonlyArray<RecordedResponse>): Promise<Peer | undefined> => {
  if (!isInstalled("nginx")) return undefined
  const folder = mkdtempSync(join(tmpdir(), "plumbline-nginx-"))
  chmodSync(folder, 0o755)
  for (const [n, { body }] of responses.entries()) writeFileSync(join(folder, `${n}`), body)
  const port = await freePort()
  const file = join(folder, "nginx.conf")
  writeFileSync(file, nginxSettings(responses, folder, port))
  const child = spawn("nginx", ["-p", folder, "-c", file, "-g", "daemon off;"], {
    stdio: ["ignore", "ignore", "inherit"]
  })
  const stop = () => {
    child.kill()
    rmSync(folder, { recursive: true, force: true })
  }
  for (let n = 0; n < 100; n++) {
    const isUp = await fetchResponse(port, "/").then(
      () => true,
      () => false
    )
    if (isUp) return { port, stop }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  stop()
  throw new Error("nginx did not start")
}

/** Starts a file beside this one with these arguments; it prints its port. */
export const startServer = async (
  file: string,
  ...args: ReadonlyArray<string>
): Promise<Peer & { readonly pid: number }> => {
  const child: ChildProcess = spawn(process.execPath, [new URL(file, import.meta.url).pathname, ...args], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  if (child.stdout !== null) {
    for await (const line of createInterface({ input: child.stdout })) {
      return { pid: child.pid ?? 0, port: Number(line), stop: () => void child.kill() }
    }
  }
  throw new Error(`${file} did not start`)
}
