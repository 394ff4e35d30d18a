/**
 * The other opinion on a chain: OpenSSL's own path validation, by its program, since Node does not show it. A verdict is kept for the
 * chain, host and hour, so that a host costs one process an hour.
 */
import { execFile } from "node:child_process"
import { hash, type X509Certificate } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { Effect } from "effect"
import { LRUCache } from "lru-cache"
import { hour } from "../../../core/plugin/time.ts"
import { Refused } from "../Refused.ts"
import type { Roots } from "./chain.ts"

const run = promisify(execFile)

const timeout = 10_000
const mostVerdicts = 5000

/** Why OpenSSL refuses a chain; true where it does not. */
type Verdict = true | string

/** The version of OpenSSL's program; fails where there is none. */
export const opensslVersion = Effect.tryPromise(async () =>
  (await run("openssl", ["version"], { timeout })).stdout.trim()
)

const pemOf = (certificate: X509Certificate): string => certificate.toString()

/** The program ended without a verdict: it could not be started, or took too long. */
const noVerdict = "it gave no verdict"

const reasonIn = (error: unknown): string =>
  /error \d+ at \d+ depth lookup: ([ -~]{1,200})/.exec(String(Object(error)["stderr"]))?.[1] ?? noVerdict

/** Asks OpenSSL about chains to these roots. */
export class ChainVerifier {
  private readonly folder = mkdtempSync(join(tmpdir(), "plumbline-notary-"))
  private readonly rootsFile = join(this.folder, "roots.pem")
  private readonly verdicts = new LRUCache<string, Promise<Verdict>>({ max: mostVerdicts })
  private files = 0

  constructor({ pem }: Roots) {
    writeFileSync(this.rootsFile, pem)
  }

  /** Throws `Refused` unless the chain is valid for the name at a time. */
  async check(chain: ReadonlyArray<X509Certificate>, name: string, at: Date): Promise<void> {
    const named = [
      name,
      String(Math.floor(at.getTime() / hour)),
      ...chain.map(({ raw }) => hash("sha256", raw))
    ]
    const key = named.join(" ")
    const verdict = this.verdicts.get(key) ?? this.ask(chain, name, at)
    this.verdicts.set(key, verdict)
    const says = await verdict
    if (says === noVerdict) this.verdicts.delete(key)
    if (says !== true) throw new Refused(`no chain to a public root, as OpenSSL says: ${says}`)
  }

  private async ask(chain: ReadonlyArray<X509Certificate>, name: string, at: Date): Promise<Verdict> {
    const file = join(this.folder, `chain-${this.files++}.pem`)
    try {
      writeFileSync(file, chain.map(pemOf).join(""))
      // It reads the host's certificate as the first of the file, and takes the others as no more than helpers.
      const options = ["-purpose", "sslserver", "-auth_level", "2", "-no-CApath", "-no-CAstore"]
      const of = ["-CAfile", this.rootsFile, "-untrusted", file, "-verify_hostname", name]
      await run(
        "openssl",
        ["verify", ...options, ...of, "-attime", String(Math.floor(at.getTime() / 1000)), file],
        { timeout }
      )
      return true
    } catch (error) {
      return reasonIn(error)
    } finally {
      rmSync(file, { force: true })
    }
  }
}
