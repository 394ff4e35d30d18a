/** `UPSTREAM_MAP`: the one way past the address check and past https. */
import { Effect, Schema } from "effect"

/** Hosts (with their port, where it is not the scheme's own) and the local stand-ins that answer for them. */
export type UpstreamMap = ReadonlyMap<string, URL>

export class UpstreamMapInvalid extends Schema.TaggedError<UpstreamMapInvalid>()("UpstreamMapInvalid", {
  message: Schema.String
}) {}

/** Reads `host=http://127.0.0.1:port,…`, the value of a setting; an empty text maps nothing. */
export const parseMap = (
  text: string,
  setting: "UPSTREAM_MAP" | "MESSENGER_MAP" = "UPSTREAM_MAP"
): Effect.Effect<UpstreamMap, UpstreamMapInvalid> =>
  Effect.gen(function* () {
    const map = new Map<string, URL>()
    for (const entry of text.split(",").map((part) => part.trim())) {
      if (entry === "") continue
      const [host = "", address = ""] = entry.split(/=(.*)/)
      const url = URL.parse(address)
      if (!/^[a-z0-9.-]+(:\d+)?$/.test(host) || url === null || !/^https?:$/.test(url.protocol)) {
        return yield* new UpstreamMapInvalid({
          message: `${setting}: "${entry}" is not of the form host=http://127.0.0.1:port`
        })
      }
      if (`${url.pathname}${url.search}${url.hash}` !== "/") {
        return yield* new UpstreamMapInvalid({
          message:
            `${setting}: "${entry}" has a path, but a stand-in gets the path of each request as it is; ` +
            `write ${host}=${url.origin} and serve what is requested`
        })
      }
      map.set(host, url)
    }
    return map
  })
