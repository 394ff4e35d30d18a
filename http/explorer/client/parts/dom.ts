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

/**
 * A part of a place for one piece of work, which says at first what is being done. A later piece takes the place with a part of its own, so
 * that what an earlier one still finds is shown nowhere.
 */
export const partFor = (place: HTMLElement, status: string): HTMLElement => {
  const part = element("div", {}, element("p", { role: "status" }, status))
  place.replaceChildren(part)
  return part
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

/** The first that fits a selector, if one does. */
export const find = <E extends Element>(selector: string): E | null => document.querySelector<E>(selector)

/** What is written in a field, without spaces around it. */
export const textOf = (selector: string): string =>
  find<HTMLInputElement | HTMLTextAreaElement>(selector)?.value.trim() ?? ""
