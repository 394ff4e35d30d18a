/** What the relations of all manifests have to name: `relationFindings` has the rules. */
import { assert, it } from "@effect/vitest"
import { relationFindings } from "../../runtime/contributor/check/evidence.ts"
import { plugins } from "../support/plugins.ts"

const manifests = plugins.map(({ manifest }) => manifest)

it("several are sums over a family", () => {
  const sums = manifests.flatMap(({ relations = [] }) =>
    relations.filter((one) => one.kind === "sumOf" && one.parts.some((part) => part.endsWith("*")))
  )
  assert.isAbove(sums.length, 4)
})

it.each(manifests.map((manifest) => [manifest.id, manifest] as const))(
  "%s names its own figures",
  (_, manifest) => {
    assert.deepStrictEqual(relationFindings(manifest), [])
  }
)
