/** What the pages of the documentation share. */
import { isObject, type JsonSchema, nameOf } from "../../description/document.ts"
import { escapeXml } from "../../explorer/charts/xml.ts"
import { prose } from "../../explorer/html/prose.ts"

export const code = (text: string): string => `<code>${escapeXml(text)}</code>`

export const block = (text: string, language = ""): string =>
  `<pre${language === "" ? "" : ` data-language="${escapeXml(language)}"`}><code>${escapeXml(text)}</code></pre>`

export const anchor = (id: string): string => id.replace(/[^A-Za-z0-9]+/g, "-")

/** The last segment of a section's address. */
export const slug = (name: string): string => anchor(name).toLowerCase()

/** A schema in one line, with links to named schemas. */
export const typeOf = (schema: unknown): string => {
  if (!isObject(schema)) return "anything"
  const { $ref, additionalProperties, anyOf, enum: values, items, type } = schema
  if (typeof $ref === "string") {
    const name = nameOf($ref)
    return `<a href="#schema-${anchor(name)}">${escapeXml(name)}</a>`
  }
  if (Array.isArray(values)) return values.map((value) => code(JSON.stringify(value))).join(" or ")
  if (Array.isArray(anyOf)) return anyOf.map(typeOf).join(" or ")
  if (type === "array") return `list of ${typeOf(items)}`
  if (type === "object" && isObject(additionalProperties)) return `object of ${typeOf(additionalProperties)}`
  return escapeXml(typeof type === "string" ? type : "anything")
}

/** The members of a named schema. */
export const namedSchema = (
  name: string,
  { description, properties, required, ...rest }: JsonSchema
): string => {
  const needed = Array.isArray(required) ? required : []
  const rows = isObject(properties)
    ? Object.entries(properties).map(([field, value]) => {
        const meaning =
          isObject(value) && typeof value["description"] === "string" ? value["description"] : ""
        return `<tr><td>${code(field)}${needed.includes(field) ? "" : " (optional)"}</td><td>${typeOf(
          value
        )}</td><td>${prose(meaning)}</td></tr>`
      })
    : []
  return `<details id="schema-${anchor(name)}" open><summary><strong>${escapeXml(name)}</strong> ${prose(
    typeof description === "string" ? description : ""
  )}</summary>${
    rows.length === 0
      ? `<p>${typeOf(rest)}</p>`
      : `<table><tr><th>Field</th><th>Type</th><th>Meaning</th></tr>${rows.join("\n")}</table>`
  }</details>`
}
