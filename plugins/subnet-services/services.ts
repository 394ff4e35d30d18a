/**
 * The services that subnets run themselves, each with the registration that it belongs to: when the chain tells another
 * block, the service is somebody else's, whatever it answers.
 */
import { capacity, metric } from "#plugin"
import type { Source } from "#plugin/figures"

export const metrics = {
  gpus_offered: capacity("count", "GPUs of the machines that the subnet's market lists, rented or free.", {
    collapse: 1
  }),
  gpus_attested: capacity("count", "GPUs of the nodes that the subnet's validators attest.", { collapse: 1 }),
  gpus_available: capacity(
    "count",
    "GPUs that the subnet's market offers and nobody rents: offers that are available.",
    { collapse: 1 }
  ),
  gpus_provisioned: capacity("count", "GPUs of the subnet's clusters.", { collapse: 1 }),
  machines_total: capacity("count", "Machines with GPUs that the subnet's market knows.", { collapse: 1 }),
  machines_free: capacity("count", "Machines that nobody rents.", { collapse: 1 }),
  clusters_listed: capacity("count", "Clusters that the subnet's validator lists.", { collapse: 1 }),
  miners_serving: capacity("count", "Miners that the subnet's own service counts: each once.", {
    collapse: 1
  }),
  miners_active: capacity("count", "Miners that the subnet's own service calls active.", { collapse: 1 }),
  miners_healthy: capacity("count", "Serving slots of miners that the subnet's own service calls healthy.", {
    collapse: 1
  }),
  miners_scored: capacity("count", "Miners in the newest list of scores.", { collapse: 1 }),
  miners_seen_total: metric("count", "Miners that have ever delivered, by the subnet's own service."),
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
  models_evaluated_total: metric("count", "Models evaluated since the start."),
  swaps_total: metric("count", "Swaps settled since the start."),
  swaps_active: metric("count", "Swaps under way.", { collapse: 1 }),
  jobs_succeeded_total: metric("count", "Training jobs that succeeded since the start."),
  jobs_training: metric("count", "Training jobs under way.", { collapse: 1 }),
  submissions_accepted_total: metric("count", "Submissions accepted since the start."),
  submissions_rejected_total: metric("count", "Submissions rejected since the start."),
  submissions_total: metric("count", "Submissions since the start."),
  tournaments_active: metric("count", "Tournaments that are not completed.", { collapse: 1 }),
  agents_registered_total: metric("count", "Agents registered since the start."),
  placements_verified_total: metric("count", "Media placements verified since the start."),
  outlets_approved: metric("count", "Media outlets that count.", { collapse: 1 }),
  commits_total: metric("count", "Commits of miners since the start."),
  repositories_total: metric("count", "Repositories with commits of miners.", { collapse: 1 }),
  issues_total: metric("count", "Issues that the subnet tracks.", { collapse: 1 }),
  pools_voted: metric("count", "Liquidity pools that holders vote for.", { collapse: 1 }),
  voters_total: metric("count", "Holders who vote.", { collapse: 1 }),
  reports_total: metric("count", "Evaluation reports since the start."),
  llm_calls_total: metric("count", "Calls of language models in evaluations since the start."),
  llm_tokens_total: metric("count", "Tokens of language models in evaluations since the start."),
  graph_entities: metric("count", "Entities of the subnet's knowledge graph.", { collapse: 1 }),
  graph_relationships: metric("count", "Relationships of the subnet's knowledge graph.", { collapse: 1 }),
  graph_facts: metric("count", "Facts of the subnet's knowledge graph.", { collapse: 1 }),
  training_cycles_total: metric("count", "Training cycles since the start."),
  training_runs: metric("count", "Training runs that the subnet lists.", { collapse: 1 }),
  training_projects: metric("count", "Training projects that the subnet lists.", {
    collapse: 1
  }),
  episodes_loaded: metric("count", "Episodes that the validator of the service has loaded.", { collapse: 1 }),
  competitions_completed_total: metric("count", "Competitions completed since the start."),
  apps_deployed: metric("count", "Apps deployed on the subnet.", { collapse: 1 }),
  tasks_active: metric("count", "Research tasks that are live.", { collapse: 1 }),
  evaluation_round: metric("count", "Number of the round that is evaluated.", { collapse: 1 }),
  evaluations_pending: metric("count", "Evaluations that wait.", { collapse: 1 }),
  evaluations_running: metric("count", "Evaluation runs under way.", { collapse: 1 }),
  proofs_total: metric("count", "Proofs of inference since the start."),
  briefs_open: metric("count", "Content briefs that the subnet lists.", { collapse: 1 }),
  challenges_active: metric("count", "Prediction challenges with a weight.", { collapse: 1 }),
  gateways_participating: capacity("count", "Gateways that took part in the newest finalised epoch.", {
    collapse: 1
  }),
  creators_listed: metric("count", "Creators of the skills that the subnet's market lists.", { collapse: 1 })
}

export type Name = keyof typeof metrics & string

export interface Service extends Source<Name> {
  readonly netuid: number
  /** `NetworkRegisteredAt` of the owner whose service this is. */
  readonly registered_at: number
  /** The page on which a person sees the figures. */
  readonly page: string
}

export const services: ReadonlyArray<Service> = [
  {
    netuid: 2,
    registered_at: 2734060,
    ask: "https://sn2-api.inferencelabs.com/stats",
    page: "https://subnet2.inferencelabs.com/",
    figures: {
      proofs_total: { number: ["total_proofs"] },
      miners_seen_total: { number: ["unique_miners"] },
      validators_reporting: { number: ["unique_validators"] }
    }
  },
  {
    netuid: 3,
    registered_at: 4165565,
    ask: "https://teutonic.ai/dashboard.json",
    page: "https://teutonic.ai/",
    figures: {
      submissions_accepted_total: { number: ["stats", "accepted"] },
      submissions_rejected_total: { number: ["stats", "rejected"] }
    },
    as_of: ["updated_at"]
  },
  {
    netuid: 4,
    registered_at: 1411451,
    ask: "https://stats.targon.com/api/miners",
    page: "https://stats.targon.com/docs",
    figures: {
      gpus_attested: { sum: ["data"], of: ["cards"] },
      miners_serving: { entries: ["data"], by: ["uid"] }
    }
  },
  {
    netuid: 5,
    registered_at: 2491604,
    ask: "https://www.hone.training/api/proxy/runs/projects",
    page: "https://www.hone.training/network",
    figures: { training_projects: { entries: [], by: ["project"] } }
  },
  {
    netuid: 7,
    registered_at: 2627691,
    ask: "https://api.all-ways.io/stats",
    page: "https://all-ways.io/",
    figures: {
      swaps_total: { number: ["totalSwaps"] },
      swaps_active: { number: ["activeSwaps"] },
      miners_active: { number: ["activeMiners"] }
    }
  },
  {
    netuid: 9,
    registered_at: 1489797,
    ask: "https://iota.api.macrocosmos.ai/common/get_run_info",
    page: "https://iota.macrocosmos.ai/dashboard/mainnet",
    figures: { training_runs: { entries: [], by: ["run_id"] } }
  },
  {
    netuid: 11,
    registered_at: 2918568,
    ask: "https://trajrl.com/api/stats",
    page: "https://trajrl.com/leaderboard",
    figures: {
      reports_total: { number: ["totalReports"] },
      llm_calls_total: { number: ["totalLlmCalls"] },
      llm_tokens_total: { number: ["totalTokens"] }
    },
    as_of: ["updatedAt"]
  },
  {
    netuid: 15,
    registered_at: 7366897,
    ask: "https://api.oroagents.com/v1/public/evaluations/pending",
    page: "https://oroagents.com/leaderboard",
    figures: {
      evaluations_pending: { number: ["summary", "total_pending"] },
      evaluations_running: { number: ["summary", "total_runs_active"] }
    }
  },
  {
    netuid: 19,
    registered_at: 1956072,
    ask: "https://api.blockmachine.io/epochs/latest-finalized",
    page: "https://blockmachine.io/",
    figures: { gateways_participating: { entries: ["gateway_ids"], by: [] } }
  },
  {
    netuid: 21,
    registered_at: 3156578,
    ask: "https://validator.adtao.io/health",
    page: "https://adtao.io/",
    figures: { episodes_loaded: { number: ["episodes_loaded"] } }
  },
  {
    netuid: 38,
    registered_at: 7284230,
    ask: "https://api.chronollm.com/rounds/current",
    page: "https://chronollm.crunchdao.com/",
    figures: { evaluation_round: { number: ["eval_round"] } }
  },
  {
    netuid: 43,
    registered_at: 3408582,
    ask: "https://api.graphite-ai.net/health",
    page: "https://graphite-ai.net/",
    figures: {
      graph_entities: { number: ["entities"] },
      graph_relationships: { number: ["relationships"] },
      graph_facts: { number: ["facts"] }
    },
    must: { at: ["status"], be: "ok" }
  },
  {
    netuid: 46,
    registered_at: 3919107,
    ask: "https://zipcode.ai/api/dashboard/stats",
    page: "https://zipcode.ai/",
    figures: { models_submitted: { number: ["stats", "totalModels"] } }
  },
  {
    netuid: 49,
    registered_at: 6783158,
    ask: "https://tournament-api.nepher.ai/api/v1/tournaments/active/list",
    page: "https://tournament.nepher.ai/tournaments",
    figures: {
      tournaments_active: {
        entries: ["tournaments"],
        by: ["id"],
        where: { at: ["stage"], is: ["contest", "review", "evaluation", "reward"] }
      }
    }
  },
  {
    netuid: 50,
    registered_at: 4763204,
    ask: "https://api.synthdata.co/v2/leaderboard/latest",
    page: "https://synthdata.co/",
    figures: { miners_scored: { entries: [], by: ["neuron_uid"] } },
    as_of: ["0", "updated_at"]
  },
  {
    netuid: 51,
    registered_at: 3966206,
    ask: "https://lium.io/api/machines",
    page: "https://lium.io/",
    figures: { gpus_offered: { sum: [], of: ["total_gpu_count"], by: ["name"] } }
  },
  {
    netuid: 51,
    registered_at: 3966206,
    ask: "https://lium.io/api/executors/total-count",
    page: "https://lium.io/",
    figures: { machines_total: { number: ["total_count"] } }
  },
  {
    netuid: 51,
    registered_at: 3966206,
    ask: "https://lium.io/api/executors/count",
    page: "https://lium.io/",
    figures: { machines_free: { number: ["count"] } }
  },
  {
    netuid: 54,
    registered_at: 4742549,
    ask: "https://miners-stats.yanezcompliance.net/miners",
    page: "https://www.yanez.ai/",
    figures: { miners_scored: { entries: [], by: [] } }
  },
  {
    netuid: 56,
    registered_at: 4312927,
    ask: "https://api.gradients.io/v1/network/status",
    page: "https://www.gradients.io/",
    figures: {
      jobs_succeeded_total: { number: ["number_of_jobs_success"] },
      jobs_training: { number: ["number_of_jobs_training"] }
    }
  },
  {
    netuid: 60,
    registered_at: 4796992,
    ask: "https://bitsec.ai/api/agents/count",
    page: "https://bitsec.ai/",
    figures: { agents_registered_total: { number: ["total_agents"] } }
  },
  {
    netuid: 62,
    registered_at: 4474225,
    ask: "https://agent-upload.ridges.ai/validator/connected-validators-info",
    page: "https://docs.ridges.ai/",
    figures: { validators_connected: { entries: [], by: ["hotkey"], mayBeEmpty: true } }
  },
  {
    netuid: 64,
    registered_at: 4531295,
    ask: "https://api.chutes.ai/nodes/",
    page: "https://chutes.ai/app/research/utilization",
    figures: { gpus_provisioned: { sum: [], of: ["provisioned"] } }
  },
  {
    netuid: 69,
    registered_at: 8138182,
    ask: "https://api.heraldmedia.ai/public/stats",
    page: "https://www.heraldmedia.ai/",
    figures: {
      placements_verified_total: { number: ["verified_placements"] },
      miners_seen_total: { number: ["active_miners"] },
      outlets_approved: { number: ["approved_outlets"] }
    }
  },
  {
    netuid: 74,
    registered_at: 5086205,
    ask: "https://api.gittensor.io/dash/stats",
    page: "https://gittensor.io/dashboard",
    figures: {
      commits_total: { number: ["totalCommits"] },
      repositories_total: { number: ["uniqueRepositories"] },
      issues_total: { number: ["totalIssues"] }
    }
  },
  {
    netuid: 75,
    registered_at: 5102795,
    ask: "https://api.hippius.com/api/models/",
    page: "https://hub.hippius.com/models",
    figures: { models_hosted: { number: ["total"] } }
  },
  {
    netuid: 77,
    registered_at: 5128460,
    ask: "https://77.creativebuilds.io/pools",
    page: "https://sn77.xyz/",
    figures: { pools_voted: { number: ["totalPools"] }, voters_total: { number: ["totalVoters"] } },
    must: { at: ["success"], be: true }
  },
  {
    netuid: 90,
    registered_at: 8618670,
    ask: "https://s3.hippius.com/kubetee-validator/dashboard.json",
    page: "https://s3.hippius.com/kubetee-validator/index.html",
    figures: {
      clusters_listed: { entries: ["miners"], by: ["uid"] },
      gpus_provisioned: { sum: ["fleet_gpus"], of: [] }
    },
    as_of: ["published_at"]
  },
  {
    netuid: 93,
    registered_at: 5370681,
    ask: "https://bitcast-api.bitcast.network/api/v2/validator/briefs",
    page: "https://bitcast.network/",
    figures: { briefs_open: { entries: [], by: ["id"] } }
  },
  {
    netuid: 94,
    registered_at: 6962737,
    ask: "https://autoresearch.bitsota.com/api/v1/tasks",
    page: "https://autoresearch.bitsota.com/dashboard",
    figures: { tasks_active: { entries: [], by: ["slug"], where: { at: ["is_active"], is: [true] } } }
  },
  {
    netuid: 95,
    registered_at: 5403674,
    ask: "https://models.actual.inc/index.json",
    page: "https://models.actual.inc/",
    figures: { models_published: { entries: ["models"] } },
    as_of: ["generatedAt"]
  },
  {
    netuid: 96,
    registered_at: 7692872,
    ask: "https://api.verathos.ai/v1/network/stats",
    page: "https://verathos.ai/",
    figures: {
      miners_serving: { entries: ["miners"], by: ["address"] },
      miners_healthy: { number: ["totals", "healthy"] },
      models_served: { number: ["totals", "models"] }
    },
    must: { at: ["netuid"], be: 96 }
  },
  {
    netuid: 97,
    registered_at: 7735450,
    ask: "https://s3.hippius.com/albedo/data/dashboard.json",
    page: "https://albedo.tech/",
    figures: { models_evaluated_total: { number: ["stats", "evaluated"] } },
    as_of: ["updated_at"],
    must: { at: ["chain", "netuid"], be: 97 }
  },
  {
    netuid: 100,
    registered_at: 6693448,
    ask: "https://chain.joinbase.ai/v1/site/arenas/prism/submissions?page=1&pageSize=50",
    page: "https://joinbase.ai",
    figures: { submissions_total: { number: ["total"] } }
  },
  {
    netuid: 102,
    registered_at: 7840965,
    ask: "https://cycle-api.connito.ai/get_phase",
    page: "https://connito.ai/",
    figures: { training_cycles_total: { number: ["cycle_index"] } }
  },
  {
    netuid: 106,
    registered_at: 5558480,
    ask: "https://nodexo.ai/api/inventory",
    page: "https://console.nodexo.ai/",
    figures: { gpus_available: { sum: ["offers"], of: ["available"] } }
  },
  {
    netuid: 112,
    registered_at: 5633022,
    ask: "https://api.minotaursubnet.com/v1/apps/",
    page: "https://app.minotaursubnet.com",
    figures: { apps_deployed: { number: ["total"] } }
  },
  {
    netuid: 120,
    registered_at: 5749344,
    ask: "https://api.affine.io/api/v1/scores/latest",
    page: "https://www.affine.io/",
    figures: { miners_scored: { entries: ["scores"], by: ["miner_hotkey"] } },
    as_of: ["calculated_at"]
  },
  {
    netuid: 121,
    registered_at: 5766528,
    ask: "https://www.sundaebar.ai/api/skill-creators",
    page: "https://www.sundaebar.ai/",
    figures: { creators_listed: { entries: [], by: [] } }
  },
  {
    netuid: 123,
    registered_at: 5794330,
    ask: "https://mantis123.com/dashboard/api/snap/meta",
    page: "https://mantis123.com/",
    figures: { challenges_active: { entries: ["challenge_weights"] } },
    must: { at: ["netuid"], be: 123 }
  },
  {
    netuid: 124,
    registered_at: 5813454,
    ask: "https://api.swarm124.com/leaderboard",
    page: "https://swarm124.com/benchmark",
    figures: { models_ranked: { entries: ["entries"], by: ["model_id"] } }
  },
  {
    netuid: 127,
    registered_at: 5848837,
    ask: "https://arena-api.astrid.global/public/arena/completed-competitions",
    page: "https://arena.astrid.global",
    figures: { competitions_completed_total: { entries: ["competitions"], by: ["competitionId"] } }
  }
]
