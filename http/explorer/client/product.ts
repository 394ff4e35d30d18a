/** The page of a product: a button beside each command that copies it. */
import { addCopy } from "./parts/copyButton.ts"
import "./page.ts"

for (const block of document.querySelectorAll<HTMLElement>(".way pre")) addCopy(block, "the command")
