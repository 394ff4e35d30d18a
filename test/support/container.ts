/** What an image of the Dockerfile does, in a bare folder instead of a container. */
import { execFileSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, statSync, symlinkSync } from "node:fs"
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

type Instruction = readonly [name: string, rest: string]

/** Instructions of the Dockerfile in a folder by stage, with continued lines joined; the last stage is the image, and has no name. */
const stages = (from: string): ReadonlyArray<readonly [name: string, rest: ReadonlyArray<Instruction>]> =>
  readFileSync(join(from, "Dockerfile"), "utf8")
    .replace(/^#.*\n/gm, "")
    .replace(/\\\n/g, " ")
    .split("\nFROM ")
    .slice(1)
    .map((text) => {
      const [first = "", ...lines] = text.split("\n").filter((line) => line !== "")
      const [, name = ""] = / AS (\w+)$/.exec(first) ?? []
      return [
        name,
        lines.map((line): Instruction => [line.split(" ")[0] ?? "", line.slice(line.indexOf(" ") + 1)])
      ] as const
    })

/** When a package is installed. */
interface Locked {
  readonly dev?: boolean
  readonly peer?: boolean
}

const parseArgv = (json: string): ReadonlyArray<string> => JSON.parse(json)

/** What `npm ci` without those for development and without peers installs, from what is installed here. */
const packages = (folder: string): void => {
  const lock = JSON.parse(readFileSync(join(top, "package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, Locked>>
  }
  for (const [path, { dev, peer }] of Object.entries(lock.packages)) {
    const isTop = /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path)
    if (!isTop || dev === true || peer === true) continue
    // What is of another platform is not here.
    if (!existsSync(join(top, path))) continue
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    symlinkSync(join(top, path), join(folder, path))
  }
}

/** Does what the instructions of the Dockerfile in `from` say, below a folder of its own, which has a folder for each stage. */
export const image = (from = top): Image => {
  const root = mkdtempSync(join(tmpdir(), "plumbline-image-"))
  const env: Record<string, string> = {}
  const labels: Record<string, string> = {}
  let volumes: ReadonlyArray<string> = []
  const copied = new Set<string>()
  const installed: Array<string> = []
  let healthcheck: ReadonlyArray<string> = []
  let command: ReadonlyArray<string> = []
  let folder = root
  for (const [stage, rest] of stages(from)) {
    const base = join(root, stage)
    const inside = (text: string) => text.replaceAll(/(?<=[ =])\/(?=(app|data|heads|source)\b)/g, `${base}/`)
    for (const [name, words] of rest) {
      if (name === "WORKDIR") {
        folder = join(base, words)
        mkdirSync(folder, { recursive: true })
      } else if (name === "ENV") {
        for (const [, key = "", value = ""] of inside(` ${words}`).matchAll(/(\w+)=(\S+)/g)) env[key] = value
      } else if (name === "LABEL") {
        for (const [, key = "", value = ""] of words.matchAll(/([\w.]+)="([^"]*)"/g)) labels[key] = value
      } else if (name === "VOLUME")
        volumes = parseArgv(inside(words.replaceAll('"/', '" /')).replaceAll('" ', '"'))
      else if (name === "COPY") {
        const [, of] = /^--from=(\w+) /.exec(words) ?? []
        const paths = words.split(" ").filter((word) => !word.startsWith("--"))
        const to = join(folder, paths.at(-1) ?? "")
        for (const path of paths.slice(0, -1)) {
          if (of === undefined) copied.add(path)
          const isFile = of === undefined && statSync(join(from, path)).isFile()
          const source = of === undefined ? join(from, path) : join(root, of, path)
          cpSync(source, isFile ? join(to, path) : to, { recursive: true })
        }
      } else if (name === "RUN" && words.startsWith("apt-get ")) {
        const [, names = ""] =
          /apt-get install -y --no-install-recommends ([a-z0-9 .+-]+?) &&/.exec(words) ?? []
        installed.push(...names.split(" "))
      } else if (name === "RUN" && words.startsWith("npm ci ")) packages(folder)
      else if (name === "RUN") {
        const { gid, uid } = userInfo()
        execFileSync("sh", ["-c", inside(words).replaceAll("node:node", `${uid}:${gid}`)], {
          cwd: folder,
          env: { PATH: `${dirname(process.execPath)}:/usr/bin:/bin` }
        })
      } else if (name === "HEALTHCHECK") healthcheck = parseArgv(words.slice(words.indexOf("[")))
      else if (name === "ENTRYPOINT" || name === "CMD") command = [...command, ...parseArgv(words)]
    }
  }
  return { folder, env, labels, volumes, healthcheck, command, copied: [...copied], installed }
}
