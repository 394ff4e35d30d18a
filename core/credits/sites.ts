/**
 * Sites of IPv6: who is given a /48 has 65,536 networks of the size that limits are counted by, so they are counted
 * together as well, with a larger quota, since a provider may also give one /48 to many.
 */

/** How many times the quota of one network a site has. */
export const siteFactor = 10

const network = /^([0-9a-f]+:[0-9a-f]+:[0-9a-f]+):[0-9a-f]+::\/64$/

/** The /48 around an originating network as limits know them (`a:b:c:d::/64`); undefined for IPv4. */
export const siteOf = (text: string): string | undefined => {
  const found = network.exec(text)
  return found === null ? undefined : `${found[1]}::/48`
}
