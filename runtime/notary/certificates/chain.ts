/**
 * Path validation to the public roots (RFC 5280, 6), with what Node shows of certificates. What it cannot judge (name constraints,
 * unknown critical extensions) it refuses; revocation and policies it does not look at. `openssl.ts` is the other opinion.
 */
import { hash, X509Certificate } from "node:crypto"
import { rootCertificates } from "node:tls"
import { demand, refuse } from "../Refused.ts"
import { constraintsOf } from "./der.ts"

export interface Roots {
  readonly bySubject: ReadonlyMap<string, ReadonlyArray<X509Certificate>>
  /** As PEM, one after the other. */
  readonly pem: string
  /** SHA-256 over the certificates' hashes in ascending order, each in hex: the name of the list. */
  readonly sha256: string
}

const sha256 = (bytes: Uint8Array): string => hash("sha256", bytes)

export const rootsOf = (pems: ReadonlyArray<string>): Roots => {
  const roots = pems.map((pem) => new X509Certificate(pem))
  return {
    bySubject: Map.groupBy(roots, ({ subject }) => subject),
    pem: pems.map((pem) => `${pem.trimEnd()}\n`).join(""),
    sha256: hash(
      "sha256",
      roots
        .map(({ raw }) => sha256(raw))
        .sort()
        .join("")
    )
  }
}

/** Mozilla's list, as this version of Node has it. */
export const publicRoots = (): Roots => rootsOf(rootCertificates)

const serverAuth = "1.3.6.1.5.5.7.3.1"
const weakHash = /md5|sha1/i
const leastRsaBits = 2048
const longestPath = 6

const isCurrent = ({ validFromDate, validToDate }: X509Certificate, at: Date): boolean =>
  validFromDate <= at && at <= validToDate

const isUsable = (certificate: X509Certificate, at: Date): boolean => {
  const { asymmetricKeyDetails, asymmetricKeyType } = certificate.publicKey
  return (
    isCurrent(certificate, at) &&
    !weakHash.test(certificate.signatureAlgorithm ?? "") &&
    (asymmetricKeyType !== "rsa" || (asymmetricKeyDetails?.modulusLength ?? 0) >= leastRsaBits)
  )
}

const isForServers = ({ keyUsage }: X509Certificate): boolean =>
  // Node names the extended key usage so.
  keyUsage === undefined || keyUsage.includes(serverAuth)

/** What a path is looked for with. */
interface Search {
  readonly others: ReadonlyArray<X509Certificate>
  readonly roots: Roots
  readonly at: Date
}

const issues = (parent: X509Certificate, child: X509Certificate): boolean =>
  parent.subject === child.issuer && child.checkIssued(parent) && child.verify(parent.publicKey)

const isIssuer = (parent: X509Certificate, child: X509Certificate, below: number, at: Date): boolean => {
  const { pathLength, signs, unjudged } = constraintsOf(parent)
  return (
    unjudged === undefined &&
    parent.ca &&
    signs &&
    below <= pathLength &&
    isUsable(parent, at) &&
    isForServers(parent) &&
    issues(parent, child)
  )
}

/** The root above a certificate that has `below` issuers under it. */
const rootAbove = (child: X509Certificate, below: number, search: Search): X509Certificate | undefined => {
  const { at, others, roots } = search
  const root = roots.bySubject
    .get(child.issuer)
    ?.find(
      (one) => one.ca && isCurrent(one, at) && below <= constraintsOf(one).pathLength && issues(one, child)
    )
  if (root !== undefined || below >= longestPath) return root
  for (const parent of others) {
    if (parent === child || !isIssuer(parent, child, below, at)) continue
    const above = rootAbove(parent, below + 1, search)
    if (above !== undefined) return above
  }
  return undefined
}

/** The root that the chain of `host` leads to at a time. Throws `Refused`. */
export const checkChain = (
  [host, ...others]: readonly [X509Certificate, ...Array<X509Certificate>],
  name: string,
  roots: Roots,
  at: Date
): X509Certificate => {
  demand(isUsable(host, at), "the certificate is not valid at the time of the session")
  const { unjudged } = constraintsOf(host)
  demand(unjudged === undefined, `the certificate has ${unjudged}`)
  demand(host.checkHost(name, { subject: "never" }) !== undefined, "the certificate is another host's")
  demand(isForServers(host), "the certificate is not a server's")
  return rootAbove(host, 0, { others, roots, at }) ?? refuse("no chain to a public root")
}
