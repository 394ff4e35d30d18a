/**
 * Text becomes markup or a program in one place of the scripts (`client/parts/trusted.ts`), whose policy has this name; a browser
 * refuses it in any other.
 */
const trusted = (policy: string) => ["require-trusted-types-for 'script'", `trusted-types ${policy}`]

/** What a page may load: its own files and nothing else. */
const own = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  ...trusted("plumbline")
].join("; ")

/** `embedded`: other sites may show the page in a frame. */
export const pageHeaders = (embedded = false): Readonly<Record<string, string>> => ({
  "content-security-policy": `${own}; frame-ancestors ${embedded ? "*" : "'none'"}`,
  ...(embedded ? {} : { "cross-origin-opener-policy": "same-origin" })
})

/** A worker is held by the policy of its own file, and not by that of the page. */
export const scriptHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": [
    ...["default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"],
    ...trusted("'none'")
  ].join("; ")
}

/** An SVG file brings its own style, and runs nothing. */
export const pictureHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors *"
}
