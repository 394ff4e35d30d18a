/** Which chains of certificates a notary accepts: its own validation, and OpenSSL's. */
import { X509Certificate } from "node:crypto"
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { checkChain, publicRoots } from "../../runtime/notary/certificates/chain.ts"
import { ChainVerifier } from "../../runtime/notary/certificates/openssl.ts"
import { Refused } from "../../runtime/notary/Refused.ts"
import { authority, type Certificate, upstreamHost } from "../support/notary/certificates.ts"
import { capture, findingsOf } from "../support/notary/tap.ts"
import { nodeServer } from "../support/notary/upstreams.ts"
import { missing } from "../support/programs.ts"

type Chain = readonly [X509Certificate, ...Array<X509Certificate>]

const chainOf = ({ chain }: Certificate): Chain => {
  const pems = readFileSync(chain, "utf8").match(/-----BEGIN[^-]*-----[^-]*-----END[^-]*-----/g) ?? []
  const [host, ...others] = pems.map((pem) => new X509Certificate(pem))
  if (host === undefined) throw new Error("no certificate")
  return [host, ...others]
}

const refusalOf = (work: () => unknown): string | undefined => {
  try {
    work()
    return undefined
  } catch (error) {
    if (error instanceof Refused) return error.message
    throw error
  }
}

const opensslRefuses = async (verifier: ChainVerifier, chain: Chain): Promise<boolean> => {
  try {
    await verifier.check(chain, upstreamHost, new Date())
    return false
  } catch (error) {
    if (error instanceof Refused) return true
    throw error
  }
}

/** Chains that lead nowhere, each in one way, with what is said of it. */
const badChains = (): Readonly<Record<string, readonly [Certificate, RegExp]>> => {
  const test = authority()
  const ca = "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign\n"
  test.openssl(
    ...[
      "req",
      "-x509",
      "-newkey",
      "rsa:2048",
      "-nodes",
      "-keyout",
      "self.key",
      "-out",
      "self.pem",
      "-days",
      "30"
    ],
    ...["-subj", `/CN=${upstreamHost}`, "-addext", `subjectAltName=DNS:${upstreamHost}`]
  )
  test.issue("bound", {
    by: "root",
    host: "bound ca",
    extensions: `${ca}nameConstraints=critical,permitted;DNS:elsewhere.test\n`
  })
  test.issue("notca", { by: "root", host: "not a ca", extensions: "basicConstraints=critical,CA:FALSE\n" })
  test.issue("deep", { by: "intermediate", host: "deeper ca", extensions: ca })
  const under = (name: string, by: string) => {
    test.issue(name, { by })
    return test.chained(name, [name, by, "intermediate"])
  }
  return {
    "another host's": [test.issue("wrong", { host: "other.test" }), /another host/],
    "self-signed": [test.chained("self", ["self"]), /no chain/],
    expired: [test.issue("old", { days: -1 }), /not valid at the time/],
    "a client's only": [
      test.issue("client", {
        extensions: `subjectAltName=DNS:${upstreamHost}\nextendedKeyUsage=clientAuth\n`
      }),
      /not a server/
    ],
    "no alternative name": [
      test.issue("nosan", { extensions: "basicConstraints=CA:FALSE\n" }),
      /another host/
    ],
    "a wildcard over two labels": [
      test.issue("star", { extensions: "subjectAltName=DNS:*.test\n" }),
      /another host/
    ],
    "names of its issuer elsewhere": [under("inbound", "bound"), /no chain/],
    "an issuer that is none": [under("innotca", "notca"), /no chain/],
    "a path too long": [under("indeep", "deep"), /no chain/],
    "an unknown critical extension": [
      test.issue("crit", { extensions: `subjectAltName=DNS:${upstreamHost}\n1.2.3.4=critical,ASN1:NULL\n` }),
      /critical/
    ]
  }
}

describe.skipIf(missing("openssl"))("a chain of certificates", () => {
  it("of each kind of key is accepted, by both opinions", async () => {
    const { roots } = authority()
    const verifier = new ChainVerifier(roots)
    for (const kind of ["p256", "p384", "rsa", "ed25519"] as const) {
      const chain = chainOf(authority().of(kind))
      assert.include(checkChain(chain, upstreamHost, roots, new Date()).subject, "test root", kind)
      assert.isFalse(await opensslRefuses(verifier, chain), kind)
    }
  })

  it("is refused for each flaw; OpenSSL alone would take a name that is in the subject only", async () => {
    const { roots } = authority()
    const verifier = new ChainVerifier(roots)
    const accepted: Array<string> = []
    for (const [name, [certificate, why]] of Object.entries(badChains())) {
      const chain = chainOf(certificate)
      assert.match(refusalOf(() => checkChain(chain, upstreamHost, roots, new Date())) ?? "", why, name)
      if (!(await opensslRefuses(verifier, chain))) accepted.push(name)
    }
    assert.deepStrictEqual(accepted, ["no alternative name"])
  })

  it("has to lead to a root that is trusted, at the time of the session", async () => {
    const { roots } = authority()
    const chain = chainOf(authority().of("p256"))
    const refused = (at: Date, to = roots) => refusalOf(() => checkChain(chain, upstreamHost, to, at)) ?? ""
    assert.match(refused(new Date(), publicRoots()), /no chain/)
    assert.match(refused(new Date(Date.now() + 31 * 86_400_000)), /not valid at the time/)
    assert.match(refused(new Date(Date.now() - 2 * 86_400_000)), /not valid at the time/)
    assert.isAbove([...publicRoots().bySubject.values()].flat().length, 100)
    assert.match(publicRoots().sha256, /^[0-9a-f]{64}$/)
  })

  it("is asked of OpenSSL anew where it gave no verdict", async () => {
    const verifier = new ChainVerifier(authority().roots)
    const chain = chainOf(authority().of("p256"))
    const path = process.env["PATH"]
    process.env["PATH"] = "/nowhere"
    try {
      assert.isTrue(await opensslRefuses(verifier, chain))
    } finally {
      process.env["PATH"] = path
    }
    assert.isFalse(await opensslRefuses(verifier, chain))
  })

  it.live("is refused in a session too", () =>
    Effect.gen(function* () {
      const certificate = authority().issue("elsewhere", { host: "other.test" })
      const port = yield* nodeServer((_request, answer) => answer.end("x"), certificate)
      const captured = yield* capture(port, ["/"], { tls: { rejectUnauthorized: false } })
      assert.match(refusalOf(() => findingsOf(captured)) ?? "", /another host/)
    })
  )
})
