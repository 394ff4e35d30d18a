/** A button that copies a text, such as a command or a citation. */
import { element } from "./dom.ts"

/** Puts the button after an element; `what` names it for those who hear it alone. */
export const addCopy = (after: HTMLElement, what: string): void => {
  const button = element("button", { type: "button", class: "copy" }, "Copy")
  button.append(element("span", { class: "visually-hidden" }, ` ${what}`))
  const statusLine = element("span", { class: "copied quiet", role: "status" })
  button.addEventListener("click", () => {
    const text = after instanceof HTMLTextAreaElement ? after.value : (after.textContent ?? "")
    navigator.clipboard.writeText(text).then(
      () => {
        statusLine.textContent = "Copied"
      },
      () => {
        statusLine.textContent = "This browser does not let a page copy: select the text"
      }
    )
  })
  after.after(button, statusLine)
}
