/**
 * The limit of every notary, shown and not hidden: whoever has the session's secrets from the collector AND sits between the notary and
 * the host (a poisoned name, a hijacked route, a hostile data centre) relays the genuine handshake and then writes the answer himself.
 */
import { createCipheriv, createHmac } from "node:crypto"
import { type AddressInfo, connect, createServer } from "node:net"
import type { TLSSocket } from "node:tls"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { upstreamHost } from "../support/notary/certificates.ts"
import { findingsOf, KeyLog, playing, sha256 } from "../support/notary/tap.ts"
import { sServer, writeServed } from "../support/notary/upstreams.ts"
import { missing } from "../support/programs.ts"

/** The first record that a host would send under its secret, with this text in it. */
const sealed = (secret: Uint8Array, text: string): Buffer => {
  const expand = (label: string, length: number) =>
    createHmac("sha384", secret)
      .update(Buffer.from([0, length, 6 + label.length, ...Buffer.from(`tls13 ${label}`), 0, 1]))
      .digest()
      .subarray(0, length)
  const plain = Buffer.concat([Buffer.from(text), Buffer.of(23)])
  const head = Buffer.from([23, 3, 3, 0, plain.length + 16])
  const seal = createCipheriv("aes-256-gcm", expand("key", 32), expand("iv", 12)).setAAD(head)
  return Buffer.concat([head, seal.update(plain), seal.final(), seal.getAuthTag()])
}

/** Relays to the host until the client asks, and answers then in its place, with the secret that the collector gave it. */
const relay = (port: number, secret: () => Uint8Array) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer((client) => {
        let isForging = false
        const host = connect(port, "127.0.0.1")
        client.on("error", () => {})
        host.on("error", () => {})
        client.on("close", () => host.destroy())
        host.on("data", (bytes) => {
          if (!isForging) client.write(bytes)
        })
        client.on("data", (bytes) => {
          const isRequest = bytes[0] === 23 && isAsking
          if (!isRequest) {
            host.write(bytes)
            // Its Finished, the first record that is sealed, which a change of cipher may come before.
            if (bytes[0] === 23 || (bytes[0] === 20 && bytes[6] === 23)) finished.resolve()
            return
          }
          isForging = true
          client.end(sealed(secret(), "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged"))
        })
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      return server
    }),
    (server) => Effect.sync(() => server.close())
  )

let isAsking = false
let finished = Promise.withResolvers<void>()

describe.skipIf(missing("openssl"))("the limit of a notary", () => {
  it.live("a relay in its path that the collector helps forges under the genuine host's signature", () =>
    Effect.gen(function* () {
      isAsking = false
      finished = Promise.withResolvers()
      writeServed("v", "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\ngenuine")
      const { port } = yield* sServer("p256", "-HTTP", "-num_tickets", "0")
      const keys = new KeyLog()
      const server = yield* relay(port, () => keys.secrets["SERVER_TRAFFIC_SECRET_0"] ?? Buffer.of())
      const forged = yield* playing(
        (server.address() as AddressInfo).port,
        async (socket: TLSSocket) => {
          // Its Finished goes to the host first.
          await finished.promise
          isAsking = true
          const answer = new Promise((resolve) => socket.once("data", resolve))
          socket.write(`GET /v HTTP/1.1\r\nHost: ${upstreamHost}\r\n\r\n`)
          await answer
        },
        { tls: { ciphers: "TLS_AES_256_GCM_SHA384" }, keys }
      )
      // It is stated. So a statement never says that the host said it, but who signed the handshake, and readers ask for k of n notaries.
      assert.strictEqual(findingsOf(forged).exchanges[0]?.response.sha256, sha256("forged"))
    })
  )
})
