/** Commands of a shell: they break before an option, and inside of one only where it is longer than its line. */
import { type Html, html } from "./markup.ts"

/** The command itself, with what belongs to npx, and each option with its value. */
export const partsOf = (command: string): ReadonlyArray<string> => command.split(/ (?=--(?!no ))/)

export const commandBlock = (...commands: ReadonlyArray<string>): Html =>
  html`<pre><code>${commands.map(
    (command, n) =>
      html`${n > 0 && "\n"}${partsOf(command).map((part, place) => html`${place > 0 && " "}<span class="option">${part}</span>`)}`
  )}</code></pre>`
