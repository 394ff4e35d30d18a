/** Services that count what their miners and validators do. */
import { readIn, type Service } from "./Service.ts"

export const work: ReadonlyArray<Service> = [
  {
    netuid: 3,
    registered_at: 4165565,
    evidence: [readIn("unarbos/teutonic@092a369e validator.py:1895", "stats", "accepted", "rejected")],
    ask: "https://teutonic.ai/dashboard.json",
    verify_url: "https://teutonic.ai/",
    figures: {
      submissions_accepted_total: { number: "stats.accepted" },
      submissions_rejected_total: { number: "stats.rejected" }
    },
    as_of: "updated_at"
  },
  {
    netuid: 5,
    registered_at: 2491604,
    evidence: [readIn("JSONbored/metagraphed@30a4d61b registry/subnets/hone.json", "project")],
    ask: "https://www.hone.training/api/proxy/runs/projects",
    verify_url: "https://www.hone.training/network",
    figures: { training_projects: { entries: "", by: "project" } }
  },
  {
    netuid: 7,
    registered_at: 2627691,
    evidence: [readIn("entrius/allways-ui@b1568c0 src/api/models/Stats.ts:1", "totalSwaps", "activeSwaps")],
    ask: "https://api.all-ways.io/stats",
    verify_url: "https://all-ways.io/",
    figures: {
      swaps_total: { number: "totalSwaps" },
      swaps_active: { number: "activeSwaps" }
    }
  },
  {
    netuid: 9,
    registered_at: 1489797,
    evidence: [readIn("JSONbored/metagraphed@30a4d61b registry/subnets/iota.json", "run_id")],
    ask: "https://iota.api.macrocosmos.ai/common/get_run_info",
    verify_url: "https://iota.macrocosmos.ai/dashboard/mainnet",
    figures: { training_runs: { entries: "", by: "run_id" } }
  },
  {
    netuid: 11,
    registered_at: 2918568,
    evidence: [
      readIn(
        "trajectoryRL/trajrl@960a38c trajrl/subnet/analyze.py:533",
        "totalReports",
        "totalLlmCalls",
        "totalTokens"
      ),
      readIn(
        "JSONbored/metagraphed@30a4d61b tests/trajectoryrl-call-subnet-surface-verify.test.ts:12",
        "updatedAt"
      )
    ],
    ask: "https://trajrl.com/api/stats",
    verify_url: "https://trajrl.com/leaderboard",
    figures: {
      reports_total: { number: "totalReports" },
      llm_calls_total: { number: "totalLlmCalls" },
      llm_tokens_total: { number: "totalTokens" }
    },
    as_of: "updatedAt"
  },
  {
    netuid: 15,
    registered_at: 7366897,
    evidence: [
      readIn("JSONbored/metagraphed@30a4d61b registry/subnets/oro.json", "summary", "total_pending")
    ],
    ask: "https://api.oroagents.com/v1/public/evaluations/pending",
    verify_url: "https://oroagents.com/leaderboard",
    figures: {
      evaluations_pending: { number: "summary.total_pending" }
    }
  },
  {
    netuid: 21,
    registered_at: 3156578,
    evidence: [
      readIn(
        "JSONbored/metagraphed@30a4d61b tests/adtao-call-subnet-surface-verify.test.ts:58",
        "episodes_loaded"
      )
    ],
    ask: "https://validator.adtao.io/health",
    verify_url: "https://adtao.io/",
    figures: { episodes_loaded: { number: "episodes_loaded" } }
  },
  {
    netuid: 38,
    registered_at: 7284230,
    evidence: [readIn("JSONbored/metagraphed@30a4d61b registry/subnets/chronollm.json", "eval_round")],
    ask: "https://api.chronollm.com/rounds/current",
    verify_url: "https://chronollm.crunchdao.com/",
    figures: { evaluation_round: { number: "eval_round" } }
  },
  {
    netuid: 43,
    registered_at: 3408582,
    evidence: [
      readIn(
        "JSONbored/metagraphed@30a4d61b tests/sn43-call-subnet-surface-verify.test.ts:12",
        "status",
        "entities",
        "relationships",
        "facts"
      )
    ],
    ask: "https://api.graphite-ai.net/health",
    verify_url: "https://graphite-ai.net/",
    figures: {
      graph_entities: { number: "entities" },
      graph_relationships: { number: "relationships" },
      graph_facts: { number: "facts" }
    },
    must: [{ at: "status", be: "ok" }]
  },
  {
    netuid: 46,
    registered_at: 3919107,
    evidence: [
      readIn(
        "JSONbored/metagraphed@30a4d61b tests/sn46-call-subnet-surface-verify.test.ts:19",
        "stats",
        "totalModels"
      )
    ],
    ask: "https://zipcode.ai/api/dashboard/stats",
    verify_url: "https://zipcode.ai/",
    figures: { models_submitted: { number: "stats.totalModels" } }
  },
  {
    netuid: 49,
    registered_at: 6783158,
    evidence: [
      readIn("nepher-ai/nepher-cli@f2590b54 src/nepher_cli/commands/tournament.py", "tournaments", "id")
    ],
    ask: "https://tournament-api.nepher.ai/api/v1/tournaments/active/list?subnet=true",
    verify_url: "https://tournament.nepher.ai/tournaments",
    figures: {
      tournaments_active: { entries: "tournaments", by: "id", mayBeEmpty: true }
    }
  },
  {
    netuid: 56,
    registered_at: 4312927,
    evidence: [
      readIn(
        "JSONbored/metagraphed@30a4d61b tests/sn56-call-subnet-surface-verify.test.ts:183",
        "number_of_jobs_success",
        "number_of_jobs_training"
      )
    ],
    ask: "https://api.gradients.io/v1/network/status",
    verify_url: "https://www.gradients.io/",
    figures: {
      jobs_succeeded_total: { number: "number_of_jobs_success" },
      jobs_training: { number: "number_of_jobs_training" }
    }
  },
  {
    netuid: 60,
    registered_at: 4796992,
    evidence: [
      readIn(
        "JSONbored/metagraphed@30a4d61b tests/sn60-call-subnet-surface-verify.test.ts:21",
        "total_agents"
      )
    ],
    ask: "https://bitsec.ai/api/agents/count",
    verify_url: "https://bitsec.ai/",
    figures: { agents_registered_total: { number: "total_agents" } }
  },
  {
    netuid: 69,
    registered_at: 8138182,
    evidence: [
      readIn(
        "HeraldMedia/herald@bc0fa65 herald/services/app.py:160",
        "verified_placements",
        "active_miners",
        "approved_outlets"
      )
    ],
    ask: "https://api.heraldmedia.ai/public/stats",
    verify_url: "https://www.heraldmedia.ai/",
    figures: {
      placements_verified_total: { number: "verified_placements" },
      miners_seen_total: { number: "active_miners" },
      outlets_approved: { number: "approved_outlets" }
    }
  },
  {
    netuid: 74,
    registered_at: 5086205,
    evidence: [
      readIn(
        "entrius/gittensor-ui@0a7e93c src/api/models/Dashboard.ts:36",
        "totalCommits",
        "uniqueRepositories",
        "totalIssues"
      )
    ],
    ask: "https://api.gittensor.io/dash/stats",
    verify_url: "https://gittensor.io/dashboard",
    figures: {
      commits_total: { number: "totalCommits", decimals: 0 },
      repositories_total: { number: "uniqueRepositories", decimals: 0 },
      issues_total: { number: "totalIssues" }
    }
  },
  {
    netuid: 75,
    registered_at: 5102795,
    evidence: [
      readIn("JSONbored/metagraphed@30a4d61b tests/sn75-call-subnet-surface-verify.test.ts:18", "total")
    ],
    ask: "https://api.hippius.com/api/models/",
    verify_url: "https://hub.hippius.com/models",
    figures: { models_hosted: { number: "total" } }
  },
  {
    netuid: 77,
    registered_at: 5128460,
    evidence: [
      readIn(
        "JSONbored/metagraphed@30a4d61b tests/sn77-call-subnet-surface-verify.test.ts:9",
        "success",
        "pools",
        "address"
      )
    ],
    ask: "https://77.creativebuilds.io/pools",
    verify_url: "https://sn77.xyz/",
    figures: { pools_voted: { entries: "pools", by: "address" } },
    must: [{ at: "success", be: true }]
  },
  {
    netuid: 93,
    registered_at: 5370681,
    evidence: [readIn("JSONbored/metagraphed@30a4d61b registry/subnets/bitcast.json", "id")],
    ask: "https://bitcast-api.bitcast.network/api/v2/validator/briefs",
    verify_url: "https://bitcast.network/",
    figures: { briefs_open: { entries: "", by: "id" } }
  },
  {
    netuid: 94,
    registered_at: 6962737,
    evidence: [readIn("AlveusLabs/SN94-BitSota@a9a4c5d4 docs/current-competitions.md", "slug", "is_active")],
    ask: "https://autoresearch.bitsota.com/api/v1/tasks",
    verify_url: "https://autoresearch.bitsota.com/dashboard",
    figures: { tasks_active: { entries: "", by: "slug", where: { at: "is_active", is: [true] } } }
  },
  {
    netuid: 95,
    registered_at: 5403674,
    evidence: [
      readIn(
        "JSONbored/metagraphed@30a4d61b tests/sn95-call-subnet-surface-verify.test.ts:11",
        "generatedAt",
        "models"
      )
    ],
    ask: "https://models.actual.inc/index.json",
    verify_url: "https://models.actual.inc/",
    figures: { models_published: { entries: "models" } },
    as_of: "generatedAt"
  },
  {
    netuid: 97,
    registered_at: 7735450,
    evidence: [
      readIn(
        "unarbos/albedo@f96c12c website/monitor.py:486",
        "stats",
        "evaluated",
        "updated_at",
        "chain",
        "netuid"
      )
    ],
    ask: "https://s3.hippius.com/albedo/data/dashboard.json",
    verify_url: "https://albedo.tech/",
    figures: { models_evaluated_total: { number: "stats.evaluated" } },
    as_of: "updated_at",
    must: [{ at: "chain.netuid", be: 97 }]
  },
  {
    netuid: 102,
    registered_at: 7840965,
    evidence: [readIn("Connito-AI/Connito@0c936fa connito/sn_owner/cycle.py:46", "cycle_index")],
    ask: "https://cycle-api.connito.ai/get_phase",
    verify_url: "https://connito.ai/",
    figures: { training_cycle: { number: "cycle_index" } }
  },
  {
    netuid: 112,
    registered_at: 5633022,
    evidence: [
      readIn(
        "subnet112/minotaur_subnet@56e1c14 minotaur_subnet/api/services/app_service.py:630",
        "apps",
        "app_id",
        "status"
      )
    ],
    ask: "https://api.minotaursubnet.com/v1/apps/",
    verify_url: "https://app.minotaursubnet.com",
    figures: {
      apps_deployed: {
        entries: "apps",
        by: "app_id",
        where: { at: "status", is: ["solving", "solved", "active", "partial"] }
      }
    }
  },
  {
    netuid: 121,
    registered_at: 5766528,
    evidence: [
      readIn(
        "JSONbored/metagraphed@30a4d61b tests/sn121-call-subnet-surface-verify.test.ts:16",
        "skill-creators"
      )
    ],
    ask: "https://www.sundaebar.ai/api/skill-creators",
    verify_url: "https://www.sundaebar.ai/",
    figures: { creators_listed: { entries: "", by: "" } }
  },
  {
    netuid: 123,
    registered_at: 5794330,
    evidence: [
      readIn(
        "JSONbored/metagraphed@30a4d61b tests/mantis-call-subnet-surface-verify.test.ts:152",
        "netuid",
        "challenge_weights"
      )
    ],
    ask: "https://mantis123.com/dashboard/api/snap/meta",
    verify_url: "https://mantis123.com/",
    figures: { challenges_active: { entries: "challenge_weights" } },
    must: [{ at: "netuid", be: 123 }]
  },
  {
    netuid: 124,
    registered_at: 5813454,
    evidence: [
      readIn(
        "JSONbored/metagraphed@2676c068 tests/sn124-call-subnet-surface-verify.test.mjs",
        "entries",
        "model_id"
      )
    ],
    ask: "https://api.swarm124.com/leaderboard",
    verify_url: "https://swarm124.com/benchmark",
    figures: { models_ranked: { entries: "entries", by: "model_id" } }
  },
  {
    netuid: 127,
    registered_at: 5848837,
    evidence: [
      readIn(
        "JSONbored/metagraphed@30a4d61b tests/sn127-call-subnet-surface-verify.test.ts:42",
        "competitions",
        "competitionId"
      )
    ],
    ask: "https://arena-api.astrid.global/public/arena/completed-competitions",
    verify_url: "https://arena.astrid.global",
    figures: { competitions_in_payout: { entries: "competitions", by: "competitionId" } }
  }
]
