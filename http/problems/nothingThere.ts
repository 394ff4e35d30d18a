/** What is said of an address without anything: for programs. Pages say it in their own words. */
export const nothingThere = "Nothing exists at this URL. See /docs for all paths."
