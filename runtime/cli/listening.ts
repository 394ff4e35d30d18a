/** Where a small server of the command line listens. */
import { Effect } from "effect"
import { Flag } from "effect/cli"
import type { ServeError } from "effect/http/HttpServerError"
import { UsageError } from "./usage.ts"

/** `--host` and `--port`, with the server's usual port. */
export const listening = (port: number) => ({
  host: Flag.String("host").pipe(
    Flag.withDescription("Address to listen on (default: 127.0.0.1)"),
    Flag.withDefault("127.0.0.1")
  ),
  port: Flag.Int("port").pipe(
    Flag.withDescription(`Port to listen on (default: ${port})`),
    Flag.withDefault(port)
  )
})

/** `--proxies`, of a server that bounds what one network may take. */
export const proxies = {
  proxies: Flag.Int("proxies").pipe(
    Flag.withDescription(
      "How many proxies of yours stand in front (default: 0; connections are counted by network)"
    ),
    Flag.withDefault(0)
  )
}

/** Where a server listens, and behind how many proxies. */
export interface Listening {
  readonly host: string
  readonly port: number
  readonly proxies?: number
}

/** What the command says where the address is taken or not this machine's. */
export const cannotListen = (
  { host, port }: { readonly host: string; readonly port: number },
  { cause }: ServeError
) =>
  Effect.fail(
    new UsageError({
      message: `cannot listen on ${host}:${port}: ${cause instanceof Error ? cause.message : String(cause)}`
    })
  )
