/** The label of a source as words; as it is spelt, answers for programs have it. */
export const sourceWords = (source: string): string => source.replaceAll("_", " ")
