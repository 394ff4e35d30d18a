/** False for what is installed or made in a folder of sources. */
export const isOwnSource = (path: string): boolean => !/(^|\/)(node_modules|dist|generated)\//.test(path)
