/**
 * The one place where a script turns text into markup or into a program (Trusted Types, required by `html/policy.ts`): a browser
 * refuses it anywhere else. The markup is what the templates and charts of this site draw, which escape what they show.
 */

/** What a browser makes of text through a policy. It is taken where a string is, and is nothing else to us. */
interface Policy {
  readonly createHTML: (markup: string) => string
  readonly createScriptURL: (address: string) => string
}

declare global {
  /** Absent in older browsers, which take the strings. */
  var trustedTypes: { readonly createPolicy: (name: string, rules: Policy) => Policy } | undefined
}

const rules: Policy = {
  createHTML: (markup) => markup,
  createScriptURL: (address) => {
    if (new URL(address, location.href).origin !== location.origin)
      throw new TypeError(`${address} is not among the scripts of this site`)
    return address
  }
}

// The name is that of the policy in the Content-Security-Policy.
const policy = globalThis.trustedTypes?.createPolicy("plumbline", rules) ?? rules

/** Replaces what is in an element by markup of this site's own templates or charts, never by text from elsewhere. */
export const setMarkup = (place: Element, markup: string): void => {
  place.innerHTML = policy.createHTML(markup)
}

/** A page as a document that runs nothing. */
export const pageOf = (markup: string): Document =>
  new DOMParser().parseFromString(policy.createHTML(markup), "text/html")

/** Starts a worker of this site. */
export const startWorker = (address: string): Worker =>
  new Worker(policy.createScriptURL(address), { type: "module" })
