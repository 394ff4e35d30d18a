--
-- PostgreSQL database dump
--

\restrict yQnKEVaR0XVucs1fZfNfXam3bGOZMN40EHKMbpbeCvNwbSijoLkjYpszAEFAAcU

-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: anchor_moved(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.anchor_moved() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ begin
      insert into happened (kind, ref, was, became) values ('anchor', new.id, old.state, new.state); return null; end $$;


--
-- Name: count_rows_read(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.count_rows_read() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ begin
      insert into rows_read as r values (new.plugin, new.n_rows)
        on conflict (plugin) do update set rows = r.rows + excluded.rows; return null; end $$;


--
-- Name: it_happened(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.it_happened() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ begin
      insert into happened (kind, ref, became) values (tg_table_name, new.id, tg_argv[0]); return null; end $$;


--
-- Name: ledger_is_append_only(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.ledger_is_append_only() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ begin raise exception 'the ledger is append-only: % of % refused', tg_op, tg_table_name; end $$;


--
-- Name: posting_is_balanced(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.posting_is_balanced() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ begin if (select sum(amount) from ledger_entry where posting = new.posting) <> 0 then raise exception 'posting % does not sum to zero', new.posting; end if; return null; end $$;


--
-- Name: signal_stays(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.signal_stays() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ begin
      raise exception 'the signal ledger is append-only'; end $$;


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: account; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.account (
    id text NOT NULL,
    agent_name text NOT NULL,
    email text,
    balance bigint DEFAULT 0 NOT NULL,
    owed bigint DEFAULT 0 NOT NULL,
    tier text DEFAULT 'free'::text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT account_balance_check CHECK ((balance >= 0)),
    CONSTRAINT account_check CHECK (((owed = 0) OR (balance = 0))),
    CONSTRAINT account_owed_check CHECK ((owed >= 0))
);


--
-- Name: analysis; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.analysis (
    symbol text NOT NULL,
    due_at timestamp(3) with time zone NOT NULL,
    facts text,
    said text
);


--
-- Name: anchor; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.anchor (
    id integer NOT NULL,
    size integer NOT NULL,
    state text NOT NULL,
    network text NOT NULL,
    digest text NOT NULL,
    proof bytea NOT NULL,
    stamped_at timestamp(3) with time zone NOT NULL,
    asked_at timestamp(3) with time zone,
    block_height integer,
    block_hash text,
    block_header text,
    block_time timestamp(3) with time zone,
    CONSTRAINT anchor_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'confirmed'::text, 'final'::text, 'lost'::text])))
);


--
-- Name: anchor_failure; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.anchor_failure (
    size integer NOT NULL,
    reason text NOT NULL,
    tried_at timestamp(3) with time zone NOT NULL
);


--
-- Name: anchor_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.anchor ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.anchor_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: api_key; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.api_key (
    hash text NOT NULL,
    account text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    ended_at timestamp(3) with time zone
);


--
-- Name: batch; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.batch (
    id integer NOT NULL,
    day date NOT NULL,
    cut_off timestamp(3) with time zone NOT NULL,
    claimed_by text NOT NULL,
    claimed_until timestamp(3) with time zone NOT NULL,
    closed_at timestamp(3) with time zone,
    late boolean,
    root text,
    tree_size integer,
    n_readings integer,
    n_late integer,
    n_revisions integer,
    n_absent integer,
    absent text,
    log_index integer
);


--
-- Name: batch_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.batch ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.batch_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: blob; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.blob (
    sha256 text NOT NULL,
    bytes bytea NOT NULL
);


--
-- Name: card_order; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.card_order (
    id text NOT NULL,
    kind text NOT NULL,
    sku text NOT NULL,
    amount bigint NOT NULL,
    account text,
    scope text NOT NULL,
    idempotency_key text,
    request_sha256 text NOT NULL,
    session text,
    url text,
    state text DEFAULT 'open'::text NOT NULL,
    note text,
    created_at timestamp(3) with time zone NOT NULL,
    paid_at timestamp(3) with time zone,
    CONSTRAINT card_order_amount_check CHECK ((amount > 0)),
    CONSTRAINT card_order_kind_check CHECK ((kind = ANY (ARRAY['topup'::text, 'one_shot'::text, 'subscription'::text]))),
    CONSTRAINT card_order_state_check CHECK ((state = ANY (ARRAY['open'::text, 'paid'::text, 'closed'::text, 'held'::text])))
);


--
-- Name: card_payment; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.card_payment (
    payment text NOT NULL,
    card_order text,
    account text,
    amount bigint DEFAULT 0 NOT NULL,
    refunded bigint DEFAULT 0 NOT NULL,
    disputed bigint DEFAULT 0 NOT NULL,
    dispute_closed boolean DEFAULT false NOT NULL,
    reversed bigint DEFAULT 0 NOT NULL,
    moves integer DEFAULT 0 NOT NULL
);


--
-- Name: card_refund; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.card_refund (
    id text NOT NULL,
    payment text NOT NULL,
    amount bigint NOT NULL,
    failed boolean NOT NULL
);


--
-- Name: chain_cursor; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.chain_cursor (
    chain bigint NOT NULL,
    token text NOT NULL,
    deposit_address text NOT NULL,
    block bigint NOT NULL,
    block_hash text NOT NULL
);


--
-- Name: chain_transfer; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.chain_transfer (
    chain bigint NOT NULL,
    token text NOT NULL,
    tx text NOT NULL,
    log_index integer NOT NULL,
    block bigint NOT NULL,
    block_hash text NOT NULL,
    block_time timestamp(3) with time zone NOT NULL,
    sender text NOT NULL,
    units numeric NOT NULL,
    state text NOT NULL,
    reason text,
    account text,
    quote text,
    seen_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT chain_transfer_state_check CHECK ((state = ANY (ARRAY['seen'::text, 'finalized'::text, 'credited'::text, 'unmatched'::text])))
);


--
-- Name: checkpoint; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.checkpoint (
    size integer NOT NULL,
    root text NOT NULL,
    note text NOT NULL,
    signed_at timestamp(3) with time zone NOT NULL
);


--
-- Name: code; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.code (
    code_hash text NOT NULL,
    plugin text NOT NULL,
    files jsonb NOT NULL,
    settings jsonb NOT NULL,
    recorded_at timestamp(3) with time zone NOT NULL
);


--
-- Name: daily; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.daily (
    series integer NOT NULL,
    day date NOT NULL,
    incident integer DEFAULT 0 NOT NULL,
    version integer NOT NULL,
    as_of timestamp(3) with time zone NOT NULL,
    value double precision NOT NULL,
    value_text text,
    n_observations integer NOT NULL,
    verify_url text NOT NULL,
    recorded_at timestamp(3) with time zone NOT NULL,
    simulated boolean NOT NULL,
    readings_sha256 text,
    sealed_by integer
);


--
-- Name: document; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.document (
    sha256 text NOT NULL,
    kind text NOT NULL,
    subject text NOT NULL,
    media_type text NOT NULL,
    body text NOT NULL,
    recorded_at timestamp(3) with time zone NOT NULL
);


--
-- Name: encoder_key; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.encoder_key (
    hash text NOT NULL,
    purchase text NOT NULL
);


--
-- Name: exchange; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.exchange (
    run text NOT NULL,
    n integer NOT NULL,
    method text NOT NULL,
    url text NOT NULL,
    request_body text,
    at timestamp(3) with time zone NOT NULL,
    status integer NOT NULL,
    headers jsonb NOT NULL,
    sha256 text NOT NULL,
    size integer NOT NULL,
    confirmed boolean NOT NULL
);


--
-- Name: exclusion; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.exclusion (
    series integer NOT NULL,
    as_of timestamp(3) with time zone NOT NULL,
    version integer NOT NULL,
    incident integer NOT NULL
);


--
-- Name: fact; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.fact (
    name text NOT NULL,
    value text NOT NULL
);


--
-- Name: happened; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.happened (
    id integer NOT NULL,
    kind text NOT NULL,
    ref integer NOT NULL,
    was text,
    became text NOT NULL
);


--
-- Name: happened_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.happened ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.happened_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: incident; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.incident (
    id integer NOT NULL,
    kind text NOT NULL,
    symbol text NOT NULL,
    metric text NOT NULL,
    source text,
    from_as_of timestamp(3) with time zone NOT NULL,
    to_as_of timestamp(3) with time zone NOT NULL,
    reason text NOT NULL,
    opened_at timestamp(3) with time zone NOT NULL,
    closed_at timestamp(3) with time zone,
    closing_note text,
    CONSTRAINT incident_kind_check CHECK ((kind = ANY (ARRAY['automatic'::text, 'manual'::text])))
);


--
-- Name: incident_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.incident ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.incident_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: latest; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.latest (
    series integer NOT NULL,
    as_of timestamp(3) with time zone NOT NULL,
    value double precision NOT NULL,
    value_text text,
    verify_url text NOT NULL,
    recorded_at timestamp(3) with time zone NOT NULL,
    confirmed_at timestamp(3) with time zone NOT NULL,
    run text NOT NULL,
    simulated boolean NOT NULL,
    read_url text
)
WITH (fillfactor='70');


--
-- Name: leaf; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.leaf (
    batch integer NOT NULL,
    place integer,
    series integer,
    day date NOT NULL,
    incident integer NOT NULL,
    version integer NOT NULL,
    text text NOT NULL,
    hash bytea NOT NULL
);


--
-- Name: ledger_entry; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ledger_entry (
    posting bigint NOT NULL,
    account text NOT NULL,
    amount bigint NOT NULL,
    CONSTRAINT ledger_entry_amount_check CHECK ((amount <> 0))
);


--
-- Name: log_entry; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.log_entry (
    place integer NOT NULL,
    text text NOT NULL,
    hash bytea NOT NULL,
    recorded_at timestamp(3) with time zone NOT NULL
);


--
-- Name: migrations_credits; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.migrations_credits (
    migration_id integer NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    name text NOT NULL
);


--
-- Name: migrations_data; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.migrations_data (
    migration_id integer NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    name text NOT NULL
);


--
-- Name: migrations_log; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.migrations_log (
    migration_id integer NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    name text NOT NULL
);


--
-- Name: migrations_products; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.migrations_products (
    migration_id integer NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    name text NOT NULL
);


--
-- Name: migrations_x402; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.migrations_x402 (
    migration_id integer NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    name text NOT NULL
);


--
-- Name: observation; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.observation (
    series integer NOT NULL,
    as_of timestamp(3) with time zone NOT NULL,
    version integer NOT NULL,
    value double precision NOT NULL,
    value_text text,
    recorded_at timestamp(3) with time zone NOT NULL,
    run text NOT NULL
)
PARTITION BY RANGE (as_of);


--
-- Name: observation_2026_08; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.observation_2026_08 (
    series integer NOT NULL,
    as_of timestamp(3) with time zone NOT NULL,
    version integer NOT NULL,
    value double precision NOT NULL,
    value_text text,
    recorded_at timestamp(3) with time zone NOT NULL,
    run text NOT NULL
);


--
-- Name: observation_2026_09; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.observation_2026_09 (
    series integer NOT NULL,
    as_of timestamp(3) with time zone NOT NULL,
    version integer NOT NULL,
    value double precision NOT NULL,
    value_text text,
    recorded_at timestamp(3) with time zone NOT NULL,
    run text NOT NULL
);


--
-- Name: observation_2026_10; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.observation_2026_10 (
    series integer NOT NULL,
    as_of timestamp(3) with time zone NOT NULL,
    version integer NOT NULL,
    value double precision NOT NULL,
    value_text text,
    recorded_at timestamp(3) with time zone NOT NULL,
    run text NOT NULL
);


--
-- Name: payload; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.payload (
    sha256 text NOT NULL,
    bytes bytea NOT NULL
);


--
-- Name: posting; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.posting (
    id bigint NOT NULL,
    key text NOT NULL,
    cause text NOT NULL,
    reference text NOT NULL,
    note text,
    posted_at timestamp(3) with time zone NOT NULL
);


--
-- Name: posting_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.posting ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.posting_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: purchase; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.purchase (
    id text NOT NULL,
    account text NOT NULL,
    product_key text NOT NULL,
    price bigint NOT NULL,
    remaining bigint NOT NULL,
    payload_sha256 text NOT NULL,
    checkpoint jsonb,
    idempotency_key text,
    request_sha256 text NOT NULL,
    purchased_at timestamp(3) with time zone NOT NULL
);


--
-- Name: revision; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.revision (
    id integer NOT NULL,
    series integer NOT NULL,
    as_of timestamp(3) with time zone NOT NULL,
    version integer NOT NULL,
    before_value double precision NOT NULL,
    before_text text,
    after_value double precision NOT NULL,
    after_text text,
    recorded_at timestamp(3) with time zone NOT NULL,
    run text NOT NULL,
    why text NOT NULL
);


--
-- Name: revision_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.revision ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.revision_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: rows_read; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.rows_read (
    plugin text NOT NULL,
    rows bigint NOT NULL
);


--
-- Name: run; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.run (
    id text NOT NULL,
    plugin text NOT NULL,
    started_at timestamp(3) with time zone NOT NULL,
    finished_at timestamp(3) with time zone NOT NULL,
    run_now timestamp(3) with time zone NOT NULL,
    status text NOT NULL,
    error_tag text,
    error_message text,
    code_hash text NOT NULL,
    targets_sha256 text NOT NULL,
    settings jsonb NOT NULL,
    n_rows integer NOT NULL,
    rows_sha256 text NOT NULL,
    refused jsonb NOT NULL,
    simulated boolean NOT NULL,
    complete boolean DEFAULT false NOT NULL,
    CONSTRAINT run_status_check CHECK ((status = ANY (ARRAY['ok'::text, 'failed'::text])))
);


--
-- Name: series; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.series (
    id integer NOT NULL,
    symbol text NOT NULL,
    metric text NOT NULL,
    source text NOT NULL,
    plugin text NOT NULL,
    tier text NOT NULL,
    unit text NOT NULL
);


--
-- Name: series_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.series ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.series_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: signal; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.signal (
    n integer NOT NULL,
    hash text NOT NULL,
    text text NOT NULL
);


--
-- Name: starter_grant; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.starter_grant (
    account text NOT NULL,
    origin text NOT NULL,
    granted_at timestamp(3) with time zone NOT NULL
);


--
-- Name: stripe_event; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.stripe_event (
    id text NOT NULL,
    type text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    received_at timestamp(3) with time zone NOT NULL
);


--
-- Name: subscription; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.subscription (
    id text NOT NULL,
    card_order text,
    account text,
    customer text,
    tier text,
    price text,
    state text NOT NULL,
    period_ends timestamp(3) with time zone,
    told_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT subscription_state_check CHECK ((state = ANY (ARRAY['active'::text, 'past_due'::text, 'canceling'::text, 'ended'::text])))
);


--
-- Name: topup_quote; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.topup_quote (
    id text NOT NULL,
    account text NOT NULL,
    wallet text NOT NULL,
    chain bigint NOT NULL,
    token text NOT NULL,
    deposit_address text NOT NULL,
    units bigint NOT NULL,
    state text DEFAULT 'open'::text NOT NULL,
    idempotency_key text,
    request_sha256 text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT topup_quote_state_check CHECK ((state = ANY (ARRAY['open'::text, 'expired'::text, 'credited'::text]))),
    CONSTRAINT topup_quote_units_check CHECK ((units > 0))
);


--
-- Name: tree_level; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.tree_level (
    batch integer NOT NULL,
    level integer NOT NULL,
    hashes bytea NOT NULL
);
ALTER TABLE ONLY public.tree_level ALTER COLUMN hashes SET STORAGE EXTERNAL;


--
-- Name: unfinished; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.unfinished (
    run text NOT NULL,
    rows bytea NOT NULL
);


--
-- Name: usage; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.usage (
    day date NOT NULL,
    subject text NOT NULL,
    calls bigint NOT NULL
);


--
-- Name: wallet; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.wallet (
    account text NOT NULL,
    address text NOT NULL,
    delegated boolean NOT NULL,
    verified_at timestamp(3) with time zone NOT NULL
);


--
-- Name: wallet_challenge; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.wallet_challenge (
    nonce_hash text NOT NULL,
    account text NOT NULL,
    wallet text NOT NULL,
    message text NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    used_at timestamp(3) with time zone
);


--
-- Name: x402_sale; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.x402_sale (
    id text NOT NULL,
    network text NOT NULL,
    asset text NOT NULL,
    payer text NOT NULL,
    nonce text NOT NULL,
    recipient text NOT NULL,
    amount bigint NOT NULL,
    valid_after bigint NOT NULL,
    valid_before bigint NOT NULL,
    signature text NOT NULL,
    payment_id text,
    product_key text NOT NULL,
    payload_sha256 text NOT NULL,
    checkpoint jsonb,
    state text NOT NULL,
    lease_until timestamp(3) with time zone NOT NULL,
    since_block bigint NOT NULL,
    tx text,
    raw text,
    reason text,
    message text,
    created_at timestamp(3) with time zone NOT NULL,
    settled_at timestamp(3) with time zone,
    final_at timestamp(3) with time zone,
    lost_at timestamp(3) with time zone,
    CONSTRAINT x402_sale_amount_check CHECK ((amount > 0)),
    CONSTRAINT x402_sale_check CHECK (((state <> 'settled'::text) OR ((tx IS NOT NULL) AND (settled_at IS NOT NULL)))),
    CONSTRAINT x402_sale_state_check CHECK ((state = ANY (ARRAY['reserved'::text, 'settling'::text, 'settled'::text, 'failed'::text])))
);


--
-- Name: observation_2026_08; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.observation ATTACH PARTITION public.observation_2026_08 FOR VALUES FROM ('2026-08-01 00:00:00+00') TO ('2026-09-01 00:00:00+00');


--
-- Name: observation_2026_09; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.observation ATTACH PARTITION public.observation_2026_09 FOR VALUES FROM ('2026-09-01 00:00:00+00') TO ('2026-10-01 00:00:00+00');


--
-- Name: observation_2026_10; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.observation ATTACH PARTITION public.observation_2026_10 FOR VALUES FROM ('2026-10-01 00:00:00+00') TO ('2026-11-01 00:00:00+00');


--
-- Data for Name: account; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.account VALUES
	('acc_cecfce48d0f14aab50387291', 'made earlier', NULL, 5000000, 0, 'free', '2026-09-08 12:00:00+00');


--
-- Data for Name: analysis; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: anchor; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: anchor_failure; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: api_key; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.api_key VALUES
	('a5df2d850528dabfa671a5406ed5943bbdac8b6dac6ccb9b9bf12bb3418abda7', 'acc_cecfce48d0f14aab50387291', '2026-09-08 12:00:00+00', NULL);


--
-- Data for Name: batch; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.batch OVERRIDING SYSTEM VALUE VALUES
	(1, '2026-09-05', '2026-09-06 08:00:00+00', 'e93a0769-4805-46fc-a86d-967a798cecaf', '2026-09-06 08:10:00+00', '2026-09-06 08:00:00+00', false, 'eade68c8a18286c0b6bfb9ea3ea77e5b309bbc76cdcb334ee87c92ceebf3d882', 3, 2, 0, 0, 0, '[]', 0),
	(2, '2026-09-06', '2026-09-07 08:00:00+00', 'e93a0769-4805-46fc-a86d-967a798cecaf', '2026-09-07 08:10:00+00', '2026-09-07 08:00:00+00', false, '99a283e6af721b049a0e0a387e21cefce2c99fbfe945f07e575f7fe0a3f0e492', 5, 2, 1, 1, 0, '[]', 1),
	(3, '2026-09-07', '2026-09-08 08:00:00+00', 'e93a0769-4805-46fc-a86d-967a798cecaf', '2026-09-08 08:10:00+00', '2026-09-08 08:00:00+00', false, 'ffd938cbb1f0f8b44b4f2ae78889cf2c18e442b01b9b2cfb8f79c2aaaf4ed1cb', 3, 2, 0, 0, 0, '[]', 3);


--
-- Data for Name: blob; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.blob VALUES
	('958a15f0fb34fc0d3d8ef300b3bc2029dc4d4997e15c8b633e3e10cb58683d2b', '\x28b52ffd200c6100005b3130352c3230352c31325d'),
	('4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945', '\x28b52ffd20021100005b5d'),
	('3a5512035d6ac07a4e50a9e73b04af3d971d669a25a0d1deaf9aaf8a40b620d1', '\x28b52ffd200c6100005b3130362c3230362c31335d'),
	('b67f4c5c443180389ed2ad10a59bfbac6a8968885e367945d33fa8dbae071f3b', '\x28b52ffd20073900005b3333332c385d'),
	('bc310878d66bf949b4b6cb745e23d42783251c46e2ff693c486813b9b0314d2d', '\x28b52ffd200c6100005b3130372c3230372c31345d'),
	('f287dc62666eb3e649c68903432345f08f7784cb6b527c7edf13b285b55f6b58', '\x28b52ffd200c6100005b3130382c3230382c31355d');


--
-- Data for Name: card_order; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: card_payment; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: card_refund; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: chain_cursor; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: chain_transfer; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: checkpoint; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.checkpoint VALUES
	(1, '3901e64f1bfc0bbde41ef52c11d9ba8b874471fa659f3998636f3f138818ee14', 'log.example.net/log
1
OQHmTxv8C73kHvUsEdm6i4dEcfplnzmYY28/E4gY7hQ=
time 2026-09-06T08:00:00Z

— log.example.net/log djXUp0DQbKY8l+9IonQkvQhpJo5ZbEHOQzGn8i7B83MaUnAgWYc8JqVQEHfyYZsFZD79133FnlSQcM2dBPTYhgIrewQ=
', '2026-09-06 08:00:00+00'),
	(3, '2dd0c86b9cf39c4eaab61fa15e9460801e797673f3ceef4e34cb1627b3efc10c', 'log.example.net/log
3
LdDIa5zznE6qth+hXpRggB55dnPzzu9ONMsWJ7PvwQw=
time 2026-09-07T08:00:00Z

— log.example.net/log djXUp8SppHMQrsVUefngiAH0iVMj7ahhf06pM8Ae+f2QRKsfhVV2Tjk/aehHZz8FpGVeD2ewqPF5zXtJ95MGcWTirws=
', '2026-09-07 08:00:00+00'),
	(4, '63ae73c136e2aef1927fb11e6a67f47ec6b21868dc1432d32a14d5a053380a46', 'log.example.net/log
4
Y65zwTbirvGSf7Eeamf0fsayGGjcFDLTKhTVoFM4CkY=
time 2026-09-08T08:00:00Z

— log.example.net/log djXUp4OrccBUGA058MrGLuyqG3zCJ9T4G+YlqxVo+l4rC79NfoBpvhgHuWuPRaNC8XqnvICI+CuZCIuO31Yt+LawtwA=
', '2026-09-08 08:00:00+00');


--
-- Data for Name: code; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: daily; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.daily VALUES
	(1, '2026-09-05', 0, 1, '2026-09-05 11:00:00+00', 205, NULL, 2, 'https://stats.example.net/v1/nodes', '2026-09-05 12:00:00+00', false, 'f16a231bbd56041d7c4d8c78f94849684a2a0a3489f3fe978ad646c579fc0b9b', 1),
	(2, '2026-09-05', 0, 1, '2026-09-05 11:00:00+00', 12, NULL, 1, 'https://stats.example.net/v1/nodes', '2026-09-05 12:00:00+00', false, '7a4d9acfc2654188f29d38a14b254319057a44ba2a1516151f21c361c330ec61', 1),
	(1, '2026-09-06', 0, 1, '2026-09-06 11:00:00+00', 206, NULL, 2, 'https://stats.example.net/v1/nodes', '2026-09-06 12:00:00+00', false, '425acd30d4b9fe6cc28fd5d83071556c4862ec5bab4e14ad0c17934c96d63bbb', 2),
	(2, '2026-09-06', 0, 1, '2026-09-06 11:00:00+00', 13, NULL, 1, 'https://stats.example.net/v1/nodes', '2026-09-06 12:00:00+00', false, '6a1f6d9fbb071878232bb0784c0d1b2521d2ab7c4ebbd5f3a99d94295cf6e590', 2),
	(1, '2026-09-05', 0, 2, '2026-09-05 11:00:00+00', 205, NULL, 2, 'https://stats.example.net/v1/nodes', '2026-09-06 12:00:00+00', false, '05746c6d98a5e8d6d57a9a3e7854afae005fdd2be63f365806098d120d8a3395', 2),
	(2, '2026-09-05', 0, 2, '2026-09-05 12:00:00+00', 8, NULL, 2, 'https://stats.example.net/v1/nodes', '2026-09-06 12:00:00+00', false, '1c2ff1e3f99b1c88776f01941a1590a8dd3d71821c98fc5a7c8edaf098dbd213', 2),
	(1, '2026-09-07', 0, 1, '2026-09-07 11:00:00+00', 207, NULL, 0, 'https://stats.example.net/v1/nodes', '2026-09-07 12:00:00+00', false, NULL, NULL),
	(2, '2026-09-07', 0, 1, '2026-09-07 11:00:00+00', 14, NULL, 1, 'https://stats.example.net/v1/nodes', '2026-09-07 12:00:00+00', false, '01ce8d1d36f4f95eb03f418934c4170efcef6ddfe130c8de5da6c878215bf108', 3),
	(1, '2026-09-07', 1, 1, '2026-09-07 11:00:00+00', 207, NULL, 2, 'https://stats.example.net/v1/nodes', '2026-09-07 12:00:00+00', false, 'fe449fac7232d3f6be7a15c55117d7eeb7222a7361f840131df156c49f1663cd', 3),
	(1, '2026-09-08', 0, 1, '2026-09-08 11:00:00+00', 208, NULL, 2, 'https://stats.example.net/v1/nodes', '2026-09-08 12:00:00+00', false, NULL, NULL),
	(2, '2026-09-08', 0, 1, '2026-09-08 11:00:00+00', 15, NULL, 1, 'https://stats.example.net/v1/nodes', '2026-09-08 12:00:00+00', false, NULL, NULL);


--
-- Data for Name: document; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.document VALUES
	('ea21d76ce52dec6551c8a537b873520a9cd3d93bb40f48ff5ef834f0b38c2629', 'revisions', '1-1', 'application/json', '[{"after_text":null,"after_value":333,"as_of":"2026-09-05T10:00:00Z","before_text":null,"before_value":105,"id":1,"metric":"nodes_online","recorded_at":"2026-09-06T12:00:00Z","run":"run-00000003","source":"test_feed","symbol":"FIL","version":2,"why":"the upstream restated it"}]', '2026-09-07 08:00:00+00');


--
-- Data for Name: encoder_key; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: exchange; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.exchange VALUES
	('run-00000001', 0, 'GET', 'https://stats.example.net/v1/nodes', NULL, '2026-09-05 12:00:00+00', 200, '{}', '958a15f0fb34fc0d3d8ef300b3bc2029dc4d4997e15c8b633e3e10cb58683d2b', 12, false),
	('run-00000002', 0, 'GET', 'https://stats.example.net/v1/nodes', NULL, '2026-09-06 12:00:00+00', 200, '{}', '3a5512035d6ac07a4e50a9e73b04af3d971d669a25a0d1deaf9aaf8a40b620d1', 12, false),
	('run-00000003', 0, 'GET', 'https://stats.example.net/v1/nodes', NULL, '2026-09-06 12:00:00+00', 200, '{}', 'b67f4c5c443180389ed2ad10a59bfbac6a8968885e367945d33fa8dbae071f3b', 7, false),
	('run-00000004', 0, 'GET', 'https://stats.example.net/v1/nodes', NULL, '2026-09-07 12:00:00+00', 200, '{}', 'bc310878d66bf949b4b6cb745e23d42783251c46e2ff693c486813b9b0314d2d', 12, false),
	('run-00000005', 0, 'GET', 'https://stats.example.net/v1/nodes', NULL, '2026-09-08 12:00:00+00', 200, '{}', 'f287dc62666eb3e649c68903432345f08f7784cb6b527c7edf13b285b55f6b58', 12, false);


--
-- Data for Name: exclusion; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.exclusion VALUES
	(1, '2026-09-07 10:00:00+00', 1, 1),
	(1, '2026-09-07 11:00:00+00', 1, 1);


--
-- Data for Name: fact; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.fact VALUES
	('mode', 'live'),
	('log_origin', 'log.example.net/log'),
	('revisions_logged', '1');


--
-- Data for Name: happened; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.happened OVERRIDING SYSTEM VALUE VALUES
	(1, 'batch', 1, NULL, 'closed'),
	(2, 'revision', 1, NULL, 'revised'),
	(3, 'batch', 2, NULL, 'closed'),
	(4, 'incident', 1, NULL, 'open'),
	(5, 'batch', 3, NULL, 'closed');


--
-- Data for Name: incident; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.incident OVERRIDING SYSTEM VALUE VALUES
	(1, 'manual', 'FIL', 'nodes_online', 'test_feed', '2026-09-07 00:00:00+00', '2026-09-07 23:00:00+00', 'a test of incidents', '2026-09-07 12:00:00+00', NULL, NULL);


--
-- Data for Name: latest; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.latest VALUES
	(1, '2026-09-08 11:00:00+00', 208, NULL, 'https://stats.example.net/v1/nodes', '2026-09-08 12:00:00+00', '2026-09-08 12:00:00+00', 'run-00000005', false, NULL),
	(2, '2026-09-08 11:00:00+00', 15, NULL, 'https://stats.example.net/v1/nodes', '2026-09-08 12:00:00+00', '2026-09-08 12:00:00+00', 'run-00000005', false, NULL);


--
-- Data for Name: leaf; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.leaf VALUES
	(1, 0, 1, '2026-09-05', 0, 1, '{"as_of":"2026-09-05T11:00:00Z","day":"2026-09-05","kind":"reading","metric":"nodes_online","n_observations":2,"readings_sha256":"f16a231bbd56041d7c4d8c78f94849684a2a0a3489f3fe978ad646c579fc0b9b","recorded_at":"2026-09-05T12:00:00Z","source":"test_feed","symbol":"FIL","unit":"count","v":"service-leaf-v1","value":205,"verify_url":"https://stats.example.net/v1/nodes","version":1}', '\x14418e0650bb75af7f3f9e7dc1721078ad94d0de563a6b7ba1008281111ff953'),
	(1, 1, 2, '2026-09-05', 0, 1, '{"as_of":"2026-09-05T11:00:00Z","day":"2026-09-05","kind":"reading","metric":"nodes_online","n_observations":1,"readings_sha256":"7a4d9acfc2654188f29d38a14b254319057a44ba2a1516151f21c361c330ec61","recorded_at":"2026-09-05T12:00:00Z","source":"test_feed","symbol":"STORJ","unit":"count","v":"service-leaf-v1","value":12,"verify_url":"https://stats.example.net/v1/nodes","version":1}', '\x8f3ca7529e2a83c14dd9b234242aa8603c66a88cfedbb73476639d685913bc26'),
	(1, 2, NULL, '2026-09-05', 0, 1, '{"cut_off":"2026-09-06T08:00:00Z","day":"2026-09-05","kind":"absent","n_series":0,"series_sha256":"4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945","v":"service-leaf-v1"}', '\x3e9731509b8b13a2651880dedfa2bf009d732ef28a2d241d7606644153dd137e'),
	(2, 0, 1, '2026-09-05', 0, 2, '{"as_of":"2026-09-05T11:00:00Z","day":"2026-09-05","follows":"14418e0650bb75af7f3f9e7dc1721078ad94d0de563a6b7ba1008281111ff953","kind":"revision","metric":"nodes_online","n_observations":2,"readings_sha256":"05746c6d98a5e8d6d57a9a3e7854afae005fdd2be63f365806098d120d8a3395","recorded_at":"2026-09-06T12:00:00Z","source":"test_feed","symbol":"FIL","unit":"count","v":"service-leaf-v1","value":205,"verify_url":"https://stats.example.net/v1/nodes","version":2}', '\x5b333ef47b813649be61119c6ff25051c8265599e4f830f62db3bdabd7956df2'),
	(2, 2, 2, '2026-09-05', 0, 2, '{"as_of":"2026-09-05T12:00:00Z","day":"2026-09-05","follows":"8f3ca7529e2a83c14dd9b234242aa8603c66a88cfedbb73476639d685913bc26","kind":"late","metric":"nodes_online","n_observations":2,"readings_sha256":"1c2ff1e3f99b1c88776f01941a1590a8dd3d71821c98fc5a7c8edaf098dbd213","recorded_at":"2026-09-06T12:00:00Z","source":"test_feed","symbol":"STORJ","unit":"count","v":"service-leaf-v1","value":8,"verify_url":"https://stats.example.net/v1/nodes","version":2}', '\xc64edd99625f9fba9302e90a12fb587b96b4e700207660222d3f55a2784d8935'),
	(2, 1, 1, '2026-09-06', 0, 1, '{"as_of":"2026-09-06T11:00:00Z","day":"2026-09-06","kind":"reading","metric":"nodes_online","n_observations":2,"readings_sha256":"425acd30d4b9fe6cc28fd5d83071556c4862ec5bab4e14ad0c17934c96d63bbb","recorded_at":"2026-09-06T12:00:00Z","source":"test_feed","symbol":"FIL","unit":"count","v":"service-leaf-v1","value":206,"verify_url":"https://stats.example.net/v1/nodes","version":1}', '\x1871f97a15e5719788fcb7f7e8f30514901736de043b887437ed98a6260acb58'),
	(2, 3, 2, '2026-09-06', 0, 1, '{"as_of":"2026-09-06T11:00:00Z","day":"2026-09-06","kind":"reading","metric":"nodes_online","n_observations":1,"readings_sha256":"6a1f6d9fbb071878232bb0784c0d1b2521d2ab7c4ebbd5f3a99d94295cf6e590","recorded_at":"2026-09-06T12:00:00Z","source":"test_feed","symbol":"STORJ","unit":"count","v":"service-leaf-v1","value":13,"verify_url":"https://stats.example.net/v1/nodes","version":1}', '\x7d2d208b93cc2b01f716955b833089cb24aab9d34790cae252be78ccb9fef93c'),
	(2, 4, NULL, '2026-09-06', 0, 1, '{"cut_off":"2026-09-07T08:00:00Z","day":"2026-09-06","kind":"absent","n_series":0,"series_sha256":"4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945","v":"service-leaf-v1"}', '\xf201f67ee0841fa705b2877f07a21d9dd98bc62fc00d6d0da089b331a943c4f9'),
	(3, 0, 1, '2026-09-07', 1, 1, '{"as_of":"2026-09-07T11:00:00Z","day":"2026-09-07","excluded_by":1,"kind":"reading","metric":"nodes_online","n_observations":2,"readings_sha256":"fe449fac7232d3f6be7a15c55117d7eeb7222a7361f840131df156c49f1663cd","recorded_at":"2026-09-07T12:00:00Z","source":"test_feed","symbol":"FIL","unit":"count","v":"service-leaf-v1","value":207,"verify_url":"https://stats.example.net/v1/nodes","version":1}', '\xaefc5219478550fac5fc3faf6f512dafbdea6aae16a33a42a737be4ae473ceb0'),
	(3, 1, 2, '2026-09-07', 0, 1, '{"as_of":"2026-09-07T11:00:00Z","day":"2026-09-07","kind":"reading","metric":"nodes_online","n_observations":1,"readings_sha256":"01ce8d1d36f4f95eb03f418934c4170efcef6ddfe130c8de5da6c878215bf108","recorded_at":"2026-09-07T12:00:00Z","source":"test_feed","symbol":"STORJ","unit":"count","v":"service-leaf-v1","value":14,"verify_url":"https://stats.example.net/v1/nodes","version":1}', '\xce332b817ec934f8053e37e14232b00526f91de08f5b8b109eeb0832ea02e490'),
	(3, 2, NULL, '2026-09-07', 0, 1, '{"cut_off":"2026-09-08T08:00:00Z","day":"2026-09-07","kind":"absent","n_series":0,"series_sha256":"4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945","v":"service-leaf-v1"}', '\xf364d239760baa7096c62cb8d3f2a9805df727f4de0b2e3a9423ebb6be921cfc');


--
-- Data for Name: ledger_entry; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.ledger_entry VALUES
	(1, 'credits:acc_cecfce48d0f14aab50387291', 5000000),
	(1, 'grants', -5000000);


--
-- Data for Name: log_entry; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.log_entry VALUES
	(0, '{"closed_at":"2026-09-06T08:00:00Z","cut_off":"2026-09-06T08:00:00Z","days":["2026-09-05"],"late":false,"n_absent":0,"n_late":0,"n_readings":2,"n_revisions":0,"root":"eade68c8a18286c0b6bfb9ea3ea77e5b309bbc76cdcb334ee87c92ceebf3d882","tree_size":3,"v":"service-batch-v1"}', '\x3901e64f1bfc0bbde41ef52c11d9ba8b874471fa659f3998636f3f138818ee14', '2026-09-06 08:00:00+00'),
	(1, '{"closed_at":"2026-09-07T08:00:00Z","cut_off":"2026-09-07T08:00:00Z","days":["2026-09-06"],"late":false,"n_absent":0,"n_late":1,"n_readings":2,"n_revisions":1,"root":"99a283e6af721b049a0e0a387e21cefce2c99fbfe945f07e575f7fe0a3f0e492","tree_size":5,"v":"service-batch-v1"}', '\x62bceabe0dc427a7d5947d01d4a5be4337cd7772c6bb04283a7bc87cf8dc6bc1', '2026-09-07 08:00:00+00'),
	(2, '{"kind":"revisions","recorded_at":"2026-09-07T08:00:00Z","sha256":"ea21d76ce52dec6551c8a537b873520a9cd3d93bb40f48ff5ef834f0b38c2629","subject":"1-1","v":"service-entry-v1"}', '\x831528c472d4e5b7add0828a8af4794d00e2436be33686257ec0e70237df80b5', '2026-09-07 08:00:00+00'),
	(3, '{"closed_at":"2026-09-08T08:00:00Z","cut_off":"2026-09-08T08:00:00Z","days":["2026-09-07"],"late":false,"n_absent":0,"n_late":0,"n_readings":2,"n_revisions":0,"root":"ffd938cbb1f0f8b44b4f2ae78889cf2c18e442b01b9b2cfb8f79c2aaaf4ed1cb","tree_size":3,"v":"service-batch-v1"}', '\xe2e85207575a88c1d3a5d57dcdeb8233087dd5e39cc562a44d5715bb8d651914', '2026-09-08 08:00:00+00');


--
-- Data for Name: migrations_credits; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.migrations_credits VALUES
	(1, '2026-11-25 19:18:31.627348+00', 'ledger_and_accounts'),
	(2, '2026-11-25 19:18:31.627348+00', 'purchases'),
	(3, '2026-11-25 19:18:31.627348+00', 'usage'),
	(4, '2026-11-25 19:18:31.627348+00', 'cards'),
	(5, '2026-11-25 19:18:31.627348+00', 'stablecoin'),
	(6, '2026-11-25 19:18:31.627348+00', 'card_refunds'),
	(7, '2026-11-25 19:18:31.627348+00', 'encoder_keys');


--
-- Data for Name: migrations_data; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.migrations_data VALUES
	(1, '2026-11-25 19:18:31.575347+00', 'collect_and_keep'),
	(2, '2026-11-25 19:18:31.575347+00', 'count_rows_read'),
	(3, '2026-11-25 19:18:31.575347+00', 'rows_read'),
	(4, '2026-11-25 19:18:31.575347+00', 'unfinished_runs'),
	(5, '2026-11-25 19:18:31.575347+00', 'read_url');


--
-- Data for Name: migrations_log; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.migrations_log VALUES
	(1, '2026-11-25 19:18:31.609105+00', 'batches_and_log'),
	(2, '2026-11-25 19:18:31.609105+00', 'sources_of_runs');


--
-- Data for Name: migrations_products; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.migrations_products VALUES
	(1, '2026-11-25 19:18:31.675104+00', 'signals'),
	(2, '2026-11-25 19:18:31.675104+00', 'analyses');


--
-- Data for Name: migrations_x402; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.migrations_x402 VALUES
	(1, '2026-11-25 19:18:31.666588+00', 'sales');


--
-- Data for Name: observation_2026_08; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: observation_2026_09; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.observation_2026_09 VALUES
	(1, '2026-09-05 10:00:00+00', 1, 105, NULL, '2026-09-05 12:00:00+00', 'run-00000001'),
	(1, '2026-09-05 11:00:00+00', 1, 205, NULL, '2026-09-05 12:00:00+00', 'run-00000001'),
	(2, '2026-09-05 11:00:00+00', 1, 12, NULL, '2026-09-05 12:00:00+00', 'run-00000001'),
	(1, '2026-09-06 10:00:00+00', 1, 106, NULL, '2026-09-06 12:00:00+00', 'run-00000002'),
	(1, '2026-09-06 11:00:00+00', 1, 206, NULL, '2026-09-06 12:00:00+00', 'run-00000002'),
	(2, '2026-09-06 11:00:00+00', 1, 13, NULL, '2026-09-06 12:00:00+00', 'run-00000002'),
	(1, '2026-09-05 10:00:00+00', 2, 333, NULL, '2026-09-06 12:00:00+00', 'run-00000003'),
	(2, '2026-09-05 12:00:00+00', 1, 8, NULL, '2026-09-06 12:00:00+00', 'run-00000003'),
	(1, '2026-09-07 10:00:00+00', 1, 107, NULL, '2026-09-07 12:00:00+00', 'run-00000004'),
	(1, '2026-09-07 11:00:00+00', 1, 207, NULL, '2026-09-07 12:00:00+00', 'run-00000004'),
	(2, '2026-09-07 11:00:00+00', 1, 14, NULL, '2026-09-07 12:00:00+00', 'run-00000004'),
	(1, '2026-09-08 10:00:00+00', 1, 108, NULL, '2026-09-08 12:00:00+00', 'run-00000005'),
	(1, '2026-09-08 11:00:00+00', 1, 208, NULL, '2026-09-08 12:00:00+00', 'run-00000005'),
	(2, '2026-09-08 11:00:00+00', 1, 15, NULL, '2026-09-08 12:00:00+00', 'run-00000005');


--
-- Data for Name: observation_2026_10; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: payload; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: posting; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.posting OVERRIDING SYSTEM VALUE VALUES
	(1, 'starter_grant:acc_cecfce48d0f14aab50387291', 'starter_grant', 'acc_cecfce48d0f14aab50387291', NULL, '2026-09-08 12:00:00+00');


--
-- Data for Name: purchase; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: revision; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.revision OVERRIDING SYSTEM VALUE VALUES
	(1, 1, '2026-09-05 10:00:00+00', 2, 105, NULL, 333, NULL, '2026-09-06 12:00:00+00', 'run-00000003', 'the upstream restated it');


--
-- Data for Name: rows_read; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.rows_read VALUES
	('testnet', 14);


--
-- Data for Name: run; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.run VALUES
	('run-00000001', 'testnet', '2026-09-05 11:59:59+00', '2026-09-05 12:00:00+00', '2026-09-05 11:59:59+00', 'ok', NULL, NULL, '0000000000000000000000000000000000000000000000000000000000000000', '4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945', '{}', 3, '4e3fc32666e0cde7757c65932b21ca6b7cac13ad30d065798b14ca14c4e6b68f', '[]', false, true),
	('run-00000002', 'testnet', '2026-09-06 11:59:59+00', '2026-09-06 12:00:00+00', '2026-09-06 11:59:59+00', 'ok', NULL, NULL, '0000000000000000000000000000000000000000000000000000000000000000', '4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945', '{}', 3, '438cdcfc62e9d63d05c0dca84b78d94035e8ecce97d4b99ee114928bc3146114', '[]', false, true),
	('run-00000003', 'testnet', '2026-09-06 11:59:59+00', '2026-09-06 12:00:00+00', '2026-09-06 11:59:59+00', 'ok', NULL, NULL, '0000000000000000000000000000000000000000000000000000000000000000', '4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945', '{}', 2, '117513e06cadcb7df86d2bb08e1b4c6768fda8bef2d5daf0daaa8ccc78f27eef', '[]', false, true),
	('run-00000004', 'testnet', '2026-09-07 11:59:59+00', '2026-09-07 12:00:00+00', '2026-09-07 11:59:59+00', 'ok', NULL, NULL, '0000000000000000000000000000000000000000000000000000000000000000', '4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945', '{}', 3, '33ae90166385f70c370dcc4343bf5ae7c9c480060e7818a9de9daa3eb6c84dea', '[]', false, true),
	('run-00000005', 'testnet', '2026-09-08 11:59:59+00', '2026-09-08 12:00:00+00', '2026-09-08 11:59:59+00', 'ok', NULL, NULL, '0000000000000000000000000000000000000000000000000000000000000000', '4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945', '{}', 3, '820752a2e98dce0b6d1bc9eb65133088547cadc46e87ce7661074bcde023665d', '[]', false, true);


--
-- Data for Name: series; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.series OVERRIDING SYSTEM VALUE VALUES
	(1, 'FIL', 'nodes_online', 'test_feed', 'testnet', 'supply_telemetry', 'count'),
	(2, 'STORJ', 'nodes_online', 'test_feed', 'testnet', 'supply_telemetry', 'count');


--
-- Data for Name: signal; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: starter_grant; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.starter_grant VALUES
	('acc_cecfce48d0f14aab50387291', 'e5eae14b7f0680595096c07c641152b4563d5179f3d14117ff46ab45b4b87102', '2026-09-08 12:00:00+00');


--
-- Data for Name: stripe_event; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: subscription; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: topup_quote; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: tree_level; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.tree_level VALUES
	(1, 0, '\x14418e0650bb75af7f3f9e7dc1721078ad94d0de563a6b7ba1008281111ff9538f3ca7529e2a83c14dd9b234242aa8603c66a88cfedbb73476639d685913bc263e9731509b8b13a2651880dedfa2bf009d732ef28a2d241d7606644153dd137e'),
	(1, 1, '\x0dc30eeb208acd4dfbf165529f0a994a1abdb82335f86cb03bd124d94e6bda953e9731509b8b13a2651880dedfa2bf009d732ef28a2d241d7606644153dd137e'),
	(1, 2, '\xeade68c8a18286c0b6bfb9ea3ea77e5b309bbc76cdcb334ee87c92ceebf3d882'),
	(2, 0, '\x5b333ef47b813649be61119c6ff25051c8265599e4f830f62db3bdabd7956df21871f97a15e5719788fcb7f7e8f30514901736de043b887437ed98a6260acb58c64edd99625f9fba9302e90a12fb587b96b4e700207660222d3f55a2784d89357d2d208b93cc2b01f716955b833089cb24aab9d34790cae252be78ccb9fef93cf201f67ee0841fa705b2877f07a21d9dd98bc62fc00d6d0da089b331a943c4f9'),
	(2, 1, '\xebbc83497a456f446ccad2fb34e658006ada5bf63dc7aa1107ecad7aca4bbb1119eecba8df6e50accace1993f522f7571a38534c5761d016ef92ee5db41dfa98f201f67ee0841fa705b2877f07a21d9dd98bc62fc00d6d0da089b331a943c4f9'),
	(2, 2, '\x97061e363270da4ac901d777a85bdcccfe85e9f880baf4eaa5bece79ee693548f201f67ee0841fa705b2877f07a21d9dd98bc62fc00d6d0da089b331a943c4f9'),
	(2, 3, '\x99a283e6af721b049a0e0a387e21cefce2c99fbfe945f07e575f7fe0a3f0e492'),
	(3, 0, '\xaefc5219478550fac5fc3faf6f512dafbdea6aae16a33a42a737be4ae473ceb0ce332b817ec934f8053e37e14232b00526f91de08f5b8b109eeb0832ea02e490f364d239760baa7096c62cb8d3f2a9805df727f4de0b2e3a9423ebb6be921cfc'),
	(3, 1, '\x992ae8ad9935415baf995e5ac19d7660836185b846bb0e7f2390a2d269f3ba74f364d239760baa7096c62cb8d3f2a9805df727f4de0b2e3a9423ebb6be921cfc'),
	(3, 2, '\xffd938cbb1f0f8b44b4f2ae78889cf2c18e442b01b9b2cfb8f79c2aaaf4ed1cb');


--
-- Data for Name: unfinished; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: usage; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: wallet; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: wallet_challenge; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: x402_sale; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Name: anchor_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.anchor_id_seq', 1, false);


--
-- Name: batch_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.batch_id_seq', 3, true);


--
-- Name: happened_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.happened_id_seq', 5, true);


--
-- Name: incident_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.incident_id_seq', 1, true);


--
-- Name: posting_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.posting_id_seq', 1, true);


--
-- Name: revision_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.revision_id_seq', 1, true);


--
-- Name: series_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.series_id_seq', 2, true);


--
-- Name: account account_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.account
    ADD CONSTRAINT account_pkey PRIMARY KEY (id);


--
-- Name: analysis analysis_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.analysis
    ADD CONSTRAINT analysis_pkey PRIMARY KEY (symbol);


--
-- Name: anchor_failure anchor_failure_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.anchor_failure
    ADD CONSTRAINT anchor_failure_pkey PRIMARY KEY (size);


--
-- Name: anchor anchor_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.anchor
    ADD CONSTRAINT anchor_pkey PRIMARY KEY (id);


--
-- Name: api_key api_key_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_pkey PRIMARY KEY (hash);


--
-- Name: batch batch_day_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.batch
    ADD CONSTRAINT batch_day_key UNIQUE (day);


--
-- Name: batch batch_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.batch
    ADD CONSTRAINT batch_pkey PRIMARY KEY (id);


--
-- Name: blob blob_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.blob
    ADD CONSTRAINT blob_pkey PRIMARY KEY (sha256);


--
-- Name: card_order card_order_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.card_order
    ADD CONSTRAINT card_order_pkey PRIMARY KEY (id);


--
-- Name: card_order card_order_scope_idempotency_key_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.card_order
    ADD CONSTRAINT card_order_scope_idempotency_key_key UNIQUE (scope, idempotency_key);


--
-- Name: card_order card_order_session_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.card_order
    ADD CONSTRAINT card_order_session_key UNIQUE (session);


--
-- Name: card_payment card_payment_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.card_payment
    ADD CONSTRAINT card_payment_pkey PRIMARY KEY (payment);


--
-- Name: card_refund card_refund_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.card_refund
    ADD CONSTRAINT card_refund_pkey PRIMARY KEY (id);


--
-- Name: chain_cursor chain_cursor_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chain_cursor
    ADD CONSTRAINT chain_cursor_pkey PRIMARY KEY (chain, token, deposit_address);


--
-- Name: chain_transfer chain_transfer_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chain_transfer
    ADD CONSTRAINT chain_transfer_pkey PRIMARY KEY (chain, token, tx, log_index);


--
-- Name: chain_transfer chain_transfer_quote_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chain_transfer
    ADD CONSTRAINT chain_transfer_quote_key UNIQUE (quote);


--
-- Name: checkpoint checkpoint_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.checkpoint
    ADD CONSTRAINT checkpoint_pkey PRIMARY KEY (size);


--
-- Name: code code_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.code
    ADD CONSTRAINT code_pkey PRIMARY KEY (code_hash);


--
-- Name: daily daily_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.daily
    ADD CONSTRAINT daily_pkey PRIMARY KEY (series, day, incident, version);


--
-- Name: document document_kind_subject_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.document
    ADD CONSTRAINT document_kind_subject_key UNIQUE (kind, subject);


--
-- Name: document document_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.document
    ADD CONSTRAINT document_pkey PRIMARY KEY (sha256);


--
-- Name: encoder_key encoder_key_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.encoder_key
    ADD CONSTRAINT encoder_key_pkey PRIMARY KEY (hash);


--
-- Name: encoder_key encoder_key_purchase_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.encoder_key
    ADD CONSTRAINT encoder_key_purchase_key UNIQUE (purchase);


--
-- Name: exchange exchange_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange
    ADD CONSTRAINT exchange_pkey PRIMARY KEY (run, n);


--
-- Name: exclusion exclusion_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exclusion
    ADD CONSTRAINT exclusion_pkey PRIMARY KEY (series, as_of, version, incident);


--
-- Name: fact fact_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.fact
    ADD CONSTRAINT fact_pkey PRIMARY KEY (name);


--
-- Name: happened happened_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.happened
    ADD CONSTRAINT happened_pkey PRIMARY KEY (id);


--
-- Name: incident incident_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.incident
    ADD CONSTRAINT incident_pkey PRIMARY KEY (id);


--
-- Name: latest latest_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.latest
    ADD CONSTRAINT latest_pkey PRIMARY KEY (series);


--
-- Name: ledger_entry ledger_entry_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.ledger_entry
    ADD CONSTRAINT ledger_entry_pkey PRIMARY KEY (posting, account);


--
-- Name: log_entry log_entry_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.log_entry
    ADD CONSTRAINT log_entry_pkey PRIMARY KEY (place);


--
-- Name: migrations_credits migrations_credits_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.migrations_credits
    ADD CONSTRAINT migrations_credits_pkey PRIMARY KEY (migration_id);


--
-- Name: migrations_data migrations_data_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.migrations_data
    ADD CONSTRAINT migrations_data_pkey PRIMARY KEY (migration_id);


--
-- Name: migrations_log migrations_log_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.migrations_log
    ADD CONSTRAINT migrations_log_pkey PRIMARY KEY (migration_id);


--
-- Name: migrations_products migrations_products_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.migrations_products
    ADD CONSTRAINT migrations_products_pkey PRIMARY KEY (migration_id);


--
-- Name: migrations_x402 migrations_x402_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.migrations_x402
    ADD CONSTRAINT migrations_x402_pkey PRIMARY KEY (migration_id);


--
-- Name: observation observation_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.observation
    ADD CONSTRAINT observation_pkey PRIMARY KEY (series, as_of, version);


--
-- Name: observation_2026_08 observation_2026_08_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.observation_2026_08
    ADD CONSTRAINT observation_2026_08_pkey PRIMARY KEY (series, as_of, version);


--
-- Name: observation_2026_09 observation_2026_09_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.observation_2026_09
    ADD CONSTRAINT observation_2026_09_pkey PRIMARY KEY (series, as_of, version);


--
-- Name: observation_2026_10 observation_2026_10_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.observation_2026_10
    ADD CONSTRAINT observation_2026_10_pkey PRIMARY KEY (series, as_of, version);


--
-- Name: payload payload_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.payload
    ADD CONSTRAINT payload_pkey PRIMARY KEY (sha256);


--
-- Name: posting posting_key_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.posting
    ADD CONSTRAINT posting_key_key UNIQUE (key);


--
-- Name: posting posting_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.posting
    ADD CONSTRAINT posting_pkey PRIMARY KEY (id);


--
-- Name: purchase purchase_account_idempotency_key_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.purchase
    ADD CONSTRAINT purchase_account_idempotency_key_key UNIQUE (account, idempotency_key);


--
-- Name: purchase purchase_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.purchase
    ADD CONSTRAINT purchase_pkey PRIMARY KEY (id);


--
-- Name: revision revision_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.revision
    ADD CONSTRAINT revision_pkey PRIMARY KEY (id);


--
-- Name: rows_read rows_read_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.rows_read
    ADD CONSTRAINT rows_read_pkey PRIMARY KEY (plugin);


--
-- Name: run run_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.run
    ADD CONSTRAINT run_pkey PRIMARY KEY (id);


--
-- Name: series series_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.series
    ADD CONSTRAINT series_pkey PRIMARY KEY (id);


--
-- Name: series series_symbol_metric_source_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.series
    ADD CONSTRAINT series_symbol_metric_source_key UNIQUE (symbol, metric, source);


--
-- Name: signal signal_hash_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.signal
    ADD CONSTRAINT signal_hash_key UNIQUE (hash);


--
-- Name: signal signal_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.signal
    ADD CONSTRAINT signal_pkey PRIMARY KEY (n);


--
-- Name: starter_grant starter_grant_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.starter_grant
    ADD CONSTRAINT starter_grant_pkey PRIMARY KEY (account);


--
-- Name: stripe_event stripe_event_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.stripe_event
    ADD CONSTRAINT stripe_event_pkey PRIMARY KEY (id);


--
-- Name: subscription subscription_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.subscription
    ADD CONSTRAINT subscription_pkey PRIMARY KEY (id);


--
-- Name: topup_quote topup_quote_account_idempotency_key_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.topup_quote
    ADD CONSTRAINT topup_quote_account_idempotency_key_key UNIQUE (account, idempotency_key);


--
-- Name: topup_quote topup_quote_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.topup_quote
    ADD CONSTRAINT topup_quote_pkey PRIMARY KEY (id);


--
-- Name: tree_level tree_level_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tree_level
    ADD CONSTRAINT tree_level_pkey PRIMARY KEY (batch, level);


--
-- Name: unfinished unfinished_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.unfinished
    ADD CONSTRAINT unfinished_pkey PRIMARY KEY (run);


--
-- Name: usage usage_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.usage
    ADD CONSTRAINT usage_pkey PRIMARY KEY (day, subject);


--
-- Name: wallet_challenge wallet_challenge_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallet_challenge
    ADD CONSTRAINT wallet_challenge_pkey PRIMARY KEY (nonce_hash);


--
-- Name: wallet wallet_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallet
    ADD CONSTRAINT wallet_pkey PRIMARY KEY (account, address);


--
-- Name: x402_sale x402_sale_network_asset_payer_nonce_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.x402_sale
    ADD CONSTRAINT x402_sale_network_asset_payer_nonce_key UNIQUE (network, asset, payer, nonce);


--
-- Name: x402_sale x402_sale_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.x402_sale
    ADD CONSTRAINT x402_sale_pkey PRIMARY KEY (id);


--
-- Name: anchor_of_checkpoint; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX anchor_of_checkpoint ON public.anchor USING btree (size, id);


--
-- Name: anchor_open; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX anchor_open ON public.anchor USING btree (id) WHERE (state = ANY (ARRAY['pending'::text, 'confirmed'::text]));


--
-- Name: api_key_of_account; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX api_key_of_account ON public.api_key USING btree (account);


--
-- Name: card_order_of_account; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX card_order_of_account ON public.card_order USING btree (account);


--
-- Name: card_refund_of_payment; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX card_refund_of_payment ON public.card_refund USING btree (payment);


--
-- Name: chain_transfer_of_account; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX chain_transfer_of_account ON public.chain_transfer USING btree (account);


--
-- Name: daily_open; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX daily_open ON public.daily USING btree (day) WHERE (sealed_by IS NULL);


--
-- Name: exchange_body; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX exchange_body ON public.exchange USING btree (sha256);


--
-- Name: exclusion_of_incident; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX exclusion_of_incident ON public.exclusion USING btree (incident);


--
-- Name: incident_open; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX incident_open ON public.incident USING btree (symbol, metric) WHERE (closed_at IS NULL);


--
-- Name: leaf_of_row; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX leaf_of_row ON public.leaf USING btree (series, day, incident, version) WHERE (series IS NOT NULL);


--
-- Name: leaf_place; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX leaf_place ON public.leaf USING btree (batch, place);


--
-- Name: ledger_entry_of_account; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX ledger_entry_of_account ON public.ledger_entry USING btree (account);


--
-- Name: posting_of_reference; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX posting_of_reference ON public.posting USING btree (reference);


--
-- Name: purchase_of_account; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX purchase_of_account ON public.purchase USING btree (account, purchased_at DESC, id DESC);


--
-- Name: revision_of_series; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX revision_of_series ON public.revision USING btree (series, as_of);


--
-- Name: run_half_written; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX run_half_written ON public.run USING btree (id) WHERE (NOT complete);


--
-- Name: run_of_plugin; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX run_of_plugin ON public.run USING btree (plugin, id DESC);


--
-- Name: run_of_plugin_by_end; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX run_of_plugin_by_end ON public.run USING btree (plugin, finished_at) INCLUDE (n_rows) WHERE (complete AND (status = 'ok'::text));


--
-- Name: starter_grant_of_origin; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX starter_grant_of_origin ON public.starter_grant USING btree (origin, granted_at);


--
-- Name: subscription_of_account; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX subscription_of_account ON public.subscription USING btree (account);


--
-- Name: topup_quote_amount; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX topup_quote_amount ON public.topup_quote USING btree (chain, token, deposit_address, units) WHERE (state = 'open'::text);


--
-- Name: topup_quote_of_account; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX topup_quote_of_account ON public.topup_quote USING btree (account, created_at DESC);


--
-- Name: topup_quote_of_amount; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX topup_quote_of_amount ON public.topup_quote USING btree (units, created_at DESC);


--
-- Name: wallet_of_address; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX wallet_of_address ON public.wallet USING btree (address);


--
-- Name: x402_sale_failed; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX x402_sale_failed ON public.x402_sale USING btree (payer, created_at) WHERE ((state = 'failed'::text) AND (tx IS NOT NULL));


--
-- Name: x402_sale_not_final; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX x402_sale_not_final ON public.x402_sale USING btree (settled_at) WHERE ((state = 'settled'::text) AND (final_at IS NULL));


--
-- Name: x402_sale_open; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX x402_sale_open ON public.x402_sale USING btree (lease_until) WHERE (state = ANY (ARRAY['reserved'::text, 'settling'::text]));


--
-- Name: x402_sale_payment_id; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX x402_sale_payment_id ON public.x402_sale USING btree (payer, payment_id) WHERE (payment_id IS NOT NULL);


--
-- Name: observation_2026_08_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.observation_pkey ATTACH PARTITION public.observation_2026_08_pkey;


--
-- Name: observation_2026_09_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.observation_pkey ATTACH PARTITION public.observation_2026_09_pkey;


--
-- Name: observation_2026_10_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.observation_pkey ATTACH PARTITION public.observation_2026_10_pkey;


--
-- Name: anchor anchor_moved; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER anchor_moved AFTER UPDATE OF state ON public.anchor FOR EACH ROW WHEN ((old.state <> new.state)) EXECUTE FUNCTION public.anchor_moved();


--
-- Name: ledger_entry append_only; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.ledger_entry FOR EACH STATEMENT EXECUTE FUNCTION public.ledger_is_append_only();


--
-- Name: posting append_only; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.posting FOR EACH STATEMENT EXECUTE FUNCTION public.ledger_is_append_only();


--
-- Name: ledger_entry balanced; Type: TRIGGER; Schema: public; Owner: -
--

CREATE CONSTRAINT TRIGGER balanced AFTER INSERT ON public.ledger_entry DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.posting_is_balanced();


--
-- Name: batch batch_closed; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER batch_closed AFTER UPDATE OF closed_at ON public.batch FOR EACH ROW WHEN (((old.closed_at IS NULL) AND (new.closed_at IS NOT NULL))) EXECUTE FUNCTION public.it_happened('closed');


--
-- Name: incident incident_closed; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER incident_closed AFTER UPDATE OF closed_at ON public.incident FOR EACH ROW WHEN (((old.closed_at IS NULL) AND (new.closed_at IS NOT NULL))) EXECUTE FUNCTION public.it_happened('closed');


--
-- Name: incident incident_opened; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER incident_opened AFTER INSERT ON public.incident FOR EACH ROW EXECUTE FUNCTION public.it_happened('open');


--
-- Name: revision revision_made; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER revision_made AFTER INSERT ON public.revision FOR EACH ROW EXECUTE FUNCTION public.it_happened('revised');


--
-- Name: run run_is_complete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER run_is_complete AFTER UPDATE OF complete ON public.run FOR EACH ROW WHEN ((new.complete AND (NOT old.complete) AND (new.status = 'ok'::text))) EXECUTE FUNCTION public.count_rows_read();


--
-- Name: signal signal_is_append_only; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER signal_is_append_only BEFORE DELETE OR UPDATE ON public.signal FOR EACH ROW EXECUTE FUNCTION public.signal_stays();


--
-- Name: anchor_failure anchor_failure_size_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.anchor_failure
    ADD CONSTRAINT anchor_failure_size_fkey FOREIGN KEY (size) REFERENCES public.checkpoint(size);


--
-- Name: anchor anchor_size_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.anchor
    ADD CONSTRAINT anchor_size_fkey FOREIGN KEY (size) REFERENCES public.checkpoint(size);


--
-- Name: api_key api_key_account_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_account_fkey FOREIGN KEY (account) REFERENCES public.account(id);


--
-- Name: card_order card_order_account_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.card_order
    ADD CONSTRAINT card_order_account_fkey FOREIGN KEY (account) REFERENCES public.account(id);


--
-- Name: card_payment card_payment_account_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.card_payment
    ADD CONSTRAINT card_payment_account_fkey FOREIGN KEY (account) REFERENCES public.account(id);


--
-- Name: card_payment card_payment_card_order_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.card_payment
    ADD CONSTRAINT card_payment_card_order_fkey FOREIGN KEY (card_order) REFERENCES public.card_order(id);


--
-- Name: card_refund card_refund_payment_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.card_refund
    ADD CONSTRAINT card_refund_payment_fkey FOREIGN KEY (payment) REFERENCES public.card_payment(payment);


--
-- Name: chain_transfer chain_transfer_account_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chain_transfer
    ADD CONSTRAINT chain_transfer_account_fkey FOREIGN KEY (account) REFERENCES public.account(id);


--
-- Name: chain_transfer chain_transfer_quote_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.chain_transfer
    ADD CONSTRAINT chain_transfer_quote_fkey FOREIGN KEY (quote) REFERENCES public.topup_quote(id);


--
-- Name: daily daily_series_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.daily
    ADD CONSTRAINT daily_series_fkey FOREIGN KEY (series) REFERENCES public.series(id);


--
-- Name: encoder_key encoder_key_purchase_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.encoder_key
    ADD CONSTRAINT encoder_key_purchase_fkey FOREIGN KEY (purchase) REFERENCES public.purchase(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: exchange exchange_run_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exchange
    ADD CONSTRAINT exchange_run_fkey FOREIGN KEY (run) REFERENCES public.run(id);


--
-- Name: exclusion exclusion_incident_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exclusion
    ADD CONSTRAINT exclusion_incident_fkey FOREIGN KEY (incident) REFERENCES public.incident(id);


--
-- Name: exclusion exclusion_series_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.exclusion
    ADD CONSTRAINT exclusion_series_fkey FOREIGN KEY (series) REFERENCES public.series(id);


--
-- Name: latest latest_series_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.latest
    ADD CONSTRAINT latest_series_fkey FOREIGN KEY (series) REFERENCES public.series(id);


--
-- Name: leaf leaf_batch_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.leaf
    ADD CONSTRAINT leaf_batch_fkey FOREIGN KEY (batch) REFERENCES public.batch(id);


--
-- Name: ledger_entry ledger_entry_posting_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.ledger_entry
    ADD CONSTRAINT ledger_entry_posting_fkey FOREIGN KEY (posting) REFERENCES public.posting(id);


--
-- Name: observation observation_series_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE public.observation
    ADD CONSTRAINT observation_series_fkey FOREIGN KEY (series) REFERENCES public.series(id);


--
-- Name: purchase purchase_account_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.purchase
    ADD CONSTRAINT purchase_account_fkey FOREIGN KEY (account) REFERENCES public.account(id);


--
-- Name: purchase purchase_payload_sha256_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.purchase
    ADD CONSTRAINT purchase_payload_sha256_fkey FOREIGN KEY (payload_sha256) REFERENCES public.payload(sha256);


--
-- Name: revision revision_series_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.revision
    ADD CONSTRAINT revision_series_fkey FOREIGN KEY (series) REFERENCES public.series(id);


--
-- Name: starter_grant starter_grant_account_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.starter_grant
    ADD CONSTRAINT starter_grant_account_fkey FOREIGN KEY (account) REFERENCES public.account(id);


--
-- Name: subscription subscription_account_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.subscription
    ADD CONSTRAINT subscription_account_fkey FOREIGN KEY (account) REFERENCES public.account(id);


--
-- Name: subscription subscription_card_order_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.subscription
    ADD CONSTRAINT subscription_card_order_fkey FOREIGN KEY (card_order) REFERENCES public.card_order(id);


--
-- Name: topup_quote topup_quote_account_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.topup_quote
    ADD CONSTRAINT topup_quote_account_fkey FOREIGN KEY (account) REFERENCES public.account(id);


--
-- Name: tree_level tree_level_batch_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tree_level
    ADD CONSTRAINT tree_level_batch_fkey FOREIGN KEY (batch) REFERENCES public.batch(id);


--
-- Name: wallet wallet_account_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallet
    ADD CONSTRAINT wallet_account_fkey FOREIGN KEY (account) REFERENCES public.account(id);


--
-- Name: wallet_challenge wallet_challenge_account_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.wallet_challenge
    ADD CONSTRAINT wallet_challenge_account_fkey FOREIGN KEY (account) REFERENCES public.account(id);


--
-- Name: x402_sale x402_sale_payload_sha256_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.x402_sale
    ADD CONSTRAINT x402_sale_payload_sha256_fkey FOREIGN KEY (payload_sha256) REFERENCES public.payload(sha256);


--
-- PostgreSQL database dump complete
--

\unrestrict yQnKEVaR0XVucs1fZfNfXam3bGOZMN40EHKMbpbeCvNwbSijoLkjYpszAEFAAcU

