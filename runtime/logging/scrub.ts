/**
 * The last look at what leaves the process as a log line, a trace or a metric: secrets that reached it by mistake are
 * replaced. Nothing should ever get this far; tests look for what does.
 */
import { keysInText } from "../../core/credits/keys/keyForm.ts"

const hidden = "<redacted>"

const forms: ReadonlyArray<readonly [form: RegExp, instead: string]> = [
  // Keys of accounts and encoders.
  [keysInText, hidden],
  // Keys of Stripe.
  [/\b(?:sk_live|sk_test|rk_live|rk_test|whsec|cs_live|cs_test)_[\w-]{8,}/g, hidden],
  // The password in a URL.
  [/\b([a-z][a-z0-9+.-]*:\/\/[^\s/:@"']*):[^\s/@"']+@/gi, `$1:${hidden}@`],
  // Wallets' signatures, 65 bytes or more: hashes and addresses are shorter.
  [/\b0x[0-9a-f]{128,}\b/gi, hidden],
  [/\b(Bearer|Basic) [\w.~+/=-]{8,}/g, `$1 ${hidden}`],
  [/([?&](?:session_id|api_?key|key|token|secret)=)[^&\s"'\\]+/gi, `$1${hidden}`],
  // What an alert's address does without a key, and where its messages go.
  [/(\/alerts\/al_[0-9a-f]+\/(?:confirm|end|feed)\/)[\w-]+/g, `$1${hidden}`],
  [/\b(hooks\.slack\.com\/services|discord\.com\/api\/webhooks)\/[\w/-]+/g, `$1/${hidden}`],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----/g, hidden]
]

/** Shorter settings would take words out of innocent lines. */
const shortest = 8

/** `secrets` are replaced wherever they are found, also as JSON and in a URL. */
export const makeScrub = (secrets: ReadonlyArray<string> = []): ((text: string) => string) => {
  const variants = secrets
    .filter((secret) => secret.length >= shortest)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])
  const unique = [...new Set(variants)].sort((a, b) => b.length - a.length)
  return (text) => {
    let clean = text
    for (const secret of unique) clean = clean.replaceAll(secret, hidden)
    for (const [form, instead] of forms) clean = clean.replace(form, instead)
    return clean
  }
}
