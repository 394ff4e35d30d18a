import { assert, it } from "@effect/vitest"
import { isOld, oldAfterDays, signOf, signsOfLife } from "../../core/catalog/SignsOfLife.ts"
import { plugins } from "../support/plugins.ts"

const today = new Date().toISOString().slice(0, 10)

it("names each host once, sorted", () => {
  const hosts = signsOfLife.map(({ host }) => host)
  assert.deepStrictEqual(hosts, [...new Set(hosts)].toSorted())
})

it("names only hosts that a manifest names", () => {
  const named = new Set(plugins.flatMap(({ manifest }) => manifest.hosts))
  assert.deepStrictEqual(
    signsOfLife.filter(({ host }) => !named.has(host)),
    []
  )
})

it("has days that exist and are over", () => {
  for (const { date, host } of signsOfLife) {
    assert.strictEqual(new Date(date).toISOString().slice(0, 10), date, host)
    assert.isTrue(date <= today, host)
  }
})

it("is old after a year", () => {
  const sign = {
    host: "stats.example.net",
    date: "2026-01-01",
    source: "https://example.net",
    says: "Answered"
  }
  assert.strictEqual(oldAfterDays, 365)
  assert.isFalse(isOld(sign, Date.parse("2027-01-01")))
  assert.isTrue(isOld(sign, Date.parse("2027-01-01T00:00:00.001Z")))
  assert.isUndefined(signOf("stats.example.net"))
})
