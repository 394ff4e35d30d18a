/** Five visitors with a task each: from home they get there in a few clicks, by pointer and by keyboard alone. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Locator, Page } from "playwright-core"
import { products } from "../../core/products/all.ts"
import { Chromium } from "../support/browser.ts"
import { explored } from "../support/explored.ts"
import { Service } from "../support/service.ts"

type Press = (place: Locator) => Promise<void>

interface Task {
  readonly visitor: string
  /** Clicks, or presses of Enter, that it may take. */
  readonly most: number
  readonly walk: (page: Page, press: Press) => Promise<void>
}

const main = (page: Page) => page.locator("main")
const says = async (place: Locator, words: RegExp) => assert.match((await place.textContent()) ?? "", words)

const tasks: ReadonlyArray<Task> = [
  {
    visitor: "an analyst finds a network's growth",
    most: 1,
    walk: async (page, press) => {
      await press(main(page).getByRole("link", { name: "Filecoin", exact: true }))
      await says(main(page), /[+−±]\d+\.\d % in 30 days/)
    }
  },
  {
    visitor: "a journalist checks one value",
    most: 2,
    walk: async (page, press) => {
      await press(main(page).getByRole("link", { name: "Active storage providers", exact: true }))
      await press(page.getByRole("button", { name: "Verify it in this browser" }))
      await page.locator("#verified .verdict").waitFor()
    }
  },
  {
    visitor: "a researcher cites it",
    most: 1,
    walk: async (page, press) => {
      await press(main(page).getByRole("link", { name: "Active storage providers", exact: true }))
      assert.match(await page.getByLabel("Cite it").inputValue(), /302 on 3 Sep 2026.*Proof: http/)
    }
  },
  {
    visitor: "a customer buys a product",
    most: 3,
    walk: async (page, press) => {
      await press(page.getByRole("navigation").getByRole("link", { name: "Products" }))
      await press(main(page).getByRole("link", { name: "DePIN networks" }))
      await says(main(page), /\$0\.99/)
      await press(main(page).getByRole("link", { name: "Buy it on your account page" }))
      await page.getByRole("button", { name: "Get a free key" }).waitFor()
      assert.strictEqual(await page.getByLabel("Product").inputValue(), "depin_networks")
    }
  },
  {
    visitor: "an operator sees whether the service is healthy",
    most: 1,
    walk: async (page, press) => {
      await press(page.getByRole("navigation").getByRole("link", { name: "Status" }))
      await says(main(page).locator("h1"), /deliver/)
    }
  }
]

const ways: Readonly<Record<string, Press>> = {
  pointer: (place) => place.click(),
  keyboard: async (place) => {
    await place.focus()
    await place.press("Enter")
  }
}

layer(Chromium.layer.pipe(Layer.provideMerge(Service.layer({ products }))), { timeout: 120_000 })(
  "a visitor",
  (it) => {
    const all = Object.entries(ways).flatMap(([way, press]) =>
      tasks.map((task) => [task.visitor, way, task, press] as const)
    )
    it.effect.each(all)("%s, by %s", ([, , { most, walk }, press]) =>
      Effect.gen(function* () {
        yield* explored
        const { open } = yield* Chromium
        yield* open("/", async ({ errors, page }) => {
          let presses = 0
          await walk(page, async (place) => {
            presses++
            await press(place)
          })
          assert.isAtMost(presses, most)
          assert.deepStrictEqual(errors, [])
        })
      })
    )
  }
)
