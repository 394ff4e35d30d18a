/** What a message says. */
import type { AlertCrossing, ChannelKind } from "../wire/alerts/alert.ts"

/** Characters of a text: what the services take, and of mail what somebody reads. */
const longestText: Readonly<Record<ChannelKind, number>> = {
  email: 20_000,
  telegram: 3800,
  slack: 8000,
  discord: 1900,
  ntfy: 3800,
  webhook: 20_000,
  feed: 20_000
}

const paragraphOf = (crossing: AlertCrossing): string =>
  [
    `${crossing.simulated === true ? "SIMULATED, of a demo: " : ""}${crossing.says}`,
    ...(crossing.source === undefined
      ? []
      : [`Source: ${crossing.source}${crossing.verify_url === undefined ? "" : `, ${crossing.verify_url}`}`]),
    `Seen: ${crossing.at}`,
    `Proof: ${crossing.proof_url}`,
    `Id: ${crossing.id}`
  ].join("\n")

/** Subject and text of a message about crossings, of which there is at least one. */
export const crossingsText = (
  alert: {
    readonly says: string
    readonly channel: ChannelKind
    readonly endUrl: string
    readonly feedUrl: string
  },
  crossings: ReadonlyArray<AlertCrossing>,
  total: number
): { readonly subject: string; readonly text: string } => {
  const end = `You asked to be told when: ${alert.says}.\nEnd this alert: ${alert.endUrl}`
  const room = longestText[alert.channel] - end.length - alert.feedUrl.length - 60
  const parts: Array<string> = []
  let length = 0
  for (const crossing of crossings) {
    const part = paragraphOf(crossing)
    if (parts.length > 0 && length + part.length + 2 > room) break
    parts.push(part.slice(0, room))
    length += part.length + 2
  }
  const left = total - parts.length
  const more = left === 0 ? [] : [`And ${left} more since: ${alert.feedUrl}`]
  const count = total === 1 ? "" : ` (${total} times)`
  return {
    subject:
      `${crossings.some(({ simulated }) => simulated) ? "Simulated: " : ""}${alert.says}${count}`.slice(
        0,
        200
      ),
    text: [...parts, ...more, end].join("\n\n")
  }
}

/** Tells the addressee that an alert is paused, because the account has too many. */
export const overLimitText = (says: string, limit: number, endUrl: string) => ({
  subject: "Your Plumbline alert is paused",
  text: `Plumbline no longer checks whether ${says}.

The account has more alerts than its tier allows (${limit}), and this is one of the newest. Checking resumes when the account moves to
a higher tier or ends an older alert. Anything that happens until then is not reported.

End this alert: ${endUrl}`,
  endUrl
})

/** What asks the addressee of a new alert for a confirmation. */
export const confirmationText = (says: string, confirmUrl: string, neverUrl: string | undefined) => ({
  subject: "Confirm an alert of Plumbline",
  text: `Somebody asked that you are told when: ${says}.

To get these messages, open this address and press the button:
${confirmUrl}

If you did not ask for it, do nothing: you will get no other message about it.${
    neverUrl === undefined
      ? ""
      : `

Never get mail from this service again, whoever asks for it (open this address and press the button):
${neverUrl}`
  }`
})

/** What asks the addressee for a confirmation of yesterday by mail. */
export const morningConfirmationText = (title: string, confirmUrl: string, neverUrl: string) => ({
  subject: "Confirm: yesterday by mail from Plumbline",
  text: `Somebody asked that you get yesterday in five lines every morning, of ${title}.

To get these messages, open this address and press the button:
${confirmUrl}

If you did not ask for it, do nothing: you will get no other message about it.

Never get mail from this service again, whoever asks for it (open this address and press the button):
${neverUrl}`
})

/** Yesterday in a message. */
export const morningText = ({
  day,
  endUrl,
  lines,
  page,
  title
}: {
  readonly title: string
  readonly day: string
  readonly lines: ReadonlyArray<string>
  readonly page: string
  readonly endUrl: string
}) => ({
  subject: `${day}: ${lines[0] ?? "no line"}`.slice(0, 200),
  text: `${lines.join("\n")}

All that changed, with proofs: ${page}

You asked for yesterday of ${title}, every morning.
End it: ${endUrl}`
})
