/** A mail server on a free port of this machine, which keeps what it gets. */
import { once } from "node:events"
import { Effect } from "effect"
import { SMTPServer } from "smtp-server"

/** Starts one that takes every mail, or refuses all while `refuses` is true; stops with the scope. */
export const mailServer = Effect.acquireRelease(
  Effect.promise(async () => {
    const mails: Array<{ readonly to: ReadonlyArray<string>; readonly text: string }> = []
    const state = { refuses: false }
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ["STARTTLS"],
      onData: (stream, session, done) => {
        const parts: Array<Buffer> = []
        stream.on("data", (part: Buffer) => parts.push(part))
        stream.on("end", () => {
          if (state.refuses) return done(Object.assign(new Error("try again"), { responseCode: 451 }))
          // Lines are folded in transport; `=` at an end continues the line.
          const text = Buffer.concat(parts).toString("utf8").replaceAll("=\r\n", "").replaceAll("=3D", "=")
          mails.push({ to: session.envelope.rcptTo.map(({ address }) => address), text })
          return done()
        })
      }
    })
    server.listen(0, "127.0.0.1")
    await once(server.server, "listening")
    const address = server.server.address()
    const port = typeof address === "object" ? (address?.port ?? 0) : 0
    return { mails, state, server, url: `smtp://127.0.0.1:${port}` }
  }),
  ({ server }) => Effect.callback<void>((resume) => server.close(() => resume(Effect.void)))
)
