/**
 * `/metrics` for Prometheus, on the port of the API: for callers of this machine and of private networks. To anyone else
 * there is nothing at this path. Not signed, not limited, not counted.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { type Context, Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"
import { formatUnsafe } from "effect/observability/PrometheusMetrics"
import type { HttpSettings } from "../HttpSettings.ts"
import { addressOf } from "../request/origin.ts"

/** Answers, and returns true, if the caller may see them. */
export type MetricsPage = (request: IncomingMessage, response: ServerResponse) => boolean

const near = [
  "127.0.0.0/8",
  "10.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "169.254.0.0/16",
  "::1/128",
  "fc00::/7",
  "fe80::/10",
  "::ffff:127.0.0.0/104",
  "::ffff:10.0.0.0/104",
  "::ffff:172.16.0.0/108",
  "::ffff:192.168.0.0/112",
  "::ffff:169.254.0.0/112"
].map(IpNetwork.fromStringUnsafe)

const isNear = (address: string): boolean => {
  const parsed = NetAddress.ipFromString(address.split("%")[0] ?? "")
  return Result.isSuccess(parsed) && near.some((network) => IpNetwork.contains(network, parsed.success))
}

export const makeMetricsPage = (
  settings: HttpSettings["Service"],
  context: Context.Context<never>
): MetricsPage => {
  const maySee = ({ headers, socket }: IncomingMessage): boolean => {
    const forwarded = headers["x-forwarded-for"]
    // Behind a proxy that the settings do not name, everyone seems to be on this machine.
    if (settings.trustProxy === 0 && (forwarded !== undefined || headers["forwarded"] !== undefined))
      return false
    const remote = socket.remoteAddress
    const caller = addressOf(
      remote,
      typeof forwarded === "string" ? forwarded : undefined,
      settings.trustProxy
    )
    // Whoever reaches this port without the proxy can name any address.
    return isNear(remote ?? "") && isNear(caller)
  }
  return (request, response) => {
    const { method } = request
    if (!settings.metrics || (method !== "GET" && method !== "HEAD") || !maySee(request)) return false
    const text = Buffer.from(formatUnsafe(context))
    response.writeHead(200, {
      "Content-Type": "text/plain; version=0.0.4; charset=utf-8",
      "Content-Length": text.length,
      "Cache-Control": "no-store"
    })
    response.end(method === "HEAD" ? undefined : text)
    return true
  }
}
