/** Services that offer machines: what they have, and what of it is in use. */
import { readIn, type Service } from "./Service.ts"

export const machines: ReadonlyArray<Service> = [
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
    netuid: 19,
    registered_at: 1956072,
    evidence: [readIn("JSONbored/metagraphed@30a4d61b registry/subnets/blockmachine.json", "gateway_ids")],
    ask: "https://api.blockmachine.io/epochs/latest-finalized",
    verify_url: "https://blockmachine.io/",
    figures: { gateways_participating: { entries: "gateway_ids", by: "" } }
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
    netuid: 62,
    registered_at: 4474225,
    evidence: [readIn("ridgesai/ridges@9397a57e models/validator.py:19", "hotkey")],
    ask: "https://agent-upload.ridges.ai/validator/connected-validators-info",
    verify_url: "https://docs.ridges.ai/",
    figures: { validators_connected: { entries: "", by: "hotkey", mayBeEmpty: true } }
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
  }
]
