/** An authority of tests and certificates of all kinds, made by OpenSSL. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Roots, rootsOf } from "../../../runtime/notary/certificates/chain.ts"
import { pathOf } from "../programs.ts"

export const upstreamHost = "api.upstream.test"

const keyArguments = {
  p256: ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"],
  p384: ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"],
  rsa: ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"],
  ed25519: ["-algorithm", "ED25519"]
} as const

export type KeyKind = keyof typeof keyArguments

/** Files of a certificate; `chain` has its issuers too. */
export interface Certificate {
  readonly key: string
  readonly cert: string
  readonly chain: string
}

export interface Issue {
  readonly kind?: KeyKind
  /** Name of the issuer. Default: the intermediate. */
  readonly by?: string
  readonly host?: string
  /** Lines of OpenSSL's extension file. */
  readonly extensions?: string
  /** Days that it is valid. */
  readonly days?: number
}

export class Authority {
  readonly folder = mkdtempSync(join(tmpdir(), "plumbline-authority-"))
  private readonly kinds = new Map<KeyKind, Certificate>()

  constructor() {
    this.makeKey("root", "p256")
    const subject = ["-subj", "/CN=test root"]
    this.openssl("req", "-x509", "-new", "-key", "root.key", "-out", "root.pem", "-days", "3650", ...subject)
    this.issue("intermediate", {
      kind: "p384",
      by: "root",
      host: "test intermediate",
      extensions: "basicConstraints=critical,CA:TRUE,pathlen:0\nkeyUsage=critical,keyCertSign,cRLSign\n"
    })
  }

  get ca(): string {
    return readFileSync(this.at("root.pem"), "utf8")
  }

  get roots(): Roots {
    return rootsOf([this.ca])
  }

  at(name: string): string {
    return join(this.folder, name)
  }

  /** The certificate of `upstreamHost` with a key of this kind. */
  of(kind: KeyKind): Certificate {
    const before = this.kinds.get(kind)
    if (before !== undefined) return before
    const issued = this.issue(kind, { kind })
    this.kinds.set(kind, issued)
    return issued
  }

  issue(name: string, options: Issue = {}): Certificate {
    const { by = "intermediate", days = 30, extensions, host = upstreamHost, kind = "p256" } = options
    this.makeKey(name, kind)
    this.openssl(
      "req",
      "-new",
      "-key",
      `${name}.key`,
      "-out",
      `${name}.csr`,
      "-subj",
      `/CN=${host.slice(0, 60)}`
    )
    writeFileSync(
      this.at(`${name}.ext`),
      extensions ??
        `subjectAltName=DNS:${host}\nextendedKeyUsage=serverAuth\nbasicConstraints=critical,CA:FALSE\nkeyUsage=digitalSignature\n`
    )
    const issuer = ["-CA", `${by}.pem`, "-CAkey", `${by}.key`, "-CAcreateserial"]
    const rest = ["-days", String(days), "-extfile", `${name}.ext`, "-sha256"]
    this.openssl("x509", "-req", "-in", `${name}.csr`, "-out", `${name}.pem`, ...issuer, ...rest)
    const files = by === "root" ? [name] : [name, by]
    return this.chained(name, files)
  }

  /** The certificate with these in its chain file. */
  chained(name: string, files: ReadonlyArray<string>): Certificate {
    const chain = this.at(`${name}.chain.pem`)
    writeFileSync(chain, files.map((file) => readFileSync(this.at(`${file}.pem`), "utf8")).join(""))
    return { key: this.at(`${name}.key`), cert: this.at(`${name}.pem`), chain }
  }

  openssl(...args: ReadonlyArray<string>): void {
    execFileSync(pathOf("openssl"), args, { stdio: "pipe", cwd: this.folder })
  }

  private makeKey(name: string, kind: KeyKind): void {
    this.openssl("genpkey", ...keyArguments[kind], "-out", `${name}.key`)
  }
}

let shared: Authority | undefined

/** The authority of this process: its keys take a second. */
export const authority = (): Authority => {
  shared ??= new Authority()
  return shared
}
