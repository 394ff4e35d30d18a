/** Renders the chart by Go's own templates (`test/deploy/helm/render.go`), since Helm is in no registry that the tests may ask. */
import { spawnSync } from "node:child_process"
import { hash } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { StatefulSet } from "kubernetes-types/apps/v1.d.ts"
import type { Job } from "kubernetes-types/batch/v1.d.ts"
import type { ConfigMap, Container, EnvVar } from "kubernetes-types/core/v1.d.ts"
import { parse, parseAllDocuments } from "yaml"
import { cacheFolder } from "./cacheFolder.ts"
import { pathOf } from "./programs.ts"

export const chart = new URL("../../runtime/deploy/chart/", import.meta.url).pathname
const source = new URL("../deploy/helm/render.go", import.meta.url).pathname

export interface Values {
  readonly [name: string]: unknown
  readonly image: Readonly<Record<string, unknown>>
}

/** The chart's own. */
export const ownValues = parse(readFileSync(join(chart, "values.yaml"), "utf8")) as Values

/** What a manifest of any kind has. */
export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
}

const run = (program: string, args: ReadonlyArray<string>, more: object = {}): string => {
  const { status, stderr, stdout } = spawnSync(program, args, { encoding: "utf8", ...more })
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${stderr}`)
  return String(stdout)
}

/** Built once on a machine: its libraries take longer than all charts. */
const renderer = (): string => {
  const binary = join(cacheFolder, `helm-${hash("sha256", readFileSync(source)).slice(0, 16)}`)
  if (!existsSync(binary)) {
    const env = {
      ...process.env,
      GO111MODULE: "off",
      GOCACHE: join(cacheFolder, "go"),
      GOPATH: "/usr/share/gocode"
    }
    run(pathOf("go"), ["build", "-o", binary, source], { env })
  }
  return binary
}

/** The files of the chart under these values. Throws what a template says. */
export const render = (values: Values): Readonly<Record<string, string>> =>
  JSON.parse(
    run(renderer(), [], {
      input: JSON.stringify({
        chart,
        values,
        release: { Name: "data", Namespace: "data", Service: "Helm" }
      })
    })
  )

/** The manifests of it, in the order of the files. Throws where one is no YAML, or names an entry twice. */
export const manifestsOf = (files: Readonly<Record<string, string>>): ReadonlyArray<Manifest> =>
  Object.entries(files).flatMap(([name, text]) =>
    name === "NOTES.txt"
      ? []
      : parseAllDocuments(text).flatMap((document) => {
          const [error] = document.errors
          if (error !== undefined) throw new Error(`${name}: ${error.message}`)
          const manifest = document.toJS() as Manifest | null
          return manifest === null ? [] : [manifest]
        })
  )

interface Kinds {
  readonly ConfigMap: ConfigMap
  readonly Job: Job
  readonly StatefulSet: StatefulSet
}

/** The only manifest of a kind. */
export const theOnly = <K extends keyof Kinds>(manifests: ReadonlyArray<Manifest>, kind: K): Kinds[K] => {
  const [one, ...others] = manifests.filter((manifest) => manifest.kind === kind)
  if (one === undefined || others.length > 0) throw new Error(`${others.length + 1} of ${kind}`)
  return one as unknown as Kinds[K]
}

/** The environment of a container: what the kubelet would make of references is in `references`, by the name of the variable. */
export const environmentOf = (
  { env = [] }: Container,
  { data = {} }: ConfigMap,
  references: Readonly<Record<string, string>>
): Readonly<Record<string, string>> => {
  const resolved = (variable: EnvVar): string =>
    (variable.value ?? references[variable.name] ?? "").replaceAll(
      /\$\((\w+)\)/g,
      (_, name: string) => references[name] ?? ""
    )
  return { ...data, ...Object.fromEntries(env.map((variable) => [variable.name, resolved(variable)])) }
}
