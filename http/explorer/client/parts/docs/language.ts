/** The language that was chosen once is that of all samples, on this page and on the next. */
import { storedLanguage, storeLanguage } from "../store.ts"

const choices = (): NodeListOf<HTMLInputElement> =>
  document.querySelectorAll<HTMLInputElement>(".samples input[type=radio]")

const choose = (language: string): void => {
  for (const choice of choices()) choice.checked = choice.value === language
}

export const rememberLanguage = (): void => {
  const stored = storedLanguage()
  // A language that there is no more leaves the samples as they came.
  if ([...choices()].some(({ value }) => value === stored)) choose(stored)
  for (const choice of choices()) {
    choice.addEventListener("change", () => {
      const before = choice.getBoundingClientRect().top
      choose(choice.value)
      storeLanguage(choice.value)
      // Samples above may be longer now: what was pressed stays under the finger.
      scrollBy(0, choice.getBoundingClientRect().top - before)
    })
  }
}
