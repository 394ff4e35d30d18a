/** The page behind each problem's `type`: what it means and what to do. Its URL never changes. */
import type { ProblemTexts } from "../../core/wire/problems/problem.ts"
import { escapeXml } from "../explorer/charts/xml.ts"
import { prose } from "../explorer/html/prose.ts"

/** The HTML body of a problem's page. */
export const problemBody = (id: string, { meaning, remedy, status, title }: ProblemTexts): string => `
<p class="trail"><a href="/docs">API documentation</a> / <a href="/docs#errors">Errors</a></p>
<h1>${escapeXml(title)}</h1>
<p><code>/problems/${escapeXml(id)}</code>, status ${status}</p>
<h2>What it means</h2><p>${prose(meaning)}</p>
<h2>What to do</h2><p>${prose(remedy)}</p>`
