/** What an image of the Dockerfile does, in a bare folder instead of a container. */
import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir, userInfo } from "node:os"
import { dirname, join } from "node:path"

export const top = new URL("../../", import.meta.url).pathname

export interface Image {
  /** The working directory. */
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  readonly labels: Readonly<Record<string, string>>
  readonly volumes: ReadonlyArray<string>
  readonly healthcheck: ReadonlyArray<string>
  /** `ENTRYPOINT` and `CMD`. */
  readonly command: ReadonlyArray<string>
  /** What `COPY` takes from the checkout. */
  readonly copied: ReadonlyArray<string>
  /** Debian packages. Nothing is installed here: a test looks for their programs on this machine. */
  readonly installed: ReadonlyArray<string>
}

/** Instructions of the last stage of the Dockerfile in a folder, with continued lines joined. */
const instructions = (from: string): ReadonlyArray<readonly [name: string, rest: string]> => {
  const text = readFileSync(join(from, "Dockerfile"), "utf8")
    .replace(/^#.*\n/gm, "")
    .replace(/\\\n/g, " ")
  const last = text.slice(text.lastIndexOf("\nFROM "))
  return last
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => [line.split(" ")[0] ?? "", line.slice(line.indexOf(" ") + 1)])
}

/** When a package is installed. */
interface Locked {
  readonly dev?: boolean
  readonly devOptional?: boolean
  readonly peer?: boolean
}

const parseArgv = (json: string): ReadonlyArray<string> => JSON.parse(json)

/** The packages that the first stage leaves, from those that are installed here. */
const packages = (folder: string, from: string): void => {
  const dockerfile = readFileSync(join(from, "Dockerfile"), "utf8")
  const [, removed = ""] = /^RUN npm ci .* && rm -rf (.*)$/m.exec(dockerfile) ?? []
  const lock = JSON.parse(readFileSync(join(top, "package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, Locked>>
  }
  for (const [path, { dev, devOptional, peer }] of Object.entries(lock.packages)) {
    const isTop = /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path)
    if (!isTop || dev === true || devOptional === true || peer === true) continue
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    symlinkSync(join(top, path), join(folder, path))
  }
  for (const path of removed.split(" ")) rmSync(join(folder, path), { recursive: true, force: true })
}

/** Does what the instructions of the Dockerfile in `from` say, below a folder of its own. */
export const image = (from = top): Image => {
  const root = mkdtempSync(join(tmpdir(), "plumbline-image-"))
  const folder = join(root, "app")
  mkdirSync(folder)
  const inside = (text: string) => text.replaceAll(/(?<=[ =])\/(?=(data|heads)\b)/g, `${root}/`)
  const env: Record<string, string> = {}
  const labels: Record<string, string> = {}
  let volumes: ReadonlyArray<string> = []
  const copied: Array<string> = []
  const installed: Array<string> = []
  let healthcheck: ReadonlyArray<string> = []
  let command: ReadonlyArray<string> = []
  for (const [name, rest] of instructions(from)) {
    if (name === "ENV") {
      for (const [, key = "", value = ""] of inside(` ${rest}`).matchAll(/(\w+)=(\S+)/g)) env[key] = value
    } else if (name === "LABEL") {
      for (const [, key = "", value = ""] of rest.matchAll(/([\w.]+)="([^"]*)"/g)) labels[key] = value
    } else if (name === "VOLUME")
      volumes = parseArgv(inside(rest.replaceAll('"/', '" /')).replaceAll('" ', '"'))
    else if (name === "COPY") {
      if (rest.startsWith("--from=packages")) packages(folder, from)
      else {
        const sources = rest.split(" ").slice(0, -1)
        copied.push(...sources)
        for (const source of sources) cpSync(join(from, source), join(folder, source), { recursive: true })
      }
    } else if (name === "RUN" && rest.startsWith("apt-get ")) {
      const [, names = ""] = /apt-get install -y --no-install-recommends ([a-z0-9 .+-]+?) &&/.exec(rest) ?? []
      installed.push(...names.split(" "))
    } else if (name === "RUN") {
      const { gid, uid } = userInfo()
      execFileSync("sh", ["-c", inside(rest).replaceAll("node:node", `${uid}:${gid}`)], { cwd: folder })
    } else if (name === "HEALTHCHECK") healthcheck = parseArgv(rest.slice(rest.indexOf("[")))
    else if (name === "ENTRYPOINT" || name === "CMD") command = [...command, ...parseArgv(rest)]
  }
  return { folder, env, labels, volumes, healthcheck, command, copied, installed }
}
