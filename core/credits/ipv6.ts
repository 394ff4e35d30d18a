/**
 * IPv6 sites. A /48 contains 65,536 of the /64 networks that limits apply to, so these are also counted together. The
 * quota of a site is larger, because one /48 may serve many customers.
 */

/** The quota of a site, as a multiple of that of a network. */
export const ipv6PrefixFactor = 10

const network = /^([0-9a-f]+:[0-9a-f]+:[0-9a-f]+):[0-9a-f]+::\/64$/

/** The /48 around an originating network as limits know them (`a:b:c:d::/64`); undefined for IPv4. */
export const ipv6PrefixOf = (text: string): string | undefined => {
  const match = network.exec(text)
  return match === null ? undefined : `${match[1]}::/48`
}
