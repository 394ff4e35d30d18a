/**
 * `npm run map` writes the outlines of the countries that pages draw (`http/explorer/map/outlines.json`): Natural Earth 1:110m from
 * world-atlas, simplified to 30 % of its points along shared borders, in equal earth projection, each country by its ISO 3166-1
 * letters; and as dots the places that this scale lacks.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
import { geoEqualEarth, geoPath } from "d3-geo"
import { feature } from "topojson-client"
import { filter, presimplify, quantile, simplify } from "topojson-simplify"

const require = createRequire(import.meta.url)
const file = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

const width = 1920
const height = 860
/** Points that are left. */
const share = 0.3

const names = JSON.parse(readFileSync(file("core/plugin/shapes/countries.json"), "utf8"))
const plain = (name) =>
  name
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z]+/g, " ")
    .trim()
const byName = new Map(Object.entries(names).flatMap(([code, all]) => all.map((name) => [plain(name), code])))

/** As world-atlas shortens them. */
const shortened = {
  "Bosnia and Herz.": "BA",
  "Central African Rep.": "CF",
  Congo: "CG",
  "Dem. Rep. Congo": "CD",
  "Dominican Rep.": "DO",
  "Eq. Guinea": "GQ",
  "Falkland Is.": "FK",
  "Fr. S. Antarctic Lands": "TF",
  Kosovo: "XK",
  Macedonia: "MK",
  "S. Sudan": "SS",
  "Solomon Is.": "SB",
  "W. Sahara": "EH",
  eSwatini: "SZ"
}
/** Drawn as land, and no country of ISO 3166-1. */
const unnamed = new Set(["N. Cyprus", "Somaliland"])

/** Longitude and latitude of places that the scale lacks. */
const dots = {
  AD: [1.5, 42.5],
  AG: [-61.8, 17.1],
  AI: [-63, 18.2],
  AS: [-170.7, -14.3],
  AW: [-70, 12.5],
  AX: [20, 60.2],
  BB: [-59.5, 13.2],
  BH: [50.6, 26.1],
  BM: [-64.8, 32.3],
  BQ: [-68.3, 12.2],
  CK: [-159.8, -21.2],
  CV: [-23.6, 15.1],
  CW: [-69, 12.2],
  CX: [105.6, -10.5],
  DM: [-61.4, 15.4],
  FM: [158.2, 6.9],
  FO: [-6.9, 62],
  GD: [-61.7, 12.1],
  GF: [-53, 4],
  GG: [-2.6, 49.5],
  GI: [-5.4, 36.1],
  GP: [-61.6, 16.2],
  GU: [144.8, 13.4],
  HK: [114.2, 22.3],
  IM: [-4.5, 54.2],
  JE: [-2.1, 49.2],
  KI: [173, 1.4],
  KM: [43.3, -11.7],
  KN: [-62.7, 17.3],
  KY: [-81.3, 19.3],
  LC: [-61, 13.9],
  LI: [9.5, 47.2],
  MC: [7.4, 43.7],
  MF: [-63.1, 18.1],
  MH: [171.2, 7.1],
  MO: [113.5, 22.2],
  MP: [145.7, 15.2],
  MQ: [-61, 14.6],
  MS: [-62.2, 16.7],
  MT: [14.4, 35.9],
  MU: [57.6, -20.3],
  MV: [73.5, 4.2],
  NR: [166.9, -0.5],
  NU: [-169.9, -19],
  PF: [-149.4, -17.7],
  PW: [134.5, 7.5],
  RE: [55.5, -21.1],
  SC: [55.5, -4.7],
  SG: [103.8, 1.35],
  SH: [-5.7, -15.9],
  SJ: [16, 78.5],
  SM: [12.5, 43.9],
  ST: [6.6, 0.2],
  SX: [-63, 18],
  TC: [-71.8, 21.8],
  TK: [-171.8, -9.2],
  TO: [-175.2, -21.2],
  TV: [179.2, -8.5],
  VC: [-61.2, 13.3],
  VG: [-64.6, 18.4],
  VI: [-64.9, 17.7],
  WF: [-176.2, -13.3],
  WS: [-172.1, -13.8],
  YT: [45.2, -12.8]
}

const whole = JSON.parse(readFileSync(require.resolve("world-atlas/countries-110m.json"), "utf8"))
const weighted = presimplify(whole)
const topology = filter(simplify(weighted, quantile(weighted, 1 - share)))

const land = feature(topology, topology.objects.countries).features.filter(
  ({ properties }) => properties.name !== "Antarctica"
)
const projection = geoEqualEarth().fitExtent(
  [
    [4, 4],
    [width - 4, height - 4]
  ],
  { type: "FeatureCollection", features: land }
)

/** A subpath with the steps between its points instead of their places. */
const ringPath = (ring) => {
  const [[startX, startY], ...points] = ring
    .split("L")
    .map((point) => point.split(",").map((one) => Math.round(Number(one))))
  let [x, y] = [startX, startY]
  const steps = []
  for (const [nextX, nextY] of points) {
    if (nextX === x && nextY === y) continue
    steps.push(`${nextX - x} ${nextY - y}`)
    x = nextX
    y = nextY
  }
  return steps.length < 2 ? "" : `M${startX} ${startY}l${steps.join(" ").replaceAll(" -", "-")}z`
}

const toPath = geoPath(projection)

const outlineOf = (geometry) =>
  [...(toPath(geometry) ?? "").matchAll(/M([^Z]*)Z/g)].map(([, ring]) => ringPath(ring)).join("")

const outlines = {}
let rest = ""
for (const { geometry, properties } of land) {
  const code = shortened[properties.name] ?? byName.get(plain(properties.name))
  const path = outlineOf(geometry)
  if (code === undefined) {
    if (!unnamed.has(properties.name)) throw new Error(`no letters for ${properties.name}`)
    rest += path
  } else outlines[code] = (outlines[code] ?? "") + path
}

const sorted = (entries) => Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
const placed = Object.entries(dots)
  .filter(([code]) => outlines[code] === undefined || outlines[code] === "")
  .map(([code, point]) => [code, projection(point).map(Math.round)])

writeFileSync(
  file("http/explorer/map/outlines.json"),
  `${JSON.stringify(
    {
      width,
      height,
      outlines: sorted(Object.entries(outlines).filter(([, path]) => path !== "")),
      // Land that is no country of the standard.
      rest,
      dots: sorted(placed)
    },
    null,
    1
  )}\n`
)
