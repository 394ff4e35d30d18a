/** Paths of the properties in a JSON Schema that neither describe themselves nor refer to what does (`$ref`, or `allOf` with one). */
export const undescribed = (schema: unknown, path: string): ReadonlyArray<string> => {
  if (Array.isArray(schema)) return schema.flatMap((item, n) => undescribed(item, `${path}[${n}]`))
  if (typeof schema !== "object" || schema === null) return []
  return Object.entries(schema).flatMap(([key, value]) =>
    key === "properties"
      ? Object.entries(value as object).flatMap(([name, property]) => [
          ...("description" in property || "$ref" in property || "allOf" in property
            ? []
            : [`${path}.${name}`]),
          ...undescribed(property, `${path}.${name}`)
        ])
      : undescribed(value, path)
  )
}
