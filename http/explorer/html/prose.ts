/** Texts that name code in backticks. */
import { escapeXml } from "../charts/xml.ts"

/** The text as markup: escaped, with `backticks` as code. */
export const prose = (text: string): string => escapeXml(text).replace(/`([^`]+)`/g, "<code>$1</code>")
