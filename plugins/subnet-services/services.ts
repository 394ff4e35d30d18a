/**
 * The services that subnets run themselves, each with the registration that it belongs to: when the chain tells another
 * block, the service is somebody else's, whatever it answers.
 */
import { capacity, type Evidence, metric } from "#plugin"
import type { Figures, Query } from "#plugin/declare"

export const metrics = {
  gpus_offered: capacity("count", "GPUs of the machines that the subnet's market lists, rented or free.", {
    collapse: 1
  }),
  gpus_attested: capacity("count", "GPUs of the nodes that the subnet's validators attest.", { collapse: 1 }),
  gpus_available: capacity(
    "count",
    "What the offers of the subnet's market call available; whether an offer of several GPUs counts each is not published.",
    { collapse: 1 }
  ),
  gpus_provisioned: capacity("count", "GPUs of the subnet's clusters, in the validator's newest snapshot.", {
    collapse: 1
  }),
  machines_total: capacity(
    "count",
    "Machines with GPUs that are registered with the subnet's market, rented or free.",
    { collapse: 1 }
  ),
  machines_free: capacity("count", "Registered machines that nobody rents.", { collapse: 1 }),
  clusters_listed: capacity("count", "Clusters that the subnet's validator lists.", { collapse: 1 }),
  miners_serving: capacity("count", "Miners that the subnet's own service counts: each once.", {
    collapse: 1
  }),
  miners_healthy: capacity("count", "Serving slots of miners that the subnet's own service calls healthy.", {
    collapse: 1
  }),
  miners_scored: capacity(
    "count",
    "Miners in the newest list of scores, up to the most that the service lists.",
    { collapse: 1 }
  ),
  miners_seen_total: metric(
    "count",
    "Miners with a delivery that the subnet's own service keeps: each once."
  ),
  validators_connected: capacity("count", "Validators that are connected to the subnet's own service.", {
    collapse: 1
  }),
  validators_reporting: capacity("count", "Validators that the subnet's own service counts.", {
    collapse: 1
  }),
  models_served: metric("count", "Models that miners serve.", { collapse: 1 }),
  models_hosted: metric("count", "Models that the subnet's hub hosts.", { collapse: 1 }),
  models_submitted: metric("count", "Models submitted since the start."),
  models_published: metric("count", "Models that the subnet has published.", { collapse: 1 }),
  models_ranked: metric("count", "Models on the subnet's leaderboard.", { collapse: 1 }),
  models_evaluated_total: metric(
    "count",
    "Models with an evaluation that succeeded, of the model family that the subnet trains now."
  ),
  swaps_total: metric("count", "Swaps settled since the start."),
  swaps_active: metric("count", "Swaps under way.", { collapse: 1 }),
  jobs_succeeded_total: metric("count", "Training jobs that succeeded since the start."),
  jobs_training: metric("count", "Training jobs under way.", { collapse: 1 }),
  submissions_accepted_total: metric("count", "Submissions accepted since the validator's state began."),
  submissions_rejected_total: metric("count", "Submissions rejected since the validator's state began."),
  tournaments_active: metric("count", "Tournaments in the list of the active ones.", { collapse: 1 }),
  agents_registered_total: metric("count", "Agents registered since the start."),
  placements_verified_total: metric(
    "count",
    "Media placements that the subnet's own service keeps as verified."
  ),
  outlets_approved: metric("count", "Media outlets that count.", { collapse: 1 }),
  commits_total: metric("count", "Commits of miners since the start."),
  repositories_total: metric("count", "Repositories with commits of miners.", { collapse: 1 }),
  issues_total: metric("count", "Issues that the subnet tracks.", { collapse: 1 }),
  pools_voted: metric("count", "Liquidity pools that holders vote for.", { collapse: 1 }),
  reports_total: metric("count", "Evaluation reports since the start."),
  llm_calls_total: metric("count", "Calls of language models in evaluations since the start."),
  llm_tokens_total: metric("count", "Tokens of language models in evaluations since the start."),
  graph_entities: metric("count", "Entities of the subnet's knowledge graph.", { collapse: 1 }),
  graph_relationships: metric("count", "Relationships of the subnet's knowledge graph.", { collapse: 1 }),
  graph_facts: metric("count", "Facts of the subnet's knowledge graph.", { collapse: 1 }),
  training_cycle: metric(
    "count",
    "Number of the training cycle: the chain's block divided by the cycle's length."
  ),
  training_runs: metric("count", "Training runs that the subnet lists.", { collapse: 1 }),
  training_projects: metric("count", "Training projects that the subnet lists.", {
    collapse: 1
  }),
  episodes_loaded: metric("count", "Episodes that the validator of the service has loaded.", { collapse: 1 }),
  competitions_in_payout: metric("count", "Competitions that are over and still pay their winners.", {
    collapse: 1
  }),
  apps_deployed: metric("count", "Apps that are deployed on at least one chain and not closing.", {
    collapse: 1
  }),
  tasks_active: metric(
    "count",
    "Research tasks that the coordinator calls active; a paused one can be among them.",
    { collapse: 1 }
  ),
  evaluation_round: metric("count", "Number of the round that is evaluated.", { collapse: 1 }),
  evaluations_pending: metric("count", "Evaluations that wait.", { collapse: 1 }),
  proofs_total: metric("count", "Proofs of inference since the start."),
  briefs_open: metric(
    "count",
    "Content briefs for YouTube that validators score against; those for X are another list.",
    { collapse: 1 }
  ),
  challenges_active: metric("count", "Prediction challenges with a weight.", { collapse: 1 }),
  gateways_participating: capacity("count", "Gateways that took part in the newest finalised epoch.", {
    collapse: 1
  }),
  creators_listed: metric("count", "Creators of the skills that the subnet's market lists.", { collapse: 1 })
}

export type Name = keyof typeof metrics & string

export interface Service extends Query<Figures<Name>> {
  readonly netuid: number
  /** `NetworkRegisteredAt` of the owner whose service this is. */
  readonly registered_at: number
  /** Where the members were read. */
  readonly evidence: ReadonlyArray<Evidence>
  readonly ask: string
}

const readIn = (source: string, ...members: ReadonlyArray<string>): Evidence => ({
  source,
  read: "2026-11-25",
  members
})

export const services: ReadonlyArray<Service> = [
  {
    netuid: 2,
    registered_at: 2734060,
    evidence: [
      readIn(
        "JSONbored/metagraphed@30a4d61b registry/subnets/dsperse.json",
        "total_proofs",
        "unique_miners",
        "unique_validators"
      )
    ],
    ask: "https://sn2-api.inferencelabs.com/stats",
    verify_url: "https://subnet2.inferencelabs.com/",
    figures: {
      proofs_total: { number: "total_proofs" },
      miners_seen_total: { number: "unique_miners" },
      validators_reporting: { number: "unique_validators" }
    }
  },
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
    netuid: 4,
    registered_at: 1411451,
    evidence: [
      readIn("KubeTEE-AI/kubetee-subnet@cf41b937 validator/targon_payout_feed.py:83", "data", "cards"),
      readIn("JSONbored/metagraphed@30a4d61b registry/subnets/targon.json", "uid")
    ],
    ask: "https://stats.targon.com/api/miners",
    verify_url: "https://stats.targon.com/docs",
    figures: {
      gpus_attested: { sum: "data", of: "cards" },
      miners_serving: { entries: "data", by: "uid" }
    }
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
    netuid: 19,
    registered_at: 1956072,
    evidence: [readIn("JSONbored/metagraphed@30a4d61b registry/subnets/blockmachine.json", "gateway_ids")],
    ask: "https://api.blockmachine.io/epochs/latest-finalized",
    verify_url: "https://blockmachine.io/",
    figures: { gateways_participating: { entries: "gateway_ids", by: "" } }
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
    netuid: 50,
    registered_at: 4763204,
    evidence: [
      readIn(
        "JSONbored/metagraphed@30a4d61b tests/sn50-call-subnet-surface-verify.test.ts:17",
        "updated_at",
        "neuron_uid"
      )
    ],
    ask: "https://api.synthdata.co/v2/leaderboard/latest",
    verify_url: "https://synthdata.co/",
    figures: { miners_scored: { entries: "", by: "neuron_uid" } },
    as_of: "0.updated_at"
  },
  {
    netuid: 51,
    registered_at: 3966206,
    evidence: [
      readIn("JSONbored/metagraphed@30a4d61b registry/subnets/lium-io.json:98", "name", "total_gpu_count")
    ],
    ask: "https://lium.io/api/machines",
    verify_url: "https://lium.io/",
    figures: { gpus_offered: { sum: "", of: "total_gpu_count", by: "name" } }
  },
  {
    netuid: 51,
    registered_at: 3966206,
    evidence: [
      readIn("JSONbored/metagraphed@30a4d61b tests/sn51-call-subnet-surface-verify.test.ts:33", "total_count")
    ],
    ask: "https://lium.io/api/executors/total-count",
    verify_url: "https://lium.io/",
    figures: { machines_total: { number: "total_count" } }
  },
  {
    netuid: 51,
    registered_at: 3966206,
    evidence: [
      readIn("JSONbored/metagraphed@30a4d61b tests/sn51-call-subnet-surface-verify.test.ts:30", "count")
    ],
    ask: "https://lium.io/api/executors/count",
    verify_url: "https://lium.io/",
    figures: { machines_free: { number: "count" } }
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
    netuid: 62,
    registered_at: 4474225,
    evidence: [readIn("ridgesai/ridges@9397a57e models/validator.py:19", "hotkey")],
    ask: "https://agent-upload.ridges.ai/validator/connected-validators-info",
    verify_url: "https://docs.ridges.ai/",
    figures: { validators_connected: { entries: "", by: "hotkey", mayBeEmpty: true } }
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
    netuid: 90,
    registered_at: 8618670,
    evidence: [
      readIn(
        "KubeTEE-AI/kubetee-subnet@cf41b937 validator/dashboard.py:244",
        "miners",
        "uid",
        "fleet_gpus",
        "published_at"
      )
    ],
    ask: "https://s3.hippius.com/kubetee-validator/dashboard.json",
    verify_url: "https://s3.hippius.com/kubetee-validator/index.html",
    figures: {
      clusters_listed: { entries: "miners", by: "uid" },
      gpus_provisioned: { sum: "fleet_gpus", of: "" }
    },
    as_of: "published_at"
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
    netuid: 96,
    registered_at: 7692872,
    evidence: [
      readIn(
        "verathos-ai/verathos@c7d77a7 neurons/network.py:257",
        "netuid",
        "miners",
        "address",
        "totals",
        "healthy",
        "models"
      )
    ],
    ask: "https://api.verathos.ai/v1/network/stats",
    verify_url: "https://verathos.ai/",
    figures: {
      miners_serving: { entries: "miners", by: "address" },
      miners_healthy: { number: "totals.healthy" },
      models_served: { number: "totals.models" }
    },
    must: [{ at: "netuid", be: 96 }]
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
    netuid: 106,
    registered_at: 5558480,
    evidence: [
      readIn(
        "JSONbored/metagraphed@30a4d61b tests/sn106-call-subnet-surface-verify.test.ts:53",
        "offers",
        "available"
      )
    ],
    ask: "https://nodexo.ai/api/inventory",
    verify_url: "https://console.nodexo.ai/",
    figures: { gpus_available: { sum: "offers", of: "available" } }
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
    netuid: 120,
    registered_at: 5749344,
    evidence: [
      readIn(
        "AffineFoundation/affine@9bbf55ab affine/api/routers/scores.py:26",
        "scores",
        "miner_hotkey",
        "calculated_at"
      )
    ],
    ask: "https://api.affine.io/api/v1/scores/latest?top=256",
    verify_url: "https://www.affine.io/",
    figures: { miners_scored: { entries: "scores", by: "miner_hotkey", most: 256 } },
    as_of: "calculated_at"
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
