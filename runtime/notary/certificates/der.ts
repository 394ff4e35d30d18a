/** The part of DER (X.690) that certificates need beyond what Node's `X509Certificate` shows. */
import type { X509Certificate } from "node:crypto"

interface Element {
  readonly tag: number
  readonly body: Buffer
  /** The offset after it. */
  readonly end: number
}

const elementAt = (bytes: Buffer, at = 0): Element => {
  const short = bytes[at + 1] ?? 0
  const lengthBytes = short > 127 ? short & 127 : 0
  const start = at + 2 + lengthBytes
  const length = lengthBytes === 0 ? short : bytes.readUIntBE(at + 2, lengthBytes)
  return { tag: bytes[at] ?? 0, body: bytes.subarray(start, start + length), end: start + length }
}

const children = (bytes: Buffer): ReadonlyArray<Element> => {
  const elements: Array<Element> = []
  for (let at = 0; at < bytes.length; ) {
    const element = elementAt(bytes, at)
    elements.push(element)
    at = element.end
  }
  return elements
}

interface Extension {
  readonly isCritical: boolean
  readonly value: Buffer
}

const tag = { integer: 0x02, extensions: 0xa3 } as const

/** OpenSSL has parsed the certificate already, so its structure is there. Keys are the OIDs' content octets in hex. */
const extensionsOf = ({ raw }: X509Certificate): ReadonlyMap<string, Extension> => {
  const [body] = children(elementAt(raw).body)
  const wrapper = children(body?.body ?? Buffer.alloc(0)).find((element) => element.tag === tag.extensions)
  if (wrapper === undefined) return new Map()
  return new Map(
    children(elementAt(wrapper.body).body).map(({ body }) => {
      const [oid, ...rest] = children(body)
      return [
        oid?.body.toString("hex") ?? "",
        {
          isCritical: rest.length === 2 && rest[0]?.body[0] === 0xff,
          value: rest.at(-1)?.body ?? Buffer.alloc(0)
        }
      ]
    })
  )
}

/** Extensions by their OID (RFC 5280, 4.2.1), content octets in hex. */
const oid = {
  subjectKeyId: "551d0e",
  keyUsage: "551d0f",
  subjectAltName: "551d11",
  basicConstraints: "551d13",
  nameConstraints: "551d1e",
  policies: "551d20",
  authorityKeyId: "551d23",
  extendedKeyUsage: "551d25"
} as const

/** Those that are looked at, or that limit nothing here. */
const judged: ReadonlySet<string> = new Set([
  oid.subjectKeyId,
  oid.keyUsage,
  oid.subjectAltName,
  oid.basicConstraints,
  oid.policies,
  oid.authorityKeyId,
  oid.extendedKeyUsage
])

/** `keyCertSign` in the first octet of a KeyUsage. */
const mayCertify = 4

export interface Constraints {
  /** What it has that cannot be judged here; undefined if nothing. */
  readonly unjudged: string | undefined
  /** Certificates of issuers that may follow below it. */
  readonly pathLength: number
  /** Whether its key may sign certificates. */
  readonly signs: boolean
}

export const constraintsOf = (certificate: X509Certificate): Constraints => {
  const extensions = extensionsOf(certificate)
  const basic = extensions.get(oid.basicConstraints)
  const depth =
    basic === undefined
      ? undefined
      : children(elementAt(basic.value).body).find((element) => element.tag === tag.integer)
  const usage = extensions.get(oid.keyUsage)
  return {
    unjudged: unjudgedIn(extensions),
    pathLength: depth === undefined ? Number.POSITIVE_INFINITY : depth.body.readUIntBE(0, depth.body.length),
    // The first octet of a bit string counts its unused bits.
    signs: usage === undefined || ((elementAt(usage.value).body[1] ?? 0) & mayCertify) !== 0
  }
}

const unjudgedIn = (extensions: ReadonlyMap<string, Extension>): string | undefined => {
  if (extensions.has(oid.nameConstraints)) return "name constraints"
  for (const [id, { isCritical }] of extensions)
    if (isCritical && !judged.has(id)) return "an unknown critical extension"
  return undefined
}
