/** The page that verifies: files that are dropped, a value that is named, the keys to trust, and the memory of heads. */
import { formatWallTime } from "./parts/clock.ts"
import { element, find, saveButton, textOf } from "./parts/dom.ts"
import { contradictions, forget, storedHeads, storeTrusted, type Trusted, trusted } from "./parts/store.ts"
import { checkFiles, takeFiles } from "./parts/verify/files.ts"
import { checkWhenIdle, verifyValue } from "./parts/verifying.ts"
import { ask } from "./parts/workerCall.ts"
import "./page.ts"

/** Files are verified without the network, so what verifies them is loaded while there is one. */
const prepare = async (): Promise<void> => {
  try {
    await ask("loadFiles", undefined)
  } catch {
    // The first file asks for it once more.
  }
  checkWhenIdle()
}
void prepare()

const drop = find<HTMLElement>("#drop")
const input = find<HTMLInputElement>("#files")
input?.addEventListener("change", () => void takeFiles(input.files ?? []))
drop?.addEventListener("dragover", (event) => {
  event.preventDefault()
  drop.classList.add("over")
})
drop?.addEventListener("dragleave", () => drop.classList.remove("over"))
drop?.addEventListener("drop", (event) => {
  event.preventDefault()
  drop.classList.remove("over")
  void takeFiles(event.dataTransfer?.files ?? [])
})
for (const field of document.querySelectorAll("#address, #headers"))
  field.addEventListener("change", () => void checkFiles())

interface Listed {
  readonly symbol: string
  readonly name: string
  readonly metrics: ReadonlyArray<string>
}

/** None where the service does not answer: the fields take what is written, and the list is a help. */
const load = async (): Promise<ReadonlyArray<Listed>> => {
  try {
    const { symbols }: { symbols: ReadonlyArray<Listed> } = await (await fetch("/v1/symbols")).json()
    return symbols
  } catch {
    listed = undefined
    return []
  }
}

/** Names to choose from, once somebody begins to write. */
let listed: Promise<ReadonlyArray<Listed>> | undefined
const list = (): Promise<ReadonlyArray<Listed>> => {
  listed ??= load()
  return listed
}
const form = find<HTMLFormElement>("#ask")
const answer = find<HTMLElement>("#answer")

/** As the service writes it, or as people do. */
const isCalled = (text: string, ...names: ReadonlyArray<string>): boolean =>
  names.some((name) => name.replaceAll("_", " ").toLowerCase() === text.replaceAll("_", " ").toLowerCase())

const networkOf = (all: ReadonlyArray<Listed>, text: string): Listed | undefined =>
  all.find(({ name, symbol }) => isCalled(text, symbol, name))

const verifyNamed = async (): Promise<void> => {
  if (form === null || answer === null) return
  const fields = new FormData(form)
  const text = (name: string): string => String(fields.get(name) ?? "").trim()
  const symbol = text("symbol")
  const network = networkOf(await list(), symbol)
  const source = text("source")
  await verifyValue(answer, {
    // A proof is about the name as the service writes it.
    symbol: network?.symbol ?? symbol,
    metric: network?.metrics.find((one) => isCalled(text("metric"), one)) ?? text("metric"),
    date: text("date"),
    ...(source === "" ? {} : { source })
  })
}
form?.addEventListener("submit", (event) => {
  event.preventDefault()
  void verifyNamed()
})

const options = (id: string, values: ReadonlyArray<readonly [value: string, label: string]>): void =>
  find(`#${id}`)?.replaceChildren(...values.map(([value, label]) => element("option", { value, label })))

const fill = async (): Promise<void> => {
  const all = await list()
  options(
    "symbols",
    all.map(({ name, symbol }) => [symbol, name])
  )
  options(
    "metrics",
    (networkOf(all, textOf("#symbol"))?.metrics ?? []).map((metric) => [metric, metric.replaceAll("_", " ")])
  )
}
for (const field of document.querySelectorAll("#symbol, #metric"))
  field.addEventListener("focus", () => void fill())

/** Where each of those whom the reader trusts is written. */
const trustFields: Readonly<Record<keyof Trusted, string>> = {
  keys: "#keys",
  witnesses: "#witnesses",
  notaries: "#notaries",
  leastNotaries: "#least-notaries",
  signers: "#signers"
}

const writtenTrust = (): Trusted => {
  const { keys, leastNotaries, notaries, signers, witnesses } = trustFields
  return {
    keys: textOf(keys),
    witnesses: textOf(witnesses),
    notaries: textOf(notaries),
    leastNotaries: textOf(leastNotaries),
    signers: textOf(signers)
  }
}

const keepTrust = async (): Promise<void> => {
  const what = writtenTrust()
  const trustMessage = find("#trust-said")
  // What it said of the keys before is not said of these.
  trustMessage?.replaceChildren()
  const wrong = await ask("notTrustable", what)
  if (wrong === undefined) storeTrusted(what)
  if (trustMessage !== null)
    trustMessage.textContent =
      wrong ??
      (what.keys === "" ? "Kept. Without a key, a result says that nobody vouches." : "Kept in this browser.")
  if (wrong === undefined) await checkFiles()
}

const now = trusted()
for (const [name, selector] of Object.entries(trustFields)) {
  const field = find<HTMLInputElement | HTMLTextAreaElement>(selector)
  if (field !== null) field.value = now[name as keyof Trusted]
}
find("#trust-form")?.addEventListener("submit", (event) => {
  event.preventDefault()
  void keepTrust()
})

const showHeads = (): void => {
  const place = find<HTMLElement>("#remembered")
  if (place === null) return
  const heads = Object.entries(storedHeads())
  const alarms = contradictions()
  if (heads.length === 0) {
    place.replaceChildren(element("p", { class: "quiet" }, "This browser has not seen a head yet."))
    return
  }
  place.replaceChildren(
    ...heads.map(([origin, { note, seen: observedAt }]) => {
      const item = element(
        "div",
        {},
        element("h3", {}, origin),
        element("p", { class: "quiet" }, `Seen ${formatWallTime(observedAt)}`)
      )
      item.append(element("pre", {}, element("code", {}, note)))
      const drop = element("button", { type: "button" }, "Forget it")
      drop.addEventListener("click", () => {
        forget(origin)
        document.getElementById("alarm-log")?.remove()
        showHeads()
      })
      const actions = element(
        "div",
        { class: "actions" },
        saveButton("Save it", "plumbline-head.json", () =>
          JSON.stringify({ origin, note, seen: observedAt }, null, 2)
        ),
        drop
      )
      item.append(actions)
      if (alarms.some((one) => one.origin === origin))
        item.append(
          element(
            "p",
            {},
            "A later head of this log does not follow from it. Save both before you forget it: after that the alarm is gone, and this browser trusts the log that it sees next."
          )
        )
      return item
    })
  )
}
showHeads()

// After everything is in place: the address named a value.
if (new URLSearchParams(location.search).has("symbol")) void verifyNamed()
