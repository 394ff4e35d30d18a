/** A button beside each command that copies it. */
import "./page.ts"

for (const block of document.querySelectorAll<HTMLElement>(".way pre")) {
  const button = document.createElement("button")
  button.type = "button"
  button.className = "copy"
  button.textContent = "Copy"
  button.addEventListener("click", () => {
    navigator.clipboard.writeText(block.textContent ?? "").then(
      () => {
        button.textContent = "Copied"
      },
      () => {
        button.textContent = "Select and copy"
      }
    )
  })
  block.after(button)
}
