/** The chart for Kubernetes: rendered as Helm does it, checked against the types of Kubernetes, and its containers' commands run here. */
import { mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Ajv } from "ajv"
import { Effect } from "effect"
import type { Container, PodSpec } from "kubernetes-types/core/v1.d.ts"
import { parse } from "yaml"
import packageJson from "../../package.json" with { type: "json" }
import { settingsHelp } from "../../runtime/settings/settingsHelp.ts"
import { top } from "../support/container.ts"
import { emptyUrl } from "../support/database.ts"
import { freePort } from "../support/freePort.ts"
import {
  chart,
  environmentOf,
  type Manifest,
  manifestsOf,
  ownValues,
  render,
  theOnly,
  type Values
} from "../support/helm.ts"
import { missing } from "../support/programs.ts"
import { runToEnd, startProgram } from "../support/tools.ts"

const least: Values = {
  ...ownValues,
  image: {
    ...ownValues.image,
    repository: "registry.example.org/plumbline",
    digest: `sha256:${"ab".repeat(32)}`
  },
  baseUrl: "https://data.example.org",
  secretName: "plumbline"
}

/** Everything that can be chosen is. */
const most: Values = {
  ...least,
  image: { ...least.image, pullSecrets: ["registry"] },
  settingSecrets: ["stripe"],
  settings: { LOG_LEVEL: "warn", OPERATOR_NAME: 'A "B" & C: #1' },
  storage: { className: "fast", heads: "64Mi", data: "4Gi" },
  ingress: {
    enabled: true,
    className: "nginx",
    annotations: { "nginx.ingress.kubernetes.io/proxy-buffer-size": "16k" },
    host: "data.example.org",
    tlsSecretName: "tls"
  },
  networkPolicy: {
    enabled: true,
    metricsFrom: [{ namespaceSelector: { matchLabels: { name: "monitoring" } } }]
  }
}

const validate = new Ajv({ allErrors: true, strict: false }).compile(
  JSON.parse(readFileSync(join(chart, "values.schema.json"), "utf8"))
)

/** Where a manifest breaks the types of Kubernetes, a name that they do not have among it; empty where none does. */
const mistakesOf = (manifests: ReadonlyArray<Manifest>): string => {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-chart-"))
  const lines = manifests.map(({ apiVersion, kind }, n) => {
    const group = (apiVersion.includes("/") ? apiVersion : `core/${apiVersion}`).replace(".k8s.io", "")
    return `import type { ${kind} as Kind${n} } from "kubernetes-types/${group}"\nexport const manifest${n}: Kind${n} = ${JSON.stringify(manifests[n], undefined, 2)}`
  })
  writeFileSync(join(folder, "manifests.ts"), lines.join("\n"))
  const compilerOptions = {
    module: "esnext",
    moduleResolution: "bundler",
    noEmit: true,
    paths: { "kubernetes-types/*": [join(top, "node_modules/kubernetes-types/*")] },
    strict: true,
    types: []
  }
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["manifests.ts"] }))
  return runToEnd(process.execPath, [join(top, "node_modules/typescript/bin/tsc"), "-p", folder]).out
}

const podsOf = (manifests: ReadonlyArray<Manifest>): ReadonlyArray<PodSpec> =>
  [theOnly(manifests, "StatefulSet"), theOnly(manifests, "Job")].flatMap(
    ({ spec }) => spec?.template.spec ?? []
  )

const containersOf = ({ containers, initContainers = [] }: PodSpec): ReadonlyArray<Container> => [
  ...initContainers,
  ...containers
]

describe("the values of the chart", () => {
  it("are refused without the image by its digest, the address and the secret, and with keys among the settings", () => {
    const refused = (values: Values, where: RegExp) => {
      assert.isFalse(validate(values))
      assert.match(JSON.stringify(validate.errors), where)
    }
    assert.isTrue(validate(least), JSON.stringify(validate.errors))
    assert.isTrue(validate(most), JSON.stringify(validate.errors))
    refused(ownValues, /image\/digest/)
    refused({ ...least, image: { ...least.image, digest: "latest" } }, /image\/digest/)
    refused({ ...least, image: { ...least.image, tag: "2.1.0" } }, /additionalProperties/)
    refused({ ...least, image: { ...least.image, repository: "" } }, /image\/repository/)
    refused({ ...least, baseUrl: "" }, /baseUrl/)
    refused({ ...least, secretName: "" }, /secretName/)
    refused({ ...least, settings: { DATABASE_URL: "postgres://" } }, /propertyNames/)
    refused({ ...least, settings: { STRIPE_SECRET_KEY: "sk" } }, /propertyNames/)
    refused({ ...least, ingress: { enabled: true, host: "" } }, /ingress\/host/)
  })

  it("are of the release that the chart names", () => {
    const { appVersion, version } = parse(readFileSync(join(chart, "Chart.yaml"), "utf8"))
    assert.deepStrictEqual([appVersion, version], [packageJson.version, packageJson.version])
  })
})

describe.skipIf(missing("go"))("the manifests of the chart", () => {
  it("are what Kubernetes knows, with the least and with the most that can be chosen", () => {
    assert.strictEqual(mistakesOf([least, most].flatMap((values) => manifestsOf(render(values)))), "")
    // The check sees what it is for.
    const [first] = manifestsOf(render(least))
    const wrong = { ...first, spec: { maxUnavailabel: 1 } } as unknown as Manifest
    assert.match(mistakesOf([wrong]), /maxUnavailabel/)
  })

  it("name the image by its digest alone, and give no container more rights than it uses", () => {
    for (const pod of podsOf(manifestsOf(render(most)))) {
      assert.isFalse(pod.automountServiceAccountToken)
      assert.isTrue(pod.securityContext?.runAsNonRoot)
      for (const { image, securityContext } of containersOf(pod)) {
        assert.strictEqual(image, `registry.example.org/plumbline@${most.image["digest"]}`)
        assert.deepStrictEqual(securityContext, {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] }
        })
      }
    }
  })

  it("have no entry of the secret, only its name", () => {
    const text = JSON.stringify(render(most))
    assert.notMatch(text, /postgres:\/\/|PRIVATE KEY/)
    assert.notInclude(text, "kind: Secret")
  })

  it("say what is missing where nobody asked the schema", () => {
    assert.throws(() => render({ ...least, secretName: "" }), /secretName: a secret with DATABASE_URL/)
    assert.throws(
      () => render({ ...least, image: { ...least.image, digest: "" } }),
      /image.digest: the digest/
    )
  })

  it("name settings that the service has, as the user writes them", () => {
    const names = new Set(
      [...settingsHelp.matchAll(/^ {2}(\S.*)$/gm)].flatMap(([, some = ""]) => some.split(", "))
    )
    const manifests = manifestsOf(render(most))
    const settings = theOnly(manifests, "ConfigMap")
    assert.strictEqual(settings.data?.["OPERATOR_NAME"], 'A "B" & C: #1')
    for (const pod of podsOf(manifests)) {
      for (const container of pod.containers) {
        const env = environmentOf(container, settings, {})
        const others = Object.keys(env).filter((name) => !names.has(name) && name !== "POD_IP")
        assert.deepStrictEqual(others, [])
      }
    }
  })
})

describe.skipIf(missing("go"))("the containers of the chart", () => {
  it.live(
    "take the keys of the secret, bring the Postgres of the keys up to date, and serve what the probes ask for",
    () =>
      Effect.gen(function* () {
        const manifests = manifestsOf(render(least))
        const settings = theOnly(manifests, "ConfigMap")
        const root = mkdtempSync(join(tmpdir(), "plumbline-pod-"))
        const here = (text: string) =>
          text.replaceAll(/(?<=^|[ =])\/(?=(secret|keys|data|heads|tmp)\b)/g, `${root}/`)
        for (const name of ["secret", "keys", "data", "heads", "tmp"]) mkdirSync(join(root, name))
        const bin = join(top, "runtime/plumbline.js")
        const PATH = `${dirname(process.execPath)}:/usr/bin:/bin`
        // As values.yaml says.
        const files = {
          SIGNING_KEY_FILE: join(root, "secret/signing-key.pem"),
          LOG_KEY_FILE: join(root, "secret/log-key.pem"),
          SERVER_SECRET_FILE: join(root, "secret/server-secret")
        }
        const references = { DATABASE_URL: yield* emptyUrl, POD_IP: "127.0.0.1" }
        for (const command of ["secret", "key"]) {
          const result = runToEnd(process.execPath, [bin, command, "new"], {
            cwd: root,
            env: { PATH, DATABASE_URL: references.DATABASE_URL, ...files }
          })
          assert.strictEqual(result.status, 0, result.out)
        }

        const run = (container: Container, env: Readonly<Record<string, string>>) => {
          const [program = "", ...args] = (container.command ?? []).map(here)
          return runToEnd(program, args, { cwd: top, env: { PATH, ...env } })
        }
        const [job, set] = [theOnly(manifests, "Job"), theOnly(manifests, "StatefulSet")]
        const [keys] = set.spec?.template.spec?.initContainers ?? []
        const [migrate] = job.spec?.template.spec?.containers ?? []
        const [serving] = set.spec?.template.spec?.containers ?? []
        if (keys === undefined || migrate === undefined || serving === undefined)
          return assert.fail("no containers")
        assert.strictEqual(run(keys, {}).status, 0)
        for (const name of ["signing-key.pem", "log-key.pem", "server-secret"]) {
          assert.strictEqual(statSync(join(root, "keys", name)).mode & 0o777, 0o600)
        }

        const environment = (container: Container) =>
          Object.fromEntries(
            Object.entries(environmentOf(container, settings, references)).map(([name, value]) => [
              name,
              here(value)
            ])
          )
        const migrated = run(migrate, environment(migrate))
        assert.strictEqual(migrated.status, 0, migrated.out)
        assert.match(migrated.out, /changes no table\n[\s\S]*the database schema is up to date/)

        const [http, cluster, metrics] = yield* Effect.promise(() =>
          Promise.all([freePort(), freePort(), freePort()])
        )
        const env = {
          ...environment(serving),
          CLUSTER_ADDRESS: `127.0.0.1:${cluster}`,
          HOST: "127.0.0.1",
          METRICS_PORT: String(metrics),
          OTS_CALENDARS: "http://127.0.0.1:9",
          PORT: String(http)
        }
        const service = yield* startProgram(process.execPath, [bin, "serve"], {
          cwd: top,
          env: { PATH, ...env }
        })
        for (const probe of [serving.startupProbe, serving.livenessProbe, serving.readinessProbe]) {
          const url = `http://127.0.0.1:${http}${probe?.httpGet?.path}`
          const ask = Effect.promise(() =>
            fetch(url).then(
              ({ status }) => status,
              () => 0
            )
          )
          while ((yield* ask) !== 200) {
            assert.isNull(service.child.exitCode, service.output())
            yield* Effect.sleep("200 millis")
          }
        }
      }).pipe(Effect.scoped),
    120_000
  )
})
