/** What people installed of earlier releases (`test/proof/released/`): the verifier and both clients, each unpacked into a folder. */
import { execFile } from "node:child_process"
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { mkdir, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { brotliDecompressSync } from "node:zlib"
import { releases } from "../../runtime/release/releases.ts"

/** The versions whose tools are kept: all that were released. */
export const versions: ReadonlyArray<string> = releases.map(({ version }) => version)

const folder = mkdtempSync(join(tmpdir(), "plumbline-released-"))

const unpacked = (name: string): Buffer =>
  brotliDecompressSync(readFileSync(new URL(`../proof/released/${name}.br`, import.meta.url)))

const moduleOf = (name: string): string => {
  const file = join(folder, name)
  writeFileSync(file, unpacked(name))
  return file
}

interface VerifierRun {
  readonly exit: number
  readonly text: string
}

/** Runs the verifier of a release as its users did, with these variables of the environment. */
export const releasedVerifier = (release: string, variables: Readonly<Record<string, string>> = {}) => {
  const file = moduleOf(`verifier-${release}.mjs`)
  return (...args: ReadonlyArray<string>): Promise<VerifierRun> =>
    new Promise((resolve) => {
      // No explorer is asked: there is none on this machine.
      const env = { ...process.env, ESPLORA_URL: "http://127.0.0.1:9", ...variables }
      execFile(process.execPath, [file, ...args], { env }, (error, stdout, stderr) =>
        resolve({ exit: typeof error?.code === "number" ? error.code : 0, text: stdout + stderr })
      )
    })
}

interface ReleasedClient {
  readonly GET: (path: string, init?: object) => Promise<{ readonly response: Response }>
}

/** Makes clients as the TypeScript package of a release does. */
export const releasedTypeScript = async (
  release: string
): Promise<
  (options: { readonly baseUrl: string; readonly keys?: ReadonlyArray<string> }) => ReleasedClient
> => (await import(pathToFileURL(moduleOf(`typescript-${release}.mjs`)).href)).createClient

/** The folder of the Python package of a release, to be in `PYTHONPATH`. */
export const releasedPython = async (release: string): Promise<string> => {
  const path = join(folder, `python-${release}`)
  const sources: Readonly<Record<string, string>> = JSON.parse(unpacked(`python-${release}.json`).toString())
  for (const [name, text] of Object.entries(sources)) {
    const file = join(path, "plumbline_client", name)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  }
  return path
}
