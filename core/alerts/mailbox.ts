/** A mailbox, as mail is counted and refused by it: an address in lower case, without what is behind a `+`. */

/** `Victim+2@Example.org` is the mailbox `victim@example.org`: one receiver reads both. */
export const mailboxOf = (address: string): string => {
  const at = address.lastIndexOf("@")
  const name = address.slice(0, at)
  const plus = name.indexOf("+")
  return `${plus > 0 ? name.slice(0, plus) : name}${address.slice(at)}`.toLowerCase()
}

export const domainOf = (address: string): string => address.slice(address.lastIndexOf("@") + 1).toLowerCase()

/** A mailbox as an address of ours names it. */
export const mailboxId = (mailbox: string): string => Buffer.from(mailbox).toString("base64url")

export const mailboxOfId = (id: string): string => Buffer.from(id, "base64url").toString()
