/** The pages that the `type` of each problem names: what it means, and what to do about it. For ever at one address. */
import type { Words } from "../../core/wire/problems/problem.ts"
import { escape } from "./page.ts"

const prose = (text: string): string => escape(text).replace(/`([^`]+)`/g, "<code>$1</code>")

/** HTML of the body of one problem's page. */
export const problemBody = (id: string, { meaning, remedy, status, title }: Words): string => `
<h1>${escape(title)}</h1>
<p><code>/problems/${escape(id)}</code>, status ${status}</p>
<h2>What it means</h2><p>${prose(meaning)}</p>
<h2>What to do</h2><p>${prose(remedy)}</p>
<p><a href="/docs#errors">Errors of this service</a></p>`
