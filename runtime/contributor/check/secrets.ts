/** What must not be committed: keys of whatever form is known, and what tells of persons. */
import { isIPv6 } from "node:net"
import { type Finding, note, wrong } from "./Finding.ts"

/** Tokens that say by their form what they open. */
const secretForms: ReadonlyArray<readonly [form: RegExp, what: string]> = [
  [/\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/, "a key of AWS"],
  [/\bgh[pousr]_[A-Za-z0-9]{16,}|\bgithub_pat_[A-Za-z0-9_]{22,}/, "a token of GitHub"],
  [/\bglpat-[\w-]{20,}/, "a token of GitLab"],
  [/\b[sr]k_live_[A-Za-z0-9]{8,}|\bwhsec_[A-Za-z0-9+/=]{16,}/, "a key of Stripe"],
  [/\bxox[abeoprs]-[A-Za-z0-9-]{8,}/, "a token of Slack"],
  [/\bAIza[\w-]{35}\b/, "a key of Google"],
  [/\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/, "a JSON Web Token"],
  [/-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----/, "a private key"]
]

/** Secrets in a text. A finding shows their beginning only, because reports are pasted into public places. */
export const secretFindings = (where: string, file: string, text: string): ReadonlyArray<Finding> =>
  secretForms.flatMap(([form, what]) => {
    const match = form.exec(text)
    return match === null
      ? []
      : [
          wrong(
            where,
            `${file} contains ${what}, ${match[0].slice(0, 8)}…, in line ${lineOf(text, match.index)}`,
            "revoke it if it is real, for a commit cannot be taken back; then remove it, or put x in the place of its letters"
          )
        ]
  })

const lineOf = (text: string, at: number): number => text.slice(0, at).split("\n").length

/** Whether a parameter or header is named like a key: `apikey2`, `auth`, `sig`, `X-API-Key`. */
export const isKeyName = (name: string): boolean =>
  /^x?(api|access|auth|app|client|secret|private|subscription|session|rapidapi)?(key|token|secret|auth|authorization|signature|sig|passw(or)?d|pwd|jwt|bearer|credentials?)$|^appid$/.test(
    name.toLowerCase().replace(/[^a-z]/g, "")
  )

/** Longer local parts are keys of nodes, such as Storj's; two of these ends are names of files. */
const email =
  /(?<![\w.%+-])[\w.%+-]{1,32}@(?:[A-Za-z0-9-]+\.)+(?!(?:png|jpe?g|gif|svg|webp|js|css|json|example)\b)[A-Za-z]{2,24}\b/g
const ipv4 = /(?<![\w.-])(?:\d{1,3}\.){3}\d{1,3}(?![\w-]|\.\d)/g
const ipv6 = /(?<![\w:])[23][0-9a-f]{3}:[0-9a-f:]{3,}(?![\w:])/gi

/** Networks that are nobody's: private, of this machine, of documentation, of groups. */
const reserved =
  /^(0|10|127)\.|^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|^169\.254\.|^172\.(1[6-9]|2\d|3[01])\.|^192\.(168|0\.0|0\.2)\.|^198\.(1[89]|51\.100)\.|^203\.0\.113\.|^(22[4-9]|2[3-5]\d)\./

const isPublic = (address: string): boolean =>
  address.split(".").every((part) => Number(part) < 256 && !/^0\d/.test(part)) && !reserved.test(address)

const addressesIn = (text: string): ReadonlyArray<string> => [
  ...(text.match(ipv4) ?? []).filter(isPublic),
  ...(text.match(ipv6) ?? []).filter((one) => isIPv6(one) && !/^2001:0?db8:/i.test(one))
]

const personal: ReadonlyArray<readonly [what: string, of: (text: string) => ReadonlyArray<string>]> = [
  ["e-mail address", (text) => text.match(email) ?? []],
  ["public IP address", addressesIn]
]

/** What in a body may tell of persons. A network may publish the addresses of its nodes; only a person knows whether it does. */
export const personalFindings = (where: string, file: string, text: string): ReadonlyArray<Finding> =>
  personal.flatMap(([what, of]) => {
    const all = new Set(of(text))
    const [first] = all
    return first === undefined
      ? []
      : [
          note(
            where,
            `${file} contains ${all.size === 1 ? `the ${what} ${first}` : `${all.size} ${what}es, such as ${first}`}`,
            "replace it by one of documentation (user@a.example, 192.0.2.1), unless the network publishes it and the plugin reads it"
          )
        ]
  })
