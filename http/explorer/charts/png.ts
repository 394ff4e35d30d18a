/** SVG as PNG, drawn by `resvg` with our own faces. */
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileFace } from "./fileFace.ts"
import { trueTypeOf } from "./trueType.ts"

const require = createRequire(import.meta.url)

let faces: ReadonlyArray<string> | undefined

/** `resvg` reads fonts from files only; made at the first text that is drawn. */
const faceFiles = (): ReadonlyArray<string> => {
  if (faces !== undefined) return faces
  const folder = mkdtempSync(join(tmpdir(), "plumbline-faces-"))
  faces = [400, 600].map((weight) => {
    const woff = require.resolve(`@fontsource/ibm-plex-sans/files/ibm-plex-sans-latin-${weight}-normal.woff`)
    const path = join(folder, `${weight}.ttf`)
    writeFileSync(path, trueTypeOf(readFileSync(woff)))
    return path
  })
  return faces
}

/** `width` in pixels. The first picture loads `resvg`, which takes 8 MiB that a service without pictures does not need. */
export const png = (svg: string, width: number): Uint8Array => {
  const { Resvg }: typeof import("@resvg/resvg-js") = require("@resvg/resvg-js")
  return new Resvg(svg, {
    fitTo: { mode: "width", value: width },
    font: svg.includes("<text")
      ? { loadSystemFonts: false, fontFiles: [...faceFiles()], defaultFontFamily: fileFace }
      : { loadSystemFonts: false }
  })
    .render()
    .asPng()
}
