/** What the services of subnets count. */
import { capacity, metric } from "#plugin"

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
