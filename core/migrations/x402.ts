/** Tables of payments per request. A row is never deleted: it is what makes an authorization good for one sale. */
import { statements } from "./statements.ts"

export const migrations = {
  "0001_sales": statements(`
    create table x402_sale (
      id text primary key,
      network text not null,
      asset text not null,
      payer text not null,
      nonce text not null,
      recipient text not null,
      amount bigint not null check (amount > 0),
      valid_after bigint not null,
      valid_before bigint not null,
      signature text not null,
      payment_id text,
      product_key text not null,
      payload_sha256 text not null references payload,
      checkpoint jsonb,
      state text not null check (state in ('reserved', 'settling', 'settled', 'failed')),
      lease_until timestamptz(3) not null,
      since_block bigint not null,
      tx text,
      raw text,
      reason text,
      message text,
      created_at timestamptz(3) not null,
      settled_at timestamptz(3),
      final_at timestamptz(3),
      lost_at timestamptz(3),
      unique (network, asset, payer, nonce),
      check (state <> 'settled' or (tx is not null and settled_at is not null))
    );
    create unique index x402_sale_payment_id on x402_sale (payer, payment_id) where payment_id is not null;
    create index x402_sale_open on x402_sale (lease_until) where state in ('reserved', 'settling');
    create index x402_sale_not_final on x402_sale (settled_at) where state = 'settled' and final_at is null;
    create index x402_sale_failed on x402_sale (payer, created_at) where state = 'failed' and tx is not null;
  `),

  // The next nonce of the account that submits settlements, as far as the process that had the last turn knows; 0: ask the
  // chain.
  "0002_turns": statements(`
    create table x402_turn (
      address text primary key,
      next_nonce integer not null
    );
  `),

  // Reads that are sold by the page: what was asked and the headers of the answer. Their bodies are kept as long as they can
  // be downloaded again, and not permanently as products are.
  "0003_reads": statements(`
    alter table x402_sale add column read jsonb;
    alter table x402_sale drop constraint x402_sale_payload_sha256_fkey;
    create table x402_body (
      sha256 text primary key,
      bytes bytea not null,
      wanted_at timestamptz(3) not null
    );
    create index x402_body_wanted on x402_body (wanted_at);
  `),

  // Whoever asks what a wallet is owed reads its sales.
  "0004_payers": statements(`
    create index x402_sale_payer on x402_sale (payer);
  `)
}
