import { assert, describe, it } from "@effect/vitest"
import { byCountry, countryMetrics, countryOf } from "../../core/plugin/shapes/countries.ts"
import { byModel, modelOf } from "../../core/plugin/shapes/gpus.ts"
import { Unreadable } from "../../core/plugin/Unreadable.ts"

describe("a country", () => {
  it.each([
    ["DE", "DE"],
    ["de", "DE"],
    ["UK", "GB"],
    ["Germany", "DE"],
    ["United States of America", "US"],
    ["The Netherlands", "NL"],
    ["Russian Federation", "RU"],
    ["Korea, Republic of", "other"],
    ["Côte d'Ivoire", "CI"],
    ["Cote d’Ivoire", "CI"],
    ["St. Lucia", "LC"],
    ["Bosnia and Herzegovina", "BA"],
    ["Unknown", "other"],
    ["XK", "other"],
    ["constructor", "other"],
    ["", "other"]
  ])("%s is %s", (word, code) => {
    assert.strictEqual(countryOf(word), code)
  })

  it("that is not told is other", () => {
    assert.strictEqual(countryOf(null), "other")
    assert.strictEqual(countryOf(undefined), "other")
  })

  it("has one code of the 249, by the name that Node's own table has for it", () => {
    const codes = countryMetrics("Nodes")["nodes_country_*"].of.filter((code) => code !== "other")
    assert.strictEqual(codes.length, 249)
    const inEnglish = new Intl.DisplayNames(["en"], { type: "region" })
    for (const code of codes) assert.strictEqual(countryOf(inEnglish.of(code)), code)
  })
})

describe("a map of countries", () => {
  it("adds up names of one country, keeps a zero, and names no other", () => {
    assert.deepStrictEqual(
      byCountry([
        ["Hong Kong", 3],
        ["HK", 4],
        ["Finland", 0],
        ["", 2]
      ]),
      { nodes_country_HK: 7, nodes_country_FI: 0, nodes_country_other: 2 }
    )
  })

  it("with a count that is not told gives nothing: every share would be wrong", () => {
    assert.deepStrictEqual(
      byCountry([
        ["DE", 3],
        ["FR", null]
      ]),
      {}
    )
  })

  it("with a count that cannot be read is refused country by country", () => {
    const unreadable = new Unreadable("got -1, at least 0 expected")
    assert.deepStrictEqual(
      byCountry([
        ["DE", 3],
        ["FR", unreadable]
      ]),
      { nodes_country_DE: unreadable, nodes_country_FR: unreadable }
    )
  })

  it("whose words are no countries gives nothing", () => {
    assert.deepStrictEqual(
      byCountry([
        ["eu-central-1", 3],
        ["us-east-2", 4]
      ]),
      {}
    )
    assert.deepStrictEqual(byCountry([]), {})
  })
})

describe("a model of GPU", () => {
  it.each([
    ["h100", "h100"],
    ["V100", "v100"],
    ["4090", "rtx4090"],
    ["pro_6000", "pro_6000"],
    ["a100_40gb_sxm", "a100_40gb_sxm"],
    ["GA102 [GeForce RTX 3090]", "rtx3090"],
    ["TU104GL [Tesla T4]", "t4"],
    ["NVIDIA GeForce RTX 3080 Ti", "rtx3080ti"],
    ["NVIDIA H100 80GB HBM3", "h100_sxm"],
    ["NVIDIA H100 PCIe", "h100"],
    ["NVIDIA H100 NVL", "h100_nvl"],
    ["H100 SXM5 80GB", "h100_sxm"],
    ["NVIDIA H200", "h200"],
    ["NVIDIA GH200 480GB", "gh200"],
    ["NVIDIA A100-SXM4-80GB", "a100_sxm"],
    ["NVIDIA A100-SXM4-40GB", "a100_40gb_sxm"],
    ["NVIDIA A100 80GB PCIe", "a100"],
    ["NVIDIA A100-PCIE-40GB", "a100_40gb"],
    ["A100_SXM4", "a100_sxm"],
    ["NVIDIA A10G", "a10g"],
    ["NVIDIA A10", "a10"],
    ["NVIDIA L40S", "l40s"],
    ["Tesla V100-SXM2-16GB", "v100"],
    ["Tesla P100-PCIE-16GB", "p100"],
    ["AMD Instinct MI300X OAM", "mi300x"],
    ["RTX_4090", "rtx4090"],
    ["GeForce RTX 3060 12GB", "rtx3060"],
    ["NVIDIA GeForce RTX 4070 SUPER", "rtx4070super"],
    ["NVIDIA RTX A6000", "rtxa6000"],
    ["NVIDIA RTX 6000 Ada Generation", "a6000_ada"],
    ["NVIDIA RTX 4000 Ada Generation", "a4000_ada"],
    ["Quadro RTX 6000", "rtx6000"],
    ["NVIDIA RTX PRO 6000 Blackwell Server Edition", "pro6000se"],
    ["NVIDIA RTX PRO 6000 Blackwell Workstation Edition", "pro_6000"],
    ["NVIDIA A100-SXM4-80GB MIG 1g.10gb", "other"],
    ["NVIDIA GeForce RTX 4090 Laptop GPU", "other"],
    ["NVIDIA GeForce RTX 4090 D", "other"],
    ["Navi 31 [Radeon RX 7900 XT/7900 XTX]", "other"],
    ["toString", "other"]
  ])("%s is %s", (name, model) => {
    assert.strictEqual(modelOf(name), model)
  })

  it("has sums over its rows, and none where a part is not told", () => {
    assert.deepStrictEqual(
      byModel([
        { model: "h100", allocatable: 8, allocated: 8 },
        { model: "H100", allocatable: 4, allocated: null },
        { model: "t4", allocatable: 1, allocated: 0 }
      ]),
      {
        gpu_allocatable_h100: 12,
        gpu_allocated_h100: undefined,
        gpu_allocatable_t4: 1,
        gpu_allocated_t4: 0
      }
    )
  })
})
