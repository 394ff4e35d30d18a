--
-- PostgreSQL database dump
--

\restrict bC29f7ZgsuM5ZNqJzTnPPa3epVkboTOFiK53g2LU0TQMhNdq3CIa2DGt1NJLZyG

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
-- Name: event_is_due(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.event_is_due() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ begin
      insert into event_due (kind, ref) values (tg_argv[0], new.id); return null; end $$;


--
-- Name: incident_changed(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.incident_changed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ begin
      insert into incident_event (incident, event) values (new.id, tg_argv[0]); return null; end $$;


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


--
-- Name: value_changed(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.value_changed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ begin
      new.changed := nextval('value_number'); return new; end $$;


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
-- Name: api_key; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.api_key (
    hash text NOT NULL,
    account text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    ended_at timestamp(3) with time zone,
    id text,
    name text DEFAULT ''::text NOT NULL,
    last_used_at timestamp(3) with time zone
);


--
-- Name: limited_key; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.limited_key (
    hash text NOT NULL,
    id text NOT NULL,
    account text NOT NULL,
    name text NOT NULL,
    scopes text[] NOT NULL,
    buy_per_day bigint,
    created_at timestamp(3) with time zone NOT NULL,
    ended_at timestamp(3) with time zone,
    last_used_at timestamp(3) with time zone,
    CONSTRAINT limited_key_buy_per_day_check CHECK ((buy_per_day > 0))
);


--
-- Name: account_key; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.account_key AS
 SELECT api_key.hash,
    COALESCE(api_key.id, ('key_'::text || "left"(api_key.hash, 16))) AS id,
    api_key.account,
    api_key.name,
    NULL::text[] AS scopes,
    NULL::bigint AS buy_per_day,
    api_key.created_at,
    api_key.ended_at,
    api_key.last_used_at
   FROM public.api_key
UNION ALL
 SELECT limited_key.hash,
    limited_key.id,
    limited_key.account,
    limited_key.name,
    limited_key.scopes,
    limited_key.buy_per_day,
    limited_key.created_at,
    limited_key.ended_at,
    limited_key.last_used_at
   FROM public.limited_key;


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
-- Name: anchor_claim; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.anchor_claim (
    size integer NOT NULL,
    claimed_by text NOT NULL,
    claimed_until timestamp(3) with time zone NOT NULL
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
-- Name: archive_file; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.archive_file (
    name text NOT NULL,
    period text NOT NULL,
    first_day date NOT NULL,
    last_day date NOT NULL,
    last_batch integer NOT NULL,
    rows integer NOT NULL,
    bytes bigint NOT NULL,
    sha256 text NOT NULL,
    log_index integer,
    recorded_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT archive_file_period_check CHECK ((period = ANY (ARRAY['day'::text, 'month'::text, 'year'::text])))
);


--
-- Name: archive_part; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.archive_part (
    key text NOT NULL,
    n integer NOT NULL,
    bytes bytea NOT NULL
);
ALTER TABLE ONLY public.archive_part ALTER COLUMN bytes SET STORAGE EXTERNAL;


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
-- Name: body_removal; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.body_removal
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


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
    payment text,
    received bigint,
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
-- Name: cosignature; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.cosignature (
    size integer NOT NULL,
    witness text NOT NULL,
    line text NOT NULL,
    at timestamp(3) with time zone NOT NULL
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
)
PARTITION BY RANGE (day);


--
-- Name: daily_2026; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.daily_2026 (
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
-- Name: daily_2027; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.daily_2027 (
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
-- Name: event; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.event (
    id bigint NOT NULL,
    kind text NOT NULL,
    symbol text,
    category text,
    at timestamp(3) with time zone NOT NULL,
    body text NOT NULL
);


--
-- Name: event_due; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.event_due (
    id integer NOT NULL,
    kind text NOT NULL,
    ref integer NOT NULL
);


--
-- Name: event_due_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.event_due ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.event_due_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
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
    incident integer NOT NULL,
    since timestamp(3) with time zone
);


--
-- Name: fact; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.fact (
    name text NOT NULL,
    value text NOT NULL
);


--
-- Name: feed_owner; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.feed_owner (
    plugin text NOT NULL,
    epoch integer NOT NULL,
    runner text NOT NULL,
    since timestamp(3) with time zone NOT NULL
);


--
-- Name: feed_state; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.feed_state (
    plugin text NOT NULL,
    epoch integer NOT NULL,
    state jsonb NOT NULL,
    standing jsonb NOT NULL,
    changed_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL
);


--
-- Name: figure; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.figure (
    name text NOT NULL,
    value jsonb NOT NULL,
    computed_at timestamp(3) with time zone NOT NULL
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
-- Name: incident_event; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.incident_event (
    id integer NOT NULL,
    incident integer NOT NULL,
    event text NOT NULL,
    n integer,
    document text,
    log_index integer,
    CONSTRAINT incident_event_event_check CHECK ((event = ANY (ARRAY['opened'::text, 'closed'::text])))
);


--
-- Name: incident_event_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.incident_event ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.incident_event_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
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
-- Name: value_number; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.value_number
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


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
    read_url text,
    changed bigint DEFAULT nextval('public.value_number'::regclass)
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
-- Name: migrations_events; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.migrations_events (
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
-- Name: migrations_versions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.migrations_versions (
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
-- Name: operator_settlement; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.operator_settlement (
    subject text NOT NULL,
    kind text NOT NULL,
    operator text NOT NULL,
    reason text NOT NULL,
    outside text,
    settled_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT operator_settlement_kind_check CHECK ((kind = ANY (ARRAY['refund'::text, 'credit'::text])))
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
    posted_at timestamp(3) with time zone NOT NULL,
    operator text
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
    purchased_at timestamp(3) with time zone NOT NULL,
    key_id text
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
-- Name: signing_key; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.signing_key (
    kid text NOT NULL,
    purpose text NOT NULL,
    public_key bytea NOT NULL,
    announced_at timestamp(3) with time zone NOT NULL,
    not_before timestamp(3) with time zone NOT NULL,
    not_after timestamp(3) with time zone,
    log_index integer,
    CONSTRAINT signing_key_purpose_check CHECK ((purpose = ANY (ARRAY['answers'::text, 'log'::text])))
);


--
-- Name: starter_grant; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.starter_grant (
    account text NOT NULL,
    origin text NOT NULL,
    granted_at timestamp(3) with time zone NOT NULL,
    site text
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
-- Name: subscription_invoice; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.subscription_invoice (
    invoice text NOT NULL,
    subscription text,
    amount bigint,
    payment text,
    paid_at timestamp(3) with time zone NOT NULL
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
-- Name: uptime; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.uptime (
    part text NOT NULL,
    process text NOT NULL,
    up_from timestamp(3) with time zone NOT NULL,
    up_until timestamp(3) with time zone NOT NULL
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
-- Name: version; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.version (
    name text NOT NULL,
    number bigint NOT NULL,
    changed_at timestamp(3) with time zone NOT NULL
);


--
-- Name: version_number; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.version_number
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


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
-- Name: webhook; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.webhook (
    id text NOT NULL,
    account text NOT NULL,
    url text NOT NULL,
    symbol text,
    category text,
    kind text,
    secret_epoch integer DEFAULT 1 NOT NULL,
    previous_until timestamp(3) with time zone,
    state text DEFAULT 'active'::text NOT NULL,
    paused_by text,
    paused_at timestamp(3) with time zone,
    pause_reason text,
    seen bigint NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    failing_since timestamp(3) with time zone,
    retry_at timestamp(3) with time zone,
    delivered_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT webhook_paused_by_check CHECK ((paused_by = ANY (ARRAY['owner'::text, 'service'::text]))),
    CONSTRAINT webhook_state_check CHECK ((state = ANY (ARRAY['active'::text, 'paused'::text])))
);


--
-- Name: webhook_delivery; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.webhook_delivery (
    id text NOT NULL,
    webhook text NOT NULL,
    type text NOT NULL,
    event bigint,
    body text,
    state text DEFAULT 'pending'::text NOT NULL,
    forced boolean DEFAULT false NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    due_at timestamp(3) with time zone NOT NULL,
    give_up_at timestamp(3) with time zone NOT NULL,
    claimed_until timestamp(3) with time zone,
    attempted_at timestamp(3) with time zone,
    status integer,
    error text,
    millis integer,
    CONSTRAINT webhook_delivery_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text])))
);


--
-- Name: witness_trouble; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.witness_trouble (
    witness text NOT NULL,
    message text NOT NULL,
    since timestamp(3) with time zone NOT NULL
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
-- Name: x402_turn; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.x402_turn (
    address text NOT NULL,
    next_nonce integer NOT NULL
);


--
-- Name: daily_2026; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.daily ATTACH PARTITION public.daily_2026 FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');


--
-- Name: daily_2027; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.daily ATTACH PARTITION public.daily_2027 FOR VALUES FROM ('2027-01-01') TO ('2028-01-01');


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
	('acc_2f6c9239fd3f1310f089c029', 'made earlier', NULL, 5000000, 0, 'free', '2026-09-08 12:00:00+00');


--
-- Data for Name: analysis; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: anchor; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: anchor_claim; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: anchor_failure; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: api_key; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.api_key VALUES
	('b1bdde54dd1ad89f6125fe563916491f7579ff75e145bed4720c0460acfaff1d', 'acc_2f6c9239fd3f1310f089c029', '2026-09-08 12:00:00+00', NULL, NULL, '', NULL);


--
-- Data for Name: archive_file; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: archive_part; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: batch; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.batch OVERRIDING SYSTEM VALUE VALUES
	(1, '2026-09-05', '2026-09-06 08:00:00+00', 'd1653ee4-7e97-409f-b9b0-a846e49500b2', '2026-09-06 08:01:00+00', '2026-09-06 08:00:00+00', false, 'ce1b2aeef29e1502d01e786bae6ae57cfb272a8f36debc29673bcf711a55c003', 3, 2, 0, 0, 0, '[]', 0),
	(2, '2026-09-06', '2026-09-07 08:00:00+00', 'd1653ee4-7e97-409f-b9b0-a846e49500b2', '2026-09-07 08:01:00+00', '2026-09-07 08:00:00+00', false, 'e145924852586d40e9fddde9791f46c6296906cc41d5e606ac5235bbc058920f', 5, 2, 1, 1, 0, '[]', 1),
	(3, '2026-09-07', '2026-09-08 08:00:00+00', 'd1653ee4-7e97-409f-b9b0-a846e49500b2', '2026-09-08 08:01:00+00', '2026-09-08 08:00:00+00', false, '65e3143148c5003493f9c56bba9ead699c37b7ccf95c984ad7164d51d52a4e82', 3, 2, 0, 0, 0, '[]', 4);


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
	(1, 'f85a70052f99428795eeaf6520dc693e46f74532b42ea0698b132b82b1b599e5', 'log.example.net/log
1
+FpwBS+ZQoeV7q9lINxpPkb3RTK0LqBpixMrgrG1meU=

— log.example.net/log djXUp6HUAUMD3tPp5L+zRXlSlm2yPnKfk8fk0HiSSpWYYb6o+d+9YMPAKT78+GI1tki6A/XHXj4TuXyTJ4FU18wceQE=
', '2026-09-06 08:00:00+00'),
	(3, '0d6e65e58eaf553472fc333121311485f8156c9b030891bb0269d84f82dc7091', 'log.example.net/log
3
DW5l5Y6vVTRy/DMxITEUhfgVbJsDCJG7AmnYT4LccJE=

— log.example.net/log djXUp0FJKn8zddYWT4XpaEHK7HSrBhfr5g7Y82gFturizUmAD0kRNEPZ7UanRGWQD1JVF6V3L8TsEueB7SCFmf014wA=
', '2026-09-07 08:00:00+00'),
	(5, 'e6d27ccb196b95619a2b5f99febe0f79a379cf4b6aaa8ea8128c391658079bb3', 'log.example.net/log
5
5tJ8yxlrlWGaK1+Z/r4PeaN5z0tqqo6oEow5FlgHm7M=

— log.example.net/log djXUp+0uFh6k3oHnCOaHuRNQrZ2h0q1Pm295SqAa9SS0EFrUgPtonbNmy/xtc8xnX4IT64xQYBuzSl+82o6OEkSK0gY=
', '2026-09-08 08:00:00+00');


--
-- Data for Name: code; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: cosignature; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: daily_2026; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.daily_2026 VALUES
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
-- Data for Name: daily_2027; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: document; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.document VALUES
	('6eb9b3685c6f642c6c4d7948126cca2a5e690eef915fb6331ab3ed45574803c1', 'revisions', '1-1', 'application/json', '{"revisions":[{"after_value":333,"as_of":"2026-09-05T10:00:00Z","before_value":105,"id":1,"metric":"nodes_online","recorded_at":"2026-09-06T12:00:00Z","run":"run-00000003","source":"test_feed","symbol":"FIL","version":2,"why":"the upstream restated it"}],"v":"service-revisions-v2"}', '2026-09-07 08:00:00+00'),
	('8cf83da22a258e55d18a62183c2f24f38da2e7999541a260998826f8d067b87a', 'incidents', '1-1', 'application/json', '{"events":[{"at":"2026-09-07T12:00:00Z","event":"opened","from":"2026-09-07T00:00:00Z","incident":1,"kind":"manual","metric":"nodes_online","n":1,"reason":"a test of incidents","source":"test_feed","symbol":"FIL","to":"2026-09-07T23:00:00Z"}],"v":"service-incidents-v1"}', '2026-09-08 08:00:00+00');


--
-- Data for Name: encoder_key; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: event; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: event_due; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.event_due OVERRIDING SYSTEM VALUE VALUES
	(1, 'day_closed', 1),
	(2, 'revisions', 1),
	(3, 'day_closed', 2),
	(4, 'incident_opened', 1),
	(5, 'day_closed', 3);


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
	(1, '2026-09-07 10:00:00+00', 1, 1, '2026-09-07 12:00:00+00'),
	(1, '2026-09-07 11:00:00+00', 1, 1, '2026-09-07 12:00:00+00');


--
-- Data for Name: fact; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.fact VALUES
	('mode', 'live'),
	('log_origin', 'log.example.net/log'),
	('revisions_logged', '1');


--
-- Data for Name: feed_owner; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: feed_state; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: figure; Type: TABLE DATA; Schema: public; Owner: -
--



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
-- Data for Name: incident_event; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.incident_event OVERRIDING SYSTEM VALUE VALUES
	(1, 1, 'opened', 1, '8cf83da22a258e55d18a62183c2f24f38da2e7999541a260998826f8d067b87a', 3);


--
-- Data for Name: latest; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.latest VALUES
	(1, '2026-09-08 11:00:00+00', 208, NULL, 'https://stats.example.net/v1/nodes', '2026-09-08 12:00:00+00', '2026-09-08 12:00:00+00', 'run-00000005', false, NULL, 16),
	(2, '2026-09-08 11:00:00+00', 15, NULL, 'https://stats.example.net/v1/nodes', '2026-09-08 12:00:00+00', '2026-09-08 12:00:00+00', 'run-00000005', false, NULL, 18);


--
-- Data for Name: leaf; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.leaf VALUES
	(1, 0, 1, '2026-09-05', 0, 1, '{"as_of":"2026-09-05T11:00:00Z","day":"2026-09-05","kind":"reading","metric":"nodes_online","n_observations":2,"readings_sha256":"f16a231bbd56041d7c4d8c78f94849684a2a0a3489f3fe978ad646c579fc0b9b","recorded_at":"2026-09-05T12:00:00Z","source":"test_feed","symbol":"FIL","unit":"count","v":"service-leaf-v2","value":205,"verify_url":"https://stats.example.net/v1/nodes","version":1}', '\xb1ef69a3924bd8d87a3998d508a6404aed4e762feebc20708d7d1610eb72e6d1'),
	(1, 1, 2, '2026-09-05', 0, 1, '{"as_of":"2026-09-05T11:00:00Z","day":"2026-09-05","kind":"reading","metric":"nodes_online","n_observations":1,"readings_sha256":"7a4d9acfc2654188f29d38a14b254319057a44ba2a1516151f21c361c330ec61","recorded_at":"2026-09-05T12:00:00Z","source":"test_feed","symbol":"STORJ","unit":"count","v":"service-leaf-v2","value":12,"verify_url":"https://stats.example.net/v1/nodes","version":1}', '\xb53104d60a96629661e02eeabf28ffa18c2a1b91e352a26b1a5862393b717397'),
	(1, 2, NULL, '2026-09-05', 0, 1, '{"cut_off":"2026-09-06T08:00:00Z","day":"2026-09-05","kind":"absent","n_series":0,"series_sha256":"4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945","v":"service-leaf-v2"}', '\x5e2b7c3dfee2f35f30af5122c8a82839a4f0646d86ad3762b01d53000956d1c1'),
	(2, 0, 1, '2026-09-05', 0, 2, '{"as_of":"2026-09-05T11:00:00Z","day":"2026-09-05","follows":"b1ef69a3924bd8d87a3998d508a6404aed4e762feebc20708d7d1610eb72e6d1","kind":"revision","metric":"nodes_online","n_observations":2,"readings_sha256":"05746c6d98a5e8d6d57a9a3e7854afae005fdd2be63f365806098d120d8a3395","recorded_at":"2026-09-06T12:00:00Z","source":"test_feed","symbol":"FIL","unit":"count","v":"service-leaf-v2","value":205,"verify_url":"https://stats.example.net/v1/nodes","version":2}', '\xc868b2983457cb80c1fc398b995ac771796ef8285d125f7a0d361a4baec260a8'),
	(2, 1, 1, '2026-09-06', 0, 1, '{"as_of":"2026-09-06T11:00:00Z","day":"2026-09-06","kind":"reading","metric":"nodes_online","n_observations":2,"readings_sha256":"425acd30d4b9fe6cc28fd5d83071556c4862ec5bab4e14ad0c17934c96d63bbb","recorded_at":"2026-09-06T12:00:00Z","source":"test_feed","symbol":"FIL","unit":"count","v":"service-leaf-v2","value":206,"verify_url":"https://stats.example.net/v1/nodes","version":1}', '\x6759ec5fb9e76b88b44ff9f0aca71a362744ba010df1a982f48556760f983d69'),
	(2, 2, 2, '2026-09-05', 0, 2, '{"as_of":"2026-09-05T12:00:00Z","day":"2026-09-05","follows":"b53104d60a96629661e02eeabf28ffa18c2a1b91e352a26b1a5862393b717397","kind":"late","metric":"nodes_online","n_observations":2,"readings_sha256":"1c2ff1e3f99b1c88776f01941a1590a8dd3d71821c98fc5a7c8edaf098dbd213","recorded_at":"2026-09-06T12:00:00Z","source":"test_feed","symbol":"STORJ","unit":"count","v":"service-leaf-v2","value":8,"verify_url":"https://stats.example.net/v1/nodes","version":2}', '\xa7286ad4cf249c1ba2c4cd4fe8361af049ad80a2a4cc30cc46f82ae9bf602fca'),
	(2, 3, 2, '2026-09-06', 0, 1, '{"as_of":"2026-09-06T11:00:00Z","day":"2026-09-06","kind":"reading","metric":"nodes_online","n_observations":1,"readings_sha256":"6a1f6d9fbb071878232bb0784c0d1b2521d2ab7c4ebbd5f3a99d94295cf6e590","recorded_at":"2026-09-06T12:00:00Z","source":"test_feed","symbol":"STORJ","unit":"count","v":"service-leaf-v2","value":13,"verify_url":"https://stats.example.net/v1/nodes","version":1}', '\xd3efc8c21a506aef3d4ef8321f418ee733447d92bf957dab78905f127d0f0e8e'),
	(2, 4, NULL, '2026-09-06', 0, 1, '{"cut_off":"2026-09-07T08:00:00Z","day":"2026-09-06","kind":"absent","n_series":0,"series_sha256":"4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945","v":"service-leaf-v2"}', '\x40108e7544685c5166157c4f2a8b783ace6804a8e3a451c1b984818bb8557574'),
	(3, 0, 1, '2026-09-07', 1, 1, '{"as_of":"2026-09-07T11:00:00Z","day":"2026-09-07","excluded_by":1,"kind":"reading","metric":"nodes_online","n_observations":2,"readings_sha256":"fe449fac7232d3f6be7a15c55117d7eeb7222a7361f840131df156c49f1663cd","recorded_at":"2026-09-07T12:00:00Z","source":"test_feed","symbol":"FIL","unit":"count","v":"service-leaf-v2","value":207,"verify_url":"https://stats.example.net/v1/nodes","version":1}', '\x43429e2150324cb8585987fe3609a7f8ab664823e2f700f83647d4cff32aa042'),
	(3, 1, 2, '2026-09-07', 0, 1, '{"as_of":"2026-09-07T11:00:00Z","day":"2026-09-07","kind":"reading","metric":"nodes_online","n_observations":1,"readings_sha256":"01ce8d1d36f4f95eb03f418934c4170efcef6ddfe130c8de5da6c878215bf108","recorded_at":"2026-09-07T12:00:00Z","source":"test_feed","symbol":"STORJ","unit":"count","v":"service-leaf-v2","value":14,"verify_url":"https://stats.example.net/v1/nodes","version":1}', '\xd309f3a3c10384b05b6297068f33d676ba7a58d981b1906922600e89675b82dc'),
	(3, 2, NULL, '2026-09-07', 0, 1, '{"cut_off":"2026-09-08T08:00:00Z","day":"2026-09-07","kind":"absent","n_series":0,"series_sha256":"4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945","v":"service-leaf-v2"}', '\xcdd70d0eb1a53110b24b853072bad061b455303b95b797526c110cde368a7159');


--
-- Data for Name: ledger_entry; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.ledger_entry VALUES
	(1, 'credits:acc_2f6c9239fd3f1310f089c029', 5000000),
	(1, 'grants', -5000000);


--
-- Data for Name: limited_key; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: log_entry; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.log_entry VALUES
	(0, '{"absent_sha256":"4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945","closed_at":"2026-09-06T08:00:00Z","cut_off":"2026-09-06T08:00:00Z","days":["2026-09-05"],"late":false,"n_absent":0,"n_late":0,"n_readings":2,"n_revisions":0,"root":"ce1b2aeef29e1502d01e786bae6ae57cfb272a8f36debc29673bcf711a55c003","tree_size":3,"v":"service-batch-v2"}', '\xf85a70052f99428795eeaf6520dc693e46f74532b42ea0698b132b82b1b599e5', '2026-09-06 08:00:00+00'),
	(1, '{"absent_sha256":"4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945","closed_at":"2026-09-07T08:00:00Z","cut_off":"2026-09-07T08:00:00Z","days":["2026-09-06"],"late":false,"n_absent":0,"n_late":1,"n_readings":2,"n_revisions":1,"root":"e145924852586d40e9fddde9791f46c6296906cc41d5e606ac5235bbc058920f","tree_size":5,"v":"service-batch-v2"}', '\x833b816888a1e9cdb4cb00c2eabfdcc8eb2cc3befbac854b56fe03977466f0b8', '2026-09-07 08:00:00+00'),
	(2, '{"kind":"revisions","recorded_at":"2026-09-07T08:00:00Z","sha256":"6eb9b3685c6f642c6c4d7948126cca2a5e690eef915fb6331ab3ed45574803c1","subject":"1-1","v":"service-entry-v2"}', '\xab9f6f1f2475e02cd41b2029535bef5b609156492c55669f6e2da0f92e885e32', '2026-09-07 08:00:00+00'),
	(3, '{"kind":"incidents","recorded_at":"2026-09-08T08:00:00Z","sha256":"8cf83da22a258e55d18a62183c2f24f38da2e7999541a260998826f8d067b87a","subject":"1-1","v":"service-entry-v2"}', '\x2707ab9fef82cad87df1db3aff68a4f8ef2452940a06f13cb49d507726f8bd25', '2026-09-08 08:00:00+00'),
	(4, '{"absent_sha256":"4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945","closed_at":"2026-09-08T08:00:00Z","cut_off":"2026-09-08T08:00:00Z","days":["2026-09-07"],"late":false,"n_absent":0,"n_late":0,"n_readings":2,"n_revisions":0,"root":"65e3143148c5003493f9c56bba9ead699c37b7ccf95c984ad7164d51d52a4e82","tree_size":3,"v":"service-batch-v2"}', '\xa0083f92607f0816ca5ab9b88f142b040411940de341bbd993c813aad8dd5e87', '2026-09-08 08:00:00+00');


--
-- Data for Name: migrations_credits; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.migrations_credits VALUES
	(1, '2026-11-25 19:18:32.655805+00', 'ledger_and_accounts'),
	(2, '2026-11-25 19:18:32.655805+00', 'purchases'),
	(3, '2026-11-25 19:18:32.655805+00', 'usage'),
	(4, '2026-11-25 19:18:32.655805+00', 'cards'),
	(5, '2026-11-25 19:18:32.655805+00', 'stablecoin'),
	(6, '2026-11-25 19:18:32.655805+00', 'card_refunds'),
	(7, '2026-11-25 19:18:32.655805+00', 'encoder_keys'),
	(8, '2026-11-25 19:18:32.655805+00', 'grants_by_site'),
	(9, '2026-11-25 19:18:32.655805+00', 'limited_keys'),
	(10, '2026-11-25 19:18:32.655805+00', 'subscription_payments'),
	(11, '2026-11-25 19:18:32.655805+00', 'operators_money');


--
-- Data for Name: migrations_data; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.migrations_data VALUES
	(1, '2026-11-25 19:18:32.573472+00', 'collect_and_keep'),
	(2, '2026-11-25 19:18:32.573472+00', 'count_rows_read'),
	(3, '2026-11-25 19:18:32.573472+00', 'rows_read'),
	(4, '2026-11-25 19:18:32.573472+00', 'unfinished_runs'),
	(5, '2026-11-25 19:18:32.573472+00', 'read_url'),
	(6, '2026-11-25 19:18:32.573472+00', 'excluded_since'),
	(7, '2026-11-25 19:18:32.573472+00', 'order_of_open_days'),
	(8, '2026-11-25 19:18:32.573472+00', 'days_by_year'),
	(9, '2026-11-25 19:18:32.573472+00', 'feed_owners'),
	(10, '2026-11-25 19:18:32.573472+00', 'body_removals'),
	(11, '2026-11-25 19:18:32.573472+00', 'order_of_values'),
	(12, '2026-11-25 19:18:32.573472+00', 'uptime'),
	(13, '2026-11-25 19:18:32.573472+00', 'rows_of_found_series');


--
-- Data for Name: migrations_events; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.migrations_events VALUES
	(1, '2026-11-25 19:18:32.748584+00', 'events'),
	(2, '2026-11-25 19:18:32.748584+00', 'webhooks');


--
-- Data for Name: migrations_log; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.migrations_log VALUES
	(1, '2026-11-25 19:18:32.625598+00', 'batches_and_log'),
	(2, '2026-11-25 19:18:32.625598+00', 'sources_of_runs'),
	(3, '2026-11-25 19:18:32.625598+00', 'incident_events'),
	(4, '2026-11-25 19:18:32.625598+00', 'signing_keys'),
	(5, '2026-11-25 19:18:32.625598+00', 'cosignatures'),
	(6, '2026-11-25 19:18:32.625598+00', 'archive'),
	(7, '2026-11-25 19:18:32.625598+00', 'one_anchor_a_checkpoint'),
	(8, '2026-11-25 19:18:32.625598+00', 'witness_trouble'),
	(9, '2026-11-25 19:18:32.625598+00', 'leaves_of_a_held_batch');


--
-- Data for Name: migrations_products; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.migrations_products VALUES
	(1, '2026-11-25 19:18:32.716469+00', 'signals'),
	(2, '2026-11-25 19:18:32.716469+00', 'analyses');


--
-- Data for Name: migrations_versions; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.migrations_versions VALUES
	(1, '2026-11-25 19:18:32.727312+00', 'versions'),
	(2, '2026-11-25 19:18:32.727312+00', 'figures');


--
-- Data for Name: migrations_x402; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.migrations_x402 VALUES
	(1, '2026-11-25 19:18:32.704381+00', 'sales'),
	(2, '2026-11-25 19:18:32.704381+00', 'turns');


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
-- Data for Name: operator_settlement; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: payload; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: posting; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.posting OVERRIDING SYSTEM VALUE VALUES
	(1, 'starter_grant:acc_2f6c9239fd3f1310f089c029', 'starter_grant', 'acc_2f6c9239fd3f1310f089c029', NULL, '2026-09-08 12:00:00+00', NULL);


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
-- Data for Name: signing_key; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.signing_key VALUES
	('--6IM5l0OosLj9yWskISYhUA3n_3CURQkmrYMSha_ck', 'log', '\xea4a6c63e29c520abef5507b132ec5f9954776aebebe7b92421eea691446d22c', '2026-09-01 00:00:00+00', '2026-09-01 00:00:00+00', NULL, NULL),
	('E916XTjJCK82vAibEGGhB3lDV7wANvlLfxiCNTqfo_c', 'answers', '\x1398f62c6d1a457c51ba6a4b5f3dbd2f69fca93216218dc8997e416bd17d93ca', '2026-09-01 00:00:00+00', '2026-09-01 00:00:00+00', NULL, NULL);


--
-- Data for Name: starter_grant; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.starter_grant VALUES
	('acc_2f6c9239fd3f1310f089c029', 'e5eae14b7f0680595096c07c641152b4563d5179f3d14117ff46ab45b4b87102', '2026-09-08 12:00:00+00', NULL);


--
-- Data for Name: stripe_event; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: subscription; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: subscription_invoice; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: topup_quote; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: tree_level; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.tree_level VALUES
	(1, 0, '\xb1ef69a3924bd8d87a3998d508a6404aed4e762feebc20708d7d1610eb72e6d1b53104d60a96629661e02eeabf28ffa18c2a1b91e352a26b1a5862393b7173975e2b7c3dfee2f35f30af5122c8a82839a4f0646d86ad3762b01d53000956d1c1'),
	(1, 1, '\x0bac2515de6338fd23070669e6329c4580af36b3c16d04b26a14838de0d45a4c5e2b7c3dfee2f35f30af5122c8a82839a4f0646d86ad3762b01d53000956d1c1'),
	(1, 2, '\xce1b2aeef29e1502d01e786bae6ae57cfb272a8f36debc29673bcf711a55c003'),
	(2, 0, '\xc868b2983457cb80c1fc398b995ac771796ef8285d125f7a0d361a4baec260a86759ec5fb9e76b88b44ff9f0aca71a362744ba010df1a982f48556760f983d69a7286ad4cf249c1ba2c4cd4fe8361af049ad80a2a4cc30cc46f82ae9bf602fcad3efc8c21a506aef3d4ef8321f418ee733447d92bf957dab78905f127d0f0e8e40108e7544685c5166157c4f2a8b783ace6804a8e3a451c1b984818bb8557574'),
	(2, 1, '\xcaf0724087ccf06790bbaf92c764b096c8f01bc63ea8142ee3f7f97e7426dccf396a0b4ffdc76567cd909b859e708b5969e339a8c784ddaece0c6f6764ac4f2c40108e7544685c5166157c4f2a8b783ace6804a8e3a451c1b984818bb8557574'),
	(2, 2, '\x58066da4fece663a3b26d9b17bea98979449376cc4af11c316a718ed05e5c6c040108e7544685c5166157c4f2a8b783ace6804a8e3a451c1b984818bb8557574'),
	(2, 3, '\xe145924852586d40e9fddde9791f46c6296906cc41d5e606ac5235bbc058920f'),
	(3, 0, '\x43429e2150324cb8585987fe3609a7f8ab664823e2f700f83647d4cff32aa042d309f3a3c10384b05b6297068f33d676ba7a58d981b1906922600e89675b82dccdd70d0eb1a53110b24b853072bad061b455303b95b797526c110cde368a7159'),
	(3, 1, '\xbc0c89b93e7e1d2ea80c66128c8112a73eb24bcde3f058e0a059c0bd26c00c03cdd70d0eb1a53110b24b853072bad061b455303b95b797526c110cde368a7159'),
	(3, 2, '\x65e3143148c5003493f9c56bba9ead699c37b7ccf95c984ad7164d51d52a4e82');


--
-- Data for Name: unfinished; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: uptime; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: usage; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.usage VALUES
	('2026-09-08', 'register:net:1ecba87d7a7d4dddfa559c84f383946b6f68ac844f73e41c7c9f1f78420a1771', 1);


--
-- Data for Name: version; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.version VALUES
	('beginning', 0, '1970-01-01 00:00:00+00'),
	('keys', 2, '1970-01-01 00:00:00+00'),
	('revisions', 6, '2026-09-06 12:00:00+00'),
	('incidents', 9, '2026-09-07 12:00:00+00'),
	('networks', 9, '2026-09-07 12:00:00+00'),
	('log', 10, '2026-09-08 08:00:00+00'),
	('reads', 11, '2026-09-08 12:00:00+00'),
	('runs', 11, '2026-09-08 12:00:00+00'),
	('symbol:FIL', 11, '2026-09-08 12:00:00+00'),
	('symbol:STORJ', 11, '2026-09-08 12:00:00+00'),
	('symbols', 11, '2026-09-08 12:00:00+00');


--
-- Data for Name: wallet; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: wallet_challenge; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: webhook; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: webhook_delivery; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: witness_trouble; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: x402_sale; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: x402_turn; Type: TABLE DATA; Schema: public; Owner: -
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
-- Name: body_removal; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.body_removal', 1, false);


--
-- Name: event_due_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.event_due_id_seq', 5, true);


--
-- Name: happened_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.happened_id_seq', 5, true);


--
-- Name: incident_event_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.incident_event_id_seq', 1, true);


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
-- Name: value_number; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.value_number', 18, true);


--
-- Name: version_number; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.version_number', 11, true);


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
-- Name: anchor_claim anchor_claim_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.anchor_claim
    ADD CONSTRAINT anchor_claim_pkey PRIMARY KEY (size);


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
-- Name: archive_file archive_file_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.archive_file
    ADD CONSTRAINT archive_file_pkey PRIMARY KEY (name);


--
-- Name: archive_part archive_part_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.archive_part
    ADD CONSTRAINT archive_part_pkey PRIMARY KEY (key, n);


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
-- Name: cosignature cosignature_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.cosignature
    ADD CONSTRAINT cosignature_pkey PRIMARY KEY (size, witness, at);


--
-- Name: daily daily_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.daily
    ADD CONSTRAINT daily_pkey PRIMARY KEY (series, day, incident, version);


--
-- Name: daily_2026 daily_2026_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.daily_2026
    ADD CONSTRAINT daily_2026_pkey PRIMARY KEY (series, day, incident, version);


--
-- Name: daily_2027 daily_2027_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.daily_2027
    ADD CONSTRAINT daily_2027_pkey PRIMARY KEY (series, day, incident, version);


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
-- Name: event_due event_due_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.event_due
    ADD CONSTRAINT event_due_pkey PRIMARY KEY (id);


--
-- Name: event event_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.event
    ADD CONSTRAINT event_pkey PRIMARY KEY (id);


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
-- Name: feed_owner feed_owner_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.feed_owner
    ADD CONSTRAINT feed_owner_pkey PRIMARY KEY (plugin);


--
-- Name: feed_state feed_state_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.feed_state
    ADD CONSTRAINT feed_state_pkey PRIMARY KEY (plugin);


--
-- Name: figure figure_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.figure
    ADD CONSTRAINT figure_pkey PRIMARY KEY (name);


--
-- Name: happened happened_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.happened
    ADD CONSTRAINT happened_pkey PRIMARY KEY (id);


--
-- Name: incident_event incident_event_incident_event_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.incident_event
    ADD CONSTRAINT incident_event_incident_event_key UNIQUE (incident, event);


--
-- Name: incident_event incident_event_n_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.incident_event
    ADD CONSTRAINT incident_event_n_key UNIQUE (n);


--
-- Name: incident_event incident_event_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.incident_event
    ADD CONSTRAINT incident_event_pkey PRIMARY KEY (id);


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
-- Name: limited_key limited_key_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.limited_key
    ADD CONSTRAINT limited_key_pkey PRIMARY KEY (hash);


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
-- Name: migrations_events migrations_events_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.migrations_events
    ADD CONSTRAINT migrations_events_pkey PRIMARY KEY (migration_id);


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
-- Name: migrations_versions migrations_versions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.migrations_versions
    ADD CONSTRAINT migrations_versions_pkey PRIMARY KEY (migration_id);


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
-- Name: operator_settlement operator_settlement_outside_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.operator_settlement
    ADD CONSTRAINT operator_settlement_outside_key UNIQUE (outside);


--
-- Name: operator_settlement operator_settlement_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.operator_settlement
    ADD CONSTRAINT operator_settlement_pkey PRIMARY KEY (subject);


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
-- Name: signing_key signing_key_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.signing_key
    ADD CONSTRAINT signing_key_pkey PRIMARY KEY (kid);


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
-- Name: subscription_invoice subscription_invoice_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.subscription_invoice
    ADD CONSTRAINT subscription_invoice_pkey PRIMARY KEY (invoice);


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
-- Name: uptime uptime_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.uptime
    ADD CONSTRAINT uptime_pkey PRIMARY KEY (part, process, up_from);


--
-- Name: usage usage_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.usage
    ADD CONSTRAINT usage_pkey PRIMARY KEY (day, subject);


--
-- Name: version version_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.version
    ADD CONSTRAINT version_pkey PRIMARY KEY (name);


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
-- Name: webhook_delivery webhook_delivery_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhook_delivery
    ADD CONSTRAINT webhook_delivery_pkey PRIMARY KEY (id);


--
-- Name: webhook_delivery webhook_delivery_webhook_event_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhook_delivery
    ADD CONSTRAINT webhook_delivery_webhook_event_key UNIQUE (webhook, event);


--
-- Name: webhook webhook_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhook
    ADD CONSTRAINT webhook_pkey PRIMARY KEY (id);


--
-- Name: witness_trouble witness_trouble_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.witness_trouble
    ADD CONSTRAINT witness_trouble_pkey PRIMARY KEY (witness);


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
-- Name: x402_turn x402_turn_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.x402_turn
    ADD CONSTRAINT x402_turn_pkey PRIMARY KEY (address);


--
-- Name: anchor_of_checkpoint; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX anchor_of_checkpoint ON public.anchor USING btree (size, id);


--
-- Name: anchor_of_size; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX anchor_of_size ON public.anchor USING btree (size) WHERE (state <> 'lost'::text);


--
-- Name: anchor_open; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX anchor_open ON public.anchor USING btree (id) WHERE (state = ANY (ARRAY['pending'::text, 'confirmed'::text]));


--
-- Name: api_key_of_account; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX api_key_of_account ON public.api_key USING btree (account);


--
-- Name: archive_file_of_period; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX archive_file_of_period ON public.archive_file USING btree (period, first_day);


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
-- Name: cosignature_of_witness; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX cosignature_of_witness ON public.cosignature USING btree (witness, size);


--
-- Name: daily_unsealed; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX daily_unsealed ON ONLY public.daily USING btree (series, day, incident, version) WHERE (sealed_by IS NULL);


--
-- Name: daily_2026_series_day_incident_version_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX daily_2026_series_day_incident_version_idx ON public.daily_2026 USING btree (series, day, incident, version) WHERE (sealed_by IS NULL);


--
-- Name: daily_2027_series_day_incident_version_idx; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX daily_2027_series_day_incident_version_idx ON public.daily_2027 USING btree (series, day, incident, version) WHERE (sealed_by IS NULL);


--
-- Name: event_of_symbol; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX event_of_symbol ON public.event USING btree (symbol, id);


--
-- Name: exchange_body; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX exchange_body ON public.exchange USING btree (sha256);


--
-- Name: exclusion_of_incident; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX exclusion_of_incident ON public.exclusion USING btree (incident);


--
-- Name: feed_state_changed; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX feed_state_changed ON public.feed_state USING btree (changed_at);


--
-- Name: incident_event_unlogged; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX incident_event_unlogged ON public.incident_event USING btree (id) WHERE (n IS NULL);


--
-- Name: incident_newest; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX incident_newest ON public.incident USING btree (symbol, id);


--
-- Name: incident_open; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX incident_open ON public.incident USING btree (symbol, metric) WHERE (closed_at IS NULL);


--
-- Name: latest_changed; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX latest_changed ON public.latest USING btree (changed);


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
-- Name: limited_key_of_account; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX limited_key_of_account ON public.limited_key USING btree (account);


--
-- Name: posting_of_reference; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX posting_of_reference ON public.posting USING btree (reference);


--
-- Name: purchase_of_account; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX purchase_of_account ON public.purchase USING btree (account, purchased_at DESC, id DESC);


--
-- Name: revision_newest; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX revision_newest ON public.revision USING btree (series, id);


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
-- Name: signing_key_open; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX signing_key_open ON public.signing_key USING btree (purpose) WHERE (not_after IS NULL);


--
-- Name: starter_grant_of_origin; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX starter_grant_of_origin ON public.starter_grant USING btree (origin, granted_at);


--
-- Name: starter_grant_of_site; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX starter_grant_of_site ON public.starter_grant USING btree (site, granted_at) WHERE (site IS NOT NULL);


--
-- Name: subscription_invoice_of_payment; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX subscription_invoice_of_payment ON public.subscription_invoice USING btree (payment);


--
-- Name: subscription_invoice_of_subscription; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX subscription_invoice_of_subscription ON public.subscription_invoice USING btree (subscription);


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
-- Name: uptime_until; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX uptime_until ON public.uptime USING btree (up_until);


--
-- Name: version_newest; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX version_newest ON public.version USING btree (number);


--
-- Name: wallet_of_address; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX wallet_of_address ON public.wallet USING btree (address);


--
-- Name: webhook_delivery_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX webhook_delivery_due ON public.webhook_delivery USING btree (webhook, due_at) WHERE (state = 'pending'::text);


--
-- Name: webhook_delivery_newest; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX webhook_delivery_newest ON public.webhook_delivery USING btree (webhook, created_at DESC, id DESC);


--
-- Name: webhook_of_account; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX webhook_of_account ON public.webhook USING btree (account, created_at);


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
-- Name: daily_2026_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.daily_pkey ATTACH PARTITION public.daily_2026_pkey;


--
-- Name: daily_2026_series_day_incident_version_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.daily_unsealed ATTACH PARTITION public.daily_2026_series_day_incident_version_idx;


--
-- Name: daily_2027_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.daily_pkey ATTACH PARTITION public.daily_2027_pkey;


--
-- Name: daily_2027_series_day_incident_version_idx; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.daily_unsealed ATTACH PARTITION public.daily_2027_series_day_incident_version_idx;


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
-- Name: anchor event_of_anchor; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER event_of_anchor AFTER UPDATE OF state ON public.anchor FOR EACH ROW WHEN (((old.state = 'pending'::text) AND (new.state = ANY (ARRAY['confirmed'::text, 'final'::text])))) EXECUTE FUNCTION public.event_is_due('anchor_confirmed');


--
-- Name: incident event_of_closing; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER event_of_closing AFTER UPDATE OF closed_at ON public.incident FOR EACH ROW WHEN (((old.closed_at IS NULL) AND (new.closed_at IS NOT NULL))) EXECUTE FUNCTION public.event_is_due('incident_closed');


--
-- Name: batch event_of_day; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER event_of_day AFTER UPDATE OF closed_at ON public.batch FOR EACH ROW WHEN (((old.closed_at IS NULL) AND (new.closed_at IS NOT NULL))) EXECUTE FUNCTION public.event_is_due('day_closed');


--
-- Name: incident event_of_opening; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER event_of_opening AFTER INSERT ON public.incident FOR EACH ROW EXECUTE FUNCTION public.event_is_due('incident_opened');


--
-- Name: revision event_of_revision; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER event_of_revision AFTER INSERT ON public.revision FOR EACH ROW EXECUTE FUNCTION public.event_is_due('revisions');


--
-- Name: incident incident_closed; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER incident_closed AFTER UPDATE OF closed_at ON public.incident FOR EACH ROW WHEN (((old.closed_at IS NULL) AND (new.closed_at IS NOT NULL))) EXECUTE FUNCTION public.it_happened('closed');


--
-- Name: incident incident_is_closed; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER incident_is_closed AFTER UPDATE OF closed_at ON public.incident FOR EACH ROW WHEN (((old.closed_at IS NULL) AND (new.closed_at IS NOT NULL))) EXECUTE FUNCTION public.incident_changed('closed');


--
-- Name: incident incident_is_opened; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER incident_is_opened AFTER INSERT ON public.incident FOR EACH ROW EXECUTE FUNCTION public.incident_changed('opened');


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
-- Name: latest value_is_changed; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER value_is_changed BEFORE UPDATE ON public.latest FOR EACH ROW WHEN (((old.value IS DISTINCT FROM new.value) OR (old.value_text IS DISTINCT FROM new.value_text))) EXECUTE FUNCTION public.value_changed();


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
-- Name: cosignature cosignature_size_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.cosignature
    ADD CONSTRAINT cosignature_size_fkey FOREIGN KEY (size) REFERENCES public.checkpoint(size);


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
-- Name: incident_event incident_event_document_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.incident_event
    ADD CONSTRAINT incident_event_document_fkey FOREIGN KEY (document) REFERENCES public.document(sha256);


--
-- Name: incident_event incident_event_incident_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.incident_event
    ADD CONSTRAINT incident_event_incident_fkey FOREIGN KEY (incident) REFERENCES public.incident(id);


--
-- Name: latest latest_series_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.latest
    ADD CONSTRAINT latest_series_fkey FOREIGN KEY (series) REFERENCES public.series(id);


--
-- Name: ledger_entry ledger_entry_posting_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.ledger_entry
    ADD CONSTRAINT ledger_entry_posting_fkey FOREIGN KEY (posting) REFERENCES public.posting(id);


--
-- Name: limited_key limited_key_account_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.limited_key
    ADD CONSTRAINT limited_key_account_fkey FOREIGN KEY (account) REFERENCES public.account(id);


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
-- Name: webhook webhook_account_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhook
    ADD CONSTRAINT webhook_account_fkey FOREIGN KEY (account) REFERENCES public.account(id);


--
-- Name: webhook_delivery webhook_delivery_webhook_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.webhook_delivery
    ADD CONSTRAINT webhook_delivery_webhook_fkey FOREIGN KEY (webhook) REFERENCES public.webhook(id) ON DELETE CASCADE;


--
-- Name: x402_sale x402_sale_payload_sha256_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.x402_sale
    ADD CONSTRAINT x402_sale_payload_sha256_fkey FOREIGN KEY (payload_sha256) REFERENCES public.payload(sha256);


--
-- PostgreSQL database dump complete
--

\unrestrict bC29f7ZgsuM5ZNqJzTnPPa3epVkboTOFiK53g2LU0TQMhNdq3CIa2DGt1NJLZyG

