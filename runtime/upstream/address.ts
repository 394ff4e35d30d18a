/** Which addresses may be connected to. The check happens at connect time, on what the name actually resolved to. */
import { type LookupAddress, promises } from "node:dns"
import { BlockList, isIP, type LookupFunction } from "node:net"

/** From the IANA special-purpose address registries (IPv4 and IPv6), as of November 2026. */
const special: ReadonlyArray<readonly [subnet: string, prefix: number, why: string]> = [
  ["0.0.0.0", 8, "an address of this network"],
  ["10.0.0.0", 8, "a private address"],
  ["100.64.0.0", 10, "a carrier-grade NAT address"],
  ["127.0.0.0", 8, "a loopback address"],
  ["169.254.0.0", 16, "a link-local address, where clouds keep their metadata"],
  ["172.16.0.0", 12, "a private address"],
  ["192.0.0.0", 24, "a reserved address"],
  ["192.0.2.0", 24, "a documentation address"],
  ["192.88.99.0", 24, "a 6to4 relay address"],
  ["192.168.0.0", 16, "a private address"],
  ["198.18.0.0", 15, "a benchmarking address"],
  ["198.51.100.0", 24, "a documentation address"],
  ["203.0.113.0", 24, "a documentation address"],
  ["224.0.0.0", 4, "a multicast address"],
  ["240.0.0.0", 4, "a reserved address"],
  // Inside 2000::/3; everything outside it is refused as a whole, IPv4-mapped, NAT64, ULA and link-local with it.
  ["2001::", 23, "an address of a protocol, such as Teredo"],
  ["2001:db8::", 32, "a documentation address"],
  ["2002::", 16, "a 6to4 address, which embeds an IPv4 address"],
  ["3fff::", 20, "a documentation address"]
]

const lists = special.map(([subnet, prefix, why]) => {
  const list = new BlockList()
  list.addSubnet(subnet, prefix, isIP(subnet) === 4 ? "ipv4" : "ipv6")
  return { list, why }
})

const globalUnicast = new BlockList()
globalUnicast.addSubnet("2000::", 3, "ipv6")

/** What an address is that must not be connected to, with its article; undefined for a public unicast address. */
export const refusal = (address: string): string | undefined => {
  const family = isIP(address)
  if (family === 0) return "a malformed address"
  if (family === 6 && !globalUnicast.check(address, "ipv6")) return "an address that is not global unicast"
  return lists.find(({ list }) => list.check(address, family === 4 ? "ipv4" : "ipv6"))?.why
}

/** A name that resolves to an address which must not be reached. */
export class AddressRefused extends Error {
  override readonly name = "AddressRefused"
}

/** Resolves a host name to all its addresses. */
export type Resolve = (host: string) => Promise<ReadonlyArray<LookupAddress>>

/** The part of Node's `dns.promises.Resolver` that is needed. */
export interface NameServers {
  readonly resolve4: (host: string) => Promise<ReadonlyArray<string>>
  readonly resolve6: (host: string) => Promise<ReadonlyArray<string>>
}

/**
 * Asks the name servers directly. The system's `lookup` blocks one of the few pool threads while it waits, so four slow
 * names would stop every other plugin. It is used only if no name server can be reached.
 */
export const resolveBy =
  (resolver: NameServers, otherwise: Resolve): Resolve =>
  async (host) => {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    const addresses: ReadonlyArray<LookupAddress> = [
      ...(v4.status === "fulfilled" ? v4.value.map((address) => ({ address, family: 4 })) : []),
      ...(v6.status === "fulfilled" ? v6.value.map((address) => ({ address, family: 6 })) : [])
    ]
    if (addresses.length > 0 || v4.status === "fulfilled") return addresses
    if ((v4.reason as NodeJS.ErrnoException).code === "ECONNREFUSED") return otherwise(host)
    throw v4.reason
  }

export const systemResolve: Resolve = resolveBy(new promises.Resolver({ timeout: 3000, tries: 2 }), (host) =>
  promises.lookup(host, { all: true })
)

/**
 * The `lookup` of a socket. A single forbidden address refuses the whole name, whichever address the socket would have
 * tried. The socket connects to the addresses checked here; nothing resolves the name again.
 */
export const guard =
  (resolve: Resolve): LookupFunction =>
  (host, options, callback) => {
    resolve(host).then(
      (addresses) => {
        const [first] = addresses
        const bad = addresses.map(({ address }) => refusal(address)).find((why) => why !== undefined)
        if (bad !== undefined) callback(new AddressRefused(`${host} resolves to ${bad}`), "", 0)
        else if (first === undefined) callback(new AddressRefused(`${host} resolves to nothing`), "", 0)
        else if (options.all === true) callback(null, [...addresses])
        else callback(null, first.address, first.family)
      },
      (error: NodeJS.ErrnoException) => callback(error, "", 0)
    )
  }
