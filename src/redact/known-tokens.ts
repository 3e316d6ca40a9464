import { isStrongKey } from "./randomness.ts";

/** A key that can be told by itself, wherever it stands. */
export interface TokenKind {
  readonly kind: string;
  /**
   * How such keys begin: what decides which patterns are tried at all. Mostly it is the beginning of a run of key
   * characters; where it ends in `.`, `:`, `/` or `~` it stands right before the run.
   */
  readonly anchors: readonly string[];
  /** Tried where the anchor stands. Every part is bounded, so that no text makes it slow. */
  readonly pattern: RegExp;
  /** What must stand before the anchor and belongs to the key; looked for in the 40 characters before it. */
  readonly lead?: RegExp;
  /** `none` where the anchor would tell nobody anything. */
  readonly shown?: "anchor" | "none";
  /** What follows the anchor must pass this as well. */
  readonly confirm?: (body: string) => boolean;
  /** Nothing but such a key has this form: that its letters look like words is chance. */
  readonly certain?: boolean;
  /** An id that is no secret by itself, but has its secret beside it. */
  readonly isPublic?: boolean;
  /** The kind of the secret half that mostly follows, which has no form of its own but its length. */
  readonly beside?: { readonly kind: string; readonly secret: RegExp };
  /** The anchor is so short that it also begins parts of names (`flask-key-…`): only where a run begins. */
  readonly strict?: boolean;
}

/** The commonest form: a fixed beginning, then so many characters of one class. */
function begun(kind: string, anchors: string, body: string, options: Partial<TokenKind> = {}): TokenKind {
  const list = anchors.split(" ");
  const beginnings = list.map((anchor) => anchor.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")).join("|");
  return {
    kind,
    anchors: list,
    pattern: new RegExp(`(?:${beginnings})${body}(?![A-Za-z0-9])`, "y"),
    ...options,
  };
}

/** The secret half behind an id: a few signs, a name perhaps, then so many characters. Its last group is the secret. */
function besidePattern(secret: string, other: string): RegExp {
  return new RegExp(
    `[\\s,;|"'\`:=<>/]{1,12}(?:[\\s\\w.<>/-]{0,80}[\\s,;|"'\`:=>]{1,12})?(?<=^|${other})(${secret})(?=$|${other})`,
    "y",
  );
}

export const awsSecret: NonNullable<TokenKind["beside"]> = {
  kind: "aws-secret-key",
  secret: besidePattern("[A-Za-z0-9+/]{40}", "[^A-Za-z0-9+/=]"),
};

const HEX32 = "[0-9a-f]{32}";
const HEX40 = "[0-9a-f]{40}";
const HEX64 = "[0-9a-f]{64}";

/** Clouds, code hosts, package registries, payments, chat and mail. Lengths are minima: makers lengthen their keys. */
export const platformTokens: readonly TokenKind[] = [
  begun("aws-access-key", "AKIA ASIA ABIA ACCA", "[A-Z2-7]{16}", { certain: true, beside: awsSecret }),
  begun("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", "[A-Za-z0-9_]{30,400}"),
  begun("github-token", "github_pat_", "[A-Za-z0-9_]{30,255}"),
  begun(
    "gitlab-token",
    "glpat- gldt- glrt- glcbt- glptt- glft- glimt- glagent- gloas- glsoat- glffct-",
    "[\\w.-]{20,300}",
  ),
  begun("slack-token", "xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs-", "[\\w%-]{20,400}"),
  begun("slack-token", "xapp-", "\\d-[A-Z0-9]{8,14}-\\d{8,14}-[0-9a-f]{32,64}"),
  begun("stripe-key", "sk_live_ sk_test_ rk_live_ rk_test_", "[A-Za-z0-9]{16,250}"),
  begun("stripe-key", "whsec_", "[A-Za-z0-9+/]{24,64}={0,2}"),
  begun("google-api-key", "AIza", "[\\w-]{35}"),
  begun("google-oauth", "ya29.", "[\\w.-]{20,2000}"),
  begun("google-oauth", "GOCSPX-", "[\\w-]{24,40}"),
  begun("google-oauth", "1//", "0[\\w-]{40,200}"),
  begun("npm-token", "npm_", "[A-Za-z0-9]{36}"),
  begun("pypi-token", "pypi-AgE", "[\\w-]{40,400}"),
  begun("docker-token", "dckr_pat_ dckr_oat_", "[\\w-]{20,60}"),
  begun("docker-token", "SWMTKN-", "1-[a-z0-9]{40,60}-[a-z0-9]{20,30}"),
  begun("sendgrid-key", "SG.", "[\\w-]{16,32}\\.[\\w-]{32,64}"),
  begun("twilio-key", "SK", HEX32, { strict: true }),
  begun("twilio-key", "AC", HEX32, {
    strict: true,
    isPublic: true,
    beside: { kind: "twilio-key", secret: besidePattern("[0-9a-f]{32}", "[^0-9a-f]") },
  }),
  begun("mailgun-key", "key-", HEX32, { strict: true }),
  begun("mailchimp-key", "us", "\\d{1,2}", { lead: /(?<![A-Za-z0-9])[0-9a-f]{32}-$/, shown: "none" }),
  begun("brevo-key", "xkeysib- xsmtpsib-", "[0-9a-f]{64}-[A-Za-z0-9]{16}"),
  begun("resend-key", "re_", "[A-Za-z0-9]{6,12}_[A-Za-z0-9]{20,30}", { strict: true }),
  begun("telegram-token", ":", "AA[\\w-]{33}", { lead: /(?<!\d)\d{8,10}$/, shown: "none" }),
  {
    kind: "discord-token",
    anchors: ["MD", "MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT"],
    pattern: /[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,40}(?![A-Za-z0-9])/y,
    shown: "none",
    strict: true,
  },
  begun("discord-token", "mfa.", "[\\w-]{80,100}"),
  begun("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", HEX64),
  begun("cloudflare-key", "eyJhIjoi", "[A-Za-z0-9+/]{60,400}={0,2}(?![.\\w-])", { strict: true }),
  begun("cloudflare-key", "v1.", "0-[0-9a-f]{24}-[0-9a-f]{146}"),
  begun("shopify-token", "shpat_ shpca_ shppa_ shpss_ shptka_", HEX32),
  begun("square-token", "sq0atp- sq0csp- sq0idp-", "[\\w-]{22,43}"),
  begun("square-token", "EAAA", "[\\w-]{56,66}", { strict: true }),
  begun("atlassian-token", "ATATT3 ATCTT3", "[\\w-]{60,300}(?:=[0-9A-F]{8})?"),
  begun("atlassian-token", "ATBB", "[A-Za-z0-9]{28,40}"),
  begun("heroku-key", "HRKU-", "[\\w-]{36,80}"),
  begun("vercel-token", "vercel_blob_rw_ vcp_ vci_ vca_ vcr_ vck_", "[A-Za-z0-9_]{24,80}"),
  begun("supabase-key", "sbp_", HEX40),
  begun("supabase-key", "sb_secret_", "[\\w-]{20,60}"),
  begun("netlify-token", "nfp_ nfc_ nfo_ nfu_", "[A-Za-z0-9]{36,50}"),
  begun("rubygems-key", "rubygems_", "[0-9a-f]{48}"),
  begun("nuget-key", "oy2", "[a-z0-9]{43}", { strict: true }),
  begun("databricks-token", "dapi", "[0-9a-f]{32}(?:-\\d)?", { strict: true }),
  begun("alibaba-key", "LTAI", "[A-Za-z0-9]{17,26}"),
  begun("artifactory-key", "AKCp", "[A-Za-z0-9]{60,80}"),
  begun("adafruit-key", "aio_", "[A-Za-z0-9]{28}"),
  begun("asana-token", ":", "[0-9a-f]{32}", {
    lead: /(?<!\d)[012]\/\d{16,17}(?:\/\d{16,17})?$/,
    shown: "none",
  }),
  begun("aws-bedrock-key", "ABSK", "[A-Za-z0-9+/]{100,160}={0,2}", { strict: true }),
  begun("azure-client-secret", "Q~", "[\\w.~-]{31,34}", { lead: /(?<![\w.~-])[\w.~-]{3}\d$/, shown: "none" }),
  begun("clojars-token", "CLOJARS_", "[a-z0-9]{60}"),
  begun("crates-token", "cio", "[A-Za-z0-9]{32}", { strict: true }),
  begun("dropbox-token", "sl.", "(?:u\\.)?[\\w-]{60,1200}"),
  begun("dynatrace-token", "dt0c01. dt0s01. dt0s16.", "[A-Z0-9]{24}\\.[A-Z0-9]{64}"),
  begun("facebook-token", "EAAB EAAC EAAD EAAE EAAF EAAG EAAH EAAI EAAJ EAAM", "[A-Za-z0-9]{80,400}", {
    strict: true,
  }),
  begun("firebase-key", ":", "APA91b[\\w-]{100,200}", { lead: /(?<![\w-])AAAA[\w-]{7}$/, shown: "none" }),
  begun("flutterwave-key", "FLWSECK- FLWSECK_TEST-", "[0-9A-Za-z]{12,40}(?:-X)?"),
  begun("payment-key", "live_ test_", "[A-Za-z0-9]{30,60}", { strict: true }),
  begun("paddle-key", "pdl_live_apikey_ pdl_sdbx_apikey_", "[A-Za-z0-9_]{40,80}"),
  begun("plaid-token", "access-", "(?:sandbox|development|production)-[0-9a-f]{8}-[0-9a-f-]{27}", {
    strict: true,
  }),
  begun("polar-token", "polar_oat_ polar_pat_ polar_rst_", "[A-Za-z0-9]{40,60}"),
  begun("razorpay-key", "rzp_live_ rzp_test_", "[A-Za-z0-9]{14,24}"),
  begun("easypost-key", "EZAK EZTK", "[A-Za-z0-9]{54}"),
  begun("duffel-token", "duffel_live_ duffel_test_", "[\\w-]{40,50}"),
  begun("shippo-token", "shippo_live_ shippo_test_", "[0-9a-f]{40}"),
  begun("mailersend-key", "mlsn.", "[0-9a-f]{64}"),
  begun("neon-key", "napi_", "[a-z0-9]{40,80}"),
  begun("openshift-token", "sha256~", "[\\w-]{43}"),
  begun("render-key", "rnd_", "[A-Za-z0-9]{28,40}"),
  begun("scaleway-key", "SCW", "[A-Z0-9]{17}", { strict: true }),
  begun("tencent-key", "AKID", "[A-Za-z0-9]{32}", { strict: true }),
  begun("trello-token", "ATTA", "[0-9a-f]{60,80}", { strict: true }),
  begun("yandex-key", "AQVN", "[\\w-]{35,38}", { strict: true }),
  begun(
    "private-key",
    "LS0tLS1CRUdJTiBQUklWQVRF LS0tLS1CRUdJTiBSU0Eg LS0tLS1CRUdJTiBFQyBQ LS0tLS1CRUdJTiBPUEVOU1NI LS0tLS1CRUdJTiBFTkNSWVBURUQ LS0tLS1CRUdJTiBEU0Eg",
    "[A-Za-z0-9+/]{40,20000}={0,2}",
    { shown: "none" },
  ),
];

/** Model makers, tools for developers, infrastructure; and the forms that belong to no maker. */
export const serviceTokens: readonly TokenKind[] = [
  begun("anthropic-key", "sk-ant-", "[\\w-]{24,200}", { strict: true }),
  begun("openrouter-key", "sk-or-", "v1-[0-9a-f]{64}", { strict: true }),
  begun("openai-key", "sk-proj- sk-svcacct- sk-admin- sk-None-", "[\\w-]{20,250}", { strict: true }),
  // Without a hyphen in the body: `sk-learn-contrib-…` and its like are names.
  begun("openai-key", "sk-", "[A-Za-z0-9]{20,100}(?![\\w-])", { strict: true }),
  begun("huggingface-token", "hf_", "[A-Za-z0-9]{30,50}", { strict: true }),
  begun("huggingface-token", "api_org_", "[A-Za-z]{34}", { strict: true }),
  begun("replicate-token", "r8_", "[A-Za-z0-9]{37}", { strict: true }),
  begun("groq-key", "gsk_", "[A-Za-z0-9]{40,60}"),
  begun("xai-key", "xai-", "[A-Za-z0-9]{60,100}"),
  begun("perplexity-key", "pplx-", "[A-Za-z0-9]{40,60}"),
  begun("langsmith-key", "lsv2_pt_ lsv2_sk_", "[0-9a-f]{32}_[0-9a-f]{10}"),
  begun("pinecone-key", "pcsk_", "[A-Za-z0-9_]{50,90}"),
  begun("tavily-key", "tvly-", "[A-Za-z0-9-]{24,50}"),
  begun("linear-key", "lin_api_ lin_oauth_", "[A-Za-z0-9]{32,64}"),
  begun("notion-token", "ntn_", "[A-Za-z0-9]{40,60}"),
  begun("notion-token", "secret_", "[A-Za-z0-9]{43}", { strict: true }),
  begun("figma-token", "figd_ figo_ figor_", "[\\w-]{36,60}"),
  begun("postman-key", "PMAK-", "[0-9a-f]{24}-[0-9a-f]{34}"),
  begun("planetscale-token", "pscale_tkn_ pscale_pw_ pscale_oauth_", "[\\w.-]{32,64}"),
  begun("tailscale-key", "tskey-", "[a-z]{2,10}-[A-Za-z0-9]{6,20}-[A-Za-z0-9]{20,50}"),
  begun("vault-token", "hvs. hvb. hvr.", "[\\w-]{24,300}"),
  begun("terraform-token", ".atlasv1.", "[\\w-]{60,70}", {
    lead: /(?<![A-Za-z0-9])[A-Za-z0-9]{14}$/,
    shown: "none",
  }),
  begun("grafana-token", "glsa_", "[A-Za-z0-9]{32}_[0-9a-f]{8}"),
  begun("grafana-token", "glc_", "[A-Za-z0-9+/]{32,400}={0,2}"),
  begun("newrelic-key", "NRAK- NRAA- NRJS- NRII-", "[A-Za-z0-9_-]{19,40}"),
  begun("sentry-token", "sntrys_", "[A-Za-z0-9+/=_-]{60,400}"),
  begun("sentry-token", "sntryu_", "[0-9a-f]{64}"),
  begun("posthog-key", "phx_ phs_", "[A-Za-z0-9]{36,50}"),
  begun("pulumi-token", "pul-", "[0-9a-f]{40}", { strict: true }),
  begun("doppler-token", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", "[A-Za-z0-9_.-]{40,60}"),
  begun("fly-token", "fm1_ fm2_ fo1_", "[\\w+/=-]{30,2000}", { strict: true }),
  begun("sonar-token", "squ_ sqp_ sqa_ sqb_", "[0-9a-f]{40}"),
  begun("circleci-token", "CCIPAT_ CCIPRJ_", "[A-Za-z0-9]{20,30}_[0-9a-f]{40}"),
  begun("buildkite-token", "bkua_", "[0-9a-f]{40}"),
  begun("hubspot-token", "pat-na1- pat-eu1- pat-na2-", "[0-9a-f]{8}-[0-9a-f-]{27}", { strict: true }),
  begun("airtable-token", ".", "[0-9a-f]{64}", {
    lead: /(?<![A-Za-z0-9])pat[A-Za-z0-9]{14}$/,
    shown: "none",
  }),
  begun("contentful-token", "CFPAT-", "[\\w-]{43}"),
  begun("onepassword-token", "ops_eyJ", "[\\w+/=-]{100,2000}"),
  begun("anyscale-key", "esecret_", "[A-Za-z0-9]{20,60}"),
  begun("axiom-token", "xaat- xapt-", "[0-9a-f]{8}-[0-9a-f-]{27}"),
  begun("brave-key", "BSA", "[\\w-]{24,32}", { strict: true }),
  begun("browserbase-key", "bb_live_ bb_test_", "[\\w-]{20,40}"),
  begun("cerebras-key", "csk-", "[a-z0-9]{40,60}", { strict: true }),
  begun("coingecko-key", "CG-", "[A-Za-z0-9]{24}", { strict: true }),
  begun("cursor-key", "key_ crsr_", "[0-9a-f]{64}", { strict: true }),
  begun("dbt-token", "dbtc_ dbtu_", "[\\w-]{32,60}"),
  begun("defined-key", "dnkey-", "[A-Z0-9]{26}-[A-Z0-9]{52}"),
  begun("e2b-key", "e2b_", "[0-9a-f]{40}"),
  begun("firecrawl-key", "fc-", "[0-9a-f]{32}", { strict: true }),
  begun("fireworks-key", "fw_", "[A-Za-z0-9]{22,40}", { strict: true }),
  begun("frameio-token", "fio-u-", "[\\w-]{60,70}"),
  begun("harness-token", "pat.", "[\\w-]{22}\\.[0-9a-f]{24}\\.[A-Za-z0-9]{20}"),
  begun("honeycomb-key", "hcaik_ hcxik_ hcamk_ hcbik_ hccik_ hcdik_", "[a-z0-9]{50,64}"),
  begun("infracost-key", "ico-", "[A-Za-z0-9]{32}", { strict: true }),
  begun("inngest-key", "signkey-prod- signkey-test- signkey-branch-", "[0-9a-f]{32,64}"),
  begun("jina-key", "jina_", "[\\w-]{50,80}"),
  begun("kaggle-token", "KGAT_", "[0-9a-f]{32}"),
  begun("langfuse-key", "sk-lf-", "[0-9a-f]{8}-[0-9a-f-]{27}", { strict: true }),
  begun(
    "launchdarkly-key",
    "sdk- api- mob-",
    "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    { strict: true },
  ),
  begun("llamacloud-key", "llx-", "[A-Za-z0-9]{40,60}", { strict: true }),
  begun("modal-token", "ak- as-", "[A-Za-z0-9]{22}", { strict: true }),
  begun("nvidia-key", "nvapi-", "[\\w-]{60,80}"),
  begun("octopus-key", "API-", "[A-Z0-9]{25,34}", { strict: true }),
  begun("openai-key", "sess-", "[A-Za-z0-9]{40}", { strict: true }),
  begun(
    "paseto",
    "v1.local. v2.local. v3.local. v4.local. v1.public. v2.public. v3.public. v4.public.",
    "[\\w-]{40,4000}(?:\\.[\\w-]{4,1000})?",
  ),
  begun("prefect-key", "pnu_ pnb_", "[A-Za-z0-9]{36}"),
  begun("readme-key", "rdme_", "[a-z0-9]{60,80}"),
  begun("retool-token", "retool_01", "[a-z0-9]{24,40}"),
  begun("runpod-key", "rpa_", "[A-Z0-9]{38,60}"),
  begun("socket-token", "sktsec_", "[\\w-]{30,80}"),
  begun("sourcegraph-token", "sgp_ sgd_", "(?:[0-9a-f]{16}_|local_)?[0-9a-f]{40,64}"),
  begun("stytch-secret", "secret-live- secret-test-", "[\\w-]{32,40}=?", { strict: true }),
  begun("together-key", "tgp_v1_", "[\\w-]{40,60}"),
  begun("trigger-key", "tr_prod_ tr_dev_ tr_stg_ tr_pat_", "[A-Za-z0-9]{20,60}", { strict: true }),
  begun("typeform-token", "tfp_", "[\\w.-]{40,60}"),
  begun("voyage-key", "pa-", "[\\w-]{40,50}", { strict: true }),
  begun("wallet-key", "xprv tprv yprv zprv", "[1-9A-HJ-NP-Za-km-z]{100,112}"),
  begun("wallet-key", "nsec1", "[02-9ac-hj-np-z]{58}"),
  begun("wallet-key", "Kw Kx Ky Kz L1 L2 L3 L4 L5", "[1-9A-HJ-NP-Za-km-z]{50}(?![\\w+/=-])", {
    strict: true,
    shown: "none",
  }),
  begun("wallet-key", "5H 5J 5K", "[1-9A-HJ-NP-Za-km-z]{49}(?![\\w+/=-])", { strict: true, shown: "none" }),
  begun("vendor-key", "AVNS_", "[\\w-]{18,30}"),
  begun("vendor-key", "ck_ cs_", HEX40, { strict: true }),
  begun("vendor-key", "os_v2_app_ os_v2_org_", "[a-z0-9]{40,120}"),
  begun("vendor-key", "perm: perm-", "[\\w=]{8,60}\\.[\\w=]{4,60}\\.[\\w=]{20,80}"),
  begun("vendor-key", "snyk_uat. snyk_sat.", "[\\w.-]{30,300}"),
  begun("vendor-key", "sec-c-", "[\\w-]{40,60}"),
  begun("vendor-key", "GR1348941", "[\\w-]{20,60}", { strict: true }),
  begun("vendor-key", "K10", "[0-9a-f]{64}::(?:server|node|agent):[\\w.]{16,64}", { strict: true }),
  begun("vendor-key", "APP_USR-", "[\\w-]{40,100}", { strict: true }),
  begun("vendor-key", "dG9rO cmVmdGtuO", "[A-Za-z0-9+/]{40,120}={0,2}", { strict: true }),
  begun("vendor-key", "amzn1.oa2-cs.v1.", HEX64),
  begun("vendor-key", "AQ.", "Ab8[\\w-]{30,80}"),
  begun("vendor-key", "pk_", "\\d{6,12}_[A-Z0-9]{32}", { strict: true }),
  begun("age-key", "AGE-SECRET-KEY-1", "[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{50,60}"),
  begun("elevenlabs-key", "sk_", "[0-9a-f]{48}", { strict: true }),
  begun("mapbox-token", "sk.", "eyJ[\\w-]{20,400}\\.[\\w-]{20,60}"),
  // The signature may be torn off; the two parts before it are enough to tell, and to hide.
  begun("jwt", "eyJ", "[\\w-]{8,8000}\\.eyJ[\\w-]{8,16000}(?:\\.[\\w-]{0,4000})?", { strict: true }),
  begun(
    "jwt",
    "eyJ",
    "[\\w-]{16,4000}\\.[\\w-]{0,1000}\\.[\\w-]{10,200}\\.[\\w-]{16,16000}\\.[\\w-]{16,64}",
    { strict: true },
  ),
  // Makers that nobody has entered here: parts that say what it is, then a key.
  begun(
    "vendor-key",
    "live_ prod_ sk_ sk- api_ pat_ pat- secret_ token_ sec- priv_ private_",
    "[\\w-]{24,200}",
    {
      lead: /(?<![A-Za-z0-9_/.-])(?:(?!(?:pk|pub|public|publishable|client|anon|test)[_-])[A-Za-z][A-Za-z0-9]{0,11}[_-]){0,3}$/,
      shown: "none",
      confirm: (body) => isStrongKey(body.slice(body.search(/[A-Za-z0-9]{20}/))),
    },
  ),
];
