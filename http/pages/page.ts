/** The layout of the HTML pages: one inline style, no scripts, no external requests. */
import { createHash } from "node:crypto"
import { HttpServerResponse } from "effect/http"

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

export const escape = (text: string): string => text.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign)

const style = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 62rem; margin: 0 auto; padding: 1.5rem 1rem 5rem; }
h1, h2, h3 { line-height: 1.2; } h2 { margin-top: 3rem; border-bottom: 1px solid var(--line); }
code, pre { font: 14px/1.5 ui-monospace, monospace; background: var(--soft); border-radius: 4px; }
code { padding: .1em .3em; overflow-wrap: anywhere; } pre code { overflow-wrap: normal; } pre { padding: .7rem .9rem; overflow-x: auto; } pre code { padding: 0; background: none; }
table { border-collapse: collapse; width: 100%; margin: .6rem 0; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); }
section { margin: 2rem 0; } details { margin: .4rem 0; } summary { cursor: pointer; }
body { overflow-wrap: break-word; } td, th { overflow-wrap: anywhere; } .language { margin: .8rem 0 .2rem; font-weight: 600; }
.top { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; } nav ul { columns: 2 24rem; padding-left: 1.2rem; }
@media (max-width: 40rem) { table, tbody, tr, td { display: block; } tr:first-child:has(th) { display: none; } td { border: 0; padding: 0; } tr { border-bottom: 1px solid var(--line); padding: .4rem 0; } ul { padding-left: 1.1rem; } }
 .banner { border: 1px solid; border-radius: 6px; padding: .6rem .9rem; }
`

const styleHash = createHash("sha256").update(style).digest("base64")

/** Allows the style above and nothing else. */
export const pagePolicy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** A complete page as a response. `body` is HTML; `title` is plain text. */
export const page = (title: string, body: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)}</title>
<style>${style}</style>
</head>
<body>
<nav class="top"><a href="/">Plumbline</a><a href="/docs">Documentation</a><a href="/docs/recipes">Recipes</a></nav>
${body}
</body>
</html>
`,
    {
      contentType: "text/html; charset=utf-8",
      headers: { "content-security-policy": pagePolicy, "cross-origin-opener-policy": "same-origin" }
    }
  )
