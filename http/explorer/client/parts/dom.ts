/** Elements made by scripts: text is always text, never markup. */
export const element = <Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>> = {},
  ...children: ReadonlyArray<Node | string>
): HTMLElementTagNameMap[Name] => {
  const node = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value)
  node.append(...children)
  return node
}

/** Offers a text as a file. */
export const saveButton = (label: string, name: string, text: () => string): HTMLButtonElement => {
  const button = element("button", { type: "button" }, label)
  button.addEventListener("click", () => {
    const address = URL.createObjectURL(new Blob([text()], { type: "application/json" }))
    element("a", { href: address, download: name }).click()
    URL.revokeObjectURL(address)
  })
  return button
}
