import { Effect, Result, Schema } from "effect"
import { isoTime, mayDropToZero, metric, type Numeric, Plugin, readOn, termsOn, Upstream } from "#plugin"
import * as Fields from "#plugin/fields"

const Repository = Schema.Struct({
  id: Schema.Int,
  fork: Upstream.maybe(Schema.Boolean),
  stargazers_count: Fields.count,
  forks_count: Fields.count,
  open_issues_count: Fields.count,
  /** Only where one repository was asked for; `watchers_count` is the stars again. */
  subscribers_count: Fields.count,
  pushed_at: Fields.timeText,
  size: Fields.count,
  archived: Upstream.maybe(Schema.Boolean),
  disabled: Upstream.maybe(Schema.Boolean)
})
interface Repository extends Schema.Schema.Type<typeof Repository> {}

const hour = 3_600_000
const day = 24 * hour

/** Without a token an address may ask 60 times an hour. */
const perRun = { targets: 40, calls: 50 }

const requestOf = (url: string): Upstream.Request => ({
  method: "GET",
  url,
  headers: { accept: "application/vnd.github+json", "x-github-api-version": "2022-11-28" }
})

/** The next page of a list, as the `Link` header names it. */
const next = ({ headers }: Upstream.Answer<unknown>) => {
  const url = /<(https:\/\/api\.github\.com\/[^>]+)>;\s*rel="next"/.exec(headers["link"] ?? "")?.[1]
  return url === undefined ? undefined : requestOf(url)
}

/** The repositories that stand for a catalog row: the one that it names, or all of an organisation's own. */
const repositoriesOf = Effect.fnUntraced(function* (id: string) {
  if (id.includes("/")) {
    const answer = yield* Upstream.json(requestOf(`https://api.github.com/repos/${id}`), Repository)
    return { answers: [answer], repositories: [answer.body] }
  }
  const first = requestOf(
    `https://api.github.com/orgs/${encodeURIComponent(id)}/repos?per_page=100&sort=pushed&type=public`
  )
  const answers = yield* Upstream.pages(first, Schema.Array(Repository), next, 10)
  // Sorted by the last push, a repository that is pushed to meanwhile moves others to the next page a second time.
  const listed = Fields.distinct(
    answers.flatMap(({ body }) => body),
    ({ id }) => id
  )
  const [answer] = answers
  if (answer !== undefined && listed.some(({ fork }) => typeof fork !== "boolean")) {
    return yield* Upstream.implausible(answer, '["fork"]', "a repository that may be a fork or not")
  }
  return { answers, repositories: listed.filter(({ fork }) => fork === false) }
})

/** A row of a total, when every repository says it. */
const total = (
  repositories: ReadonlyArray<Repository>,
  of: (repository: Repository) => Numeric | null | undefined
) => Fields.sum(repositories.map(of))

/** A repository without content was never pushed to, and says so by null. */
const isEmpty = ({ pushed_at, size }: Repository) => pushed_at === null && size === 0

/** The newest push, where every repository tells. */
const newestPush = (repositories: ReadonlyArray<Repository>) =>
  Fields.largest(repositories.filter((it) => !isEmpty(it)).map(({ pushed_at }) => Upstream.time(pushed_at)))

const valuesOf = (repositories: ReadonlyArray<Repository>, isOne: boolean, now: number) => {
  const pushed = newestPush(repositories)
  const archived = repositories.map((it) => (it.disabled === true ? true : it.archived))
  return {
    dev_stars: total(repositories, (it) => it.stargazers_count),
    dev_forks: total(repositories, (it) => it.forks_count),
    dev_open_issues: total(repositories, (it) => it.open_issues_count),
    dev_watchers: isOne ? repositories[0]?.subscribers_count : undefined,
    dev_repositories: isOne ? undefined : repositories.length,
    // Within an hour two clocks may differ; a push of tomorrow has not been made.
    dev_days_since_push: Fields.combine([pushed], ([pushed]) =>
      pushed > now + hour
        ? Upstream.unreadable(`the newest push is of ${isoTime(pushed)}, after the answer`)
        : Math.max(0, Math.floor((now - pushed) / day))
    ),
    dev_archived: archived.every((it) => typeof it === "boolean")
      ? Number(archived.every(Boolean))
      : undefined
  }
}

/** When somebody read the description. */
const read = "2026-11-25"

export default Plugin.define({
  id: "github",
  title: "Developer activity on GitHub",
  covers: { catalog: "github" },
  tier: "developer",
  source: "github_rest",
  hosts: ["api.github.com"],
  every: "1 hour",
  timeout: "5 minutes",
  calls: 60,
  grade: "K",
  evidence: readOn(read, {
    "https://docs.github.com/en/rest/repos/repos":
      "id, fork, stargazers_count, forks_count, open_issues_count, subscribers_count, pushed_at, size, archived, disabled",
    "https://docs.github.com/en/rest/activity/starring": "watchers_count, stargazers_count, subscribers_count"
  }),
  terms: termsOn(read, "Data: GitHub, github.com", {
    address:
      "github/docs@16e507a860144b78e1cd51a57b95fb0c4d5fb184 content/site-policy/github-terms/github-terms-of-service.md",
    licence: "proprietary"
  }),
  auth: {
    "api.github.com": { setting: "GITHUB_TOKEN", as: { header: "authorization" }, optional: true }
  },
  metrics: {
    dev_stars: metric("count", "Stars of the network's own repositories, forks left out."),
    dev_forks: metric("count", "Forks that others made of these repositories."),
    dev_open_issues: mayDropToZero(
      "count",
      "Open issues of these repositories, open pull requests included."
    ),
    dev_watchers: metric("count", "Watchers, where the catalog names one repository."),
    dev_repositories: metric("count", "Public repositories of the organisation, forks left out."),
    dev_days_since_push: mayDropToZero(
      "days",
      "Whole days since the newest push to any of these repositories."
    ),
    dev_archived: mayDropToZero("flag", "1 where every one of these repositories is archived or disabled.", {
      max: 1
    })
  },
  collect: (observe) =>
    Effect.gen(function* () {
      const targets = yield* Upstream.targets
      const now = yield* Upstream.now
      const symbolsOf = Map.groupBy(targets, ({ id }) => id)
      const ids = [...symbolsOf.keys()].sort()
      // Each hour reads the slice after the last hour's; the whole round takes a few hours and needs no memory.
      const start = ids.length === 0 ? 0 : (Math.floor(now / hour) * perRun.targets) % ids.length
      const slice = [...ids.slice(start), ...ids.slice(0, start)].slice(0, perRun.targets)
      const rows: Array<Plugin.CollectedPart> = []
      const failures: Array<Upstream.UpstreamError> = []
      let calls = 0
      let answered = false
      for (const id of slice) {
        // A list of many pages may have eaten the hour's share: the rest comes round again.
        if (calls >= perRun.calls) break
        const outcome = yield* Effect.result(repositoriesOf(id))
        const symbols = (symbolsOf.get(id) ?? []).map(({ symbol }) => symbol)
        if (Result.isFailure(outcome)) {
          calls++
          failures.push(outcome.failure)
          rows.push(...symbols.map((symbol) => Plugin.failedPart(outcome.failure, symbol)))
          // An allowance that is used up, or no answer at all, will not be better for the next one.
          if (isGeneral(outcome.failure)) break
          continue
        }
        answered = true
        const { answers, repositories } = outcome.success
        calls += answers.length
        const [answer] = answers
        if (answer === undefined || repositories.length === 0) continue
        const values = valuesOf(repositories, id.includes("/"), now)
        // The page of an organisation shows no sums: the list that was read shows what is added up.
        const verify_url = id.includes("/") ? `https://github.com/${id}` : answer.url
        rows.push(...symbols.flatMap((symbol) => observe(answer, values, { symbol, verify_url })))
      }
      const [failure] = failures
      return answered || failure === undefined ? rows : yield* failure
    })
})

/** Whether a failure is about GitHub or this address, and not about the one organisation that was asked for. */
const isGeneral = (error: Upstream.UpstreamError): boolean =>
  error._tag === "UpstreamUnreachable" ||
  (error._tag === "UpstreamRefused" && error.status !== 404 && error.status !== 451)
