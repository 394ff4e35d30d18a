/** The mail server that alerts go by: whether it answers and takes the user and the password. Nothing is sent. */
import { Duration, Effect, Option, Redacted } from "effect"
import * as Messengers from "../outside/messengers.ts"
import type { Settings } from "../settings/Settings.ts"
import { type Finding, findingFor } from "./Finding.ts"

const reach = findingFor("reach")

const patience = Duration.seconds(10)

/** None without a mail server: then no alert goes by mail, and pages do not offer it. */
export const mailServer = Effect.fn("Doctor.mailServer")(function* ({
  mailFrom,
  smtpUrl
}: Settings["Service"]) {
  const mail = Option.getOrUndefined(Option.all([smtpUrl, mailFrom]))
  if (mail === undefined) return []
  const [url, from] = mail
  const { host } = new URL(Redacted.value(url))
  const why = yield* Messengers.verifyMail({ url, from }).pipe(
    Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.succeed("no answer in time") })
  )
  const finding: Finding =
    why === undefined
      ? reach("ok", `mail server ${host}`)
      : reach("warn", `mail server ${host}: ${why}`, "check SMTP_URL, the name server and the firewall")
  return [finding]
})
