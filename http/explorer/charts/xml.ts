/** Text inside of SVG, HTML and attributes. Works in a browser too. */
const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

export const escapeXml = (text: string): string => text.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign)

/** A coordinate: a hundredth of a pixel is fine enough. */
export const at = (coordinate: number): string => String(Math.round(coordinate * 100) / 100)
