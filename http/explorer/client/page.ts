/** What every page with a script has: the search list and ages that stay current. */
import { keepAges } from "./parts/ages.ts"
import { enhanceSearch } from "./parts/search.ts"

enhanceSearch()
keepAges()
