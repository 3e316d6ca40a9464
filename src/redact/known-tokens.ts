import { isStrongKey } from "./randomness.ts";

/** A token format recognizable without context. */
export interface TokenKind {
  readonly kind: string;
  /**
   * Literal prefixes that decide which patterns are tried. Usually the start of a run of key
   * characters; a prefix that ends in `.`, `:`, `/` or `~` comes right before the run.
   */
  readonly anchors: readonly string[];
  /** Tried at the anchor. Every repetition is bounded, so that no text makes it slow. */
  readonly pattern: RegExp;
  /** A part of the key before the anchor; searched in the 40 characters before it. */
  readonly requiredBefore?: RegExp;
  /** The anchor says nothing about the vendor, so the mask does not show it. */
  readonly hidePrefix?: boolean;
  /** The characters after the anchor must pass this as well. */
  readonly confirm?: (body: string) => boolean;
  /** Only such a key has this form, so letters that look like words are chance. */
  readonly certain?: boolean;
  /** A public id; its secret usually follows. */
  readonly isPublic?: boolean;
  /** The secret half that usually follows an id, recognizable only by its length. */
  readonly beside?: { readonly kind: string; readonly secret: RegExp };
  /** The anchor is so short that it also starts parts of names (`flask-key-…`): match only at the start of a run. */
  readonly onlyAtRunStart?: boolean;
}

/** The most common format: a fixed prefix, then a number of characters of one class. */
function prefixed(kind: string, anchors: string, body: string, options: Partial<TokenKind> = {}): TokenKind {
  const list = anchors.split(" ");
  const beginnings = list.map((anchor) => anchor.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")).join("|");
  return {
    kind,
    anchors: list,
    pattern: new RegExp(`(?:${beginnings})${body}(?![A-Za-z0-9])`, "y"),
    ...options,
  };
}

/** The secret half after an id: separators, perhaps a name, then a fixed number of characters. The last group is the secret. */
function companionSecretPattern(secret: string, other: string): RegExp {
  return new RegExp(
    `[\\s,;|"'\`:=<>/]{1,12}(?:[\\s\\w.<>/-]{0,80}[\\s,;|"'\`:=>]{1,12})?(?<=^|${other})(${secret})(?=$|${other})`,
    "y",
  );
}

export const awsSecret: NonNullable<TokenKind["beside"]> = {
  kind: "aws-secret-key",
  secret: companionSecretPattern("[A-Za-z0-9+/]{40}", "[^A-Za-z0-9+/=]"),
};

const HEX32 = "[0-9a-f]{32}";
const HEX40 = "[0-9a-f]{40}";
const HEX64 = "[0-9a-f]{64}";

/** Clouds, code hosts, package registries, payments, chat and mail. Everything else goes into `serviceTokens`. Lengths are minima: vendors lengthen their keys. */
export const platformTokens: readonly TokenKind[] = [
  prefixed("aws-access-key", "AKIA ASIA ABIA ACCA", "[A-Z2-7]{16}", { certain: true, beside: awsSecret }),
  prefixed("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", "[A-Za-z0-9_]{30,400}"),
  prefixed("github-token", "github_pat_", "[A-Za-z0-9_]{30,255}"),
  prefixed(
    "gitlab-token",
    "glpat- gldt- glrt- glcbt- glptt- glft- glimt- glagent- gloas- glsoat- glffct-",
    "[\\w.-]{20,300}",
  ),
  prefixed("slack-token", "xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs-", "[\\w%-]{20,400}"),
  prefixed("slack-token", "xapp-", "\\d-[A-Z0-9]{8,14}-\\d{8,14}-[0-9a-f]{32,64}"),
  prefixed("stripe-key", "sk_live_ sk_test_ rk_live_ rk_test_", "[A-Za-z0-9]{16,250}"),
  prefixed("stripe-key", "whsec_", "[A-Za-z0-9+/]{24,64}={0,2}"),
  prefixed("google-api-key", "AIza", "[\\w-]{35}"),
  prefixed("google-oauth", "ya29.", "[\\w.-]{20,2000}"),
  prefixed("google-oauth", "GOCSPX-", "[\\w-]{24,40}"),
  prefixed("google-oauth", "1//", "0[\\w-]{40,200}"),
  prefixed("npm-token", "npm_", "[A-Za-z0-9]{36}"),
  prefixed("pypi-token", "pypi-AgE", "[\\w-]{40,400}"),
  prefixed("docker-token", "dckr_pat_ dckr_oat_", "[\\w-]{20,60}"),
  prefixed("docker-token", "SWMTKN-", "1-[a-z0-9]{40,60}-[a-z0-9]{20,30}"),
  prefixed("sendgrid-key", "SG.", "[\\w-]{16,32}\\.[\\w-]{32,64}"),
  prefixed("twilio-key", "SK", HEX32, { onlyAtRunStart: true }),
  prefixed("twilio-key", "AC", HEX32, {
    onlyAtRunStart: true,
    isPublic: true,
    beside: { kind: "twilio-key", secret: companionSecretPattern("[0-9a-f]{32}", "[^0-9a-f]") },
  }),
  prefixed("mailgun-key", "key-", HEX32, { onlyAtRunStart: true }),
  prefixed("mailchimp-key", "us", "\\d{1,2}", {
    requiredBefore: /(?<![A-Za-z0-9])[0-9a-f]{32}-$/,
    hidePrefix: true,
  }),
  prefixed("brevo-key", "xkeysib- xsmtpsib-", "[0-9a-f]{64}-[A-Za-z0-9]{16}"),
  prefixed("resend-key", "re_", "[A-Za-z0-9]{6,12}_[A-Za-z0-9]{20,30}", { onlyAtRunStart: true }),
  prefixed("telegram-token", ":", "AA[\\w-]{33}", { requiredBefore: /(?<!\d)\d{8,10}$/, hidePrefix: true }),
  {
    kind: "discord-token",
    anchors: ["MD", "MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT"],
    pattern: /[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,40}(?![A-Za-z0-9])/y,
    hidePrefix: true,
    onlyAtRunStart: true,
  },
  prefixed("discord-token", "mfa.", "[\\w-]{80,100}"),
  prefixed("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", HEX64),
  prefixed("cloudflare-key", "eyJhIjoi", "[A-Za-z0-9+/]{60,400}={0,2}(?![.\\w-])", { onlyAtRunStart: true }),
  prefixed("cloudflare-key", "v1.", "0-[0-9a-f]{24}-[0-9a-f]{146}"),
  prefixed("shopify-token", "shpat_ shpca_ shppa_ shpss_ shptka_", HEX32),
  prefixed("square-token", "sq0atp- sq0csp- sq0idp-", "[\\w-]{22,43}"),
  prefixed("square-token", "EAAA", "[\\w-]{56,66}", { onlyAtRunStart: true }),
  prefixed("atlassian-token", "ATATT3 ATCTT3", "[\\w-]{60,300}(?:=[0-9A-F]{8})?"),
  prefixed("atlassian-token", "ATBB", "[A-Za-z0-9]{28,40}"),
  prefixed("heroku-key", "HRKU-", "[\\w-]{36,80}"),
  prefixed("vercel-token", "vercel_blob_rw_ vcp_ vci_ vca_ vcr_ vck_", "[A-Za-z0-9_]{24,80}"),
  prefixed("supabase-key", "sbp_", HEX40),
  prefixed("supabase-key", "sb_secret_", "[\\w-]{20,60}"),
  prefixed("netlify-token", "nfp_ nfc_ nfo_ nfu_", "[A-Za-z0-9]{36,50}"),
  prefixed("rubygems-key", "rubygems_", "[0-9a-f]{48}"),
  prefixed("nuget-key", "oy2", "[a-z0-9]{43}", { onlyAtRunStart: true }),
  prefixed("databricks-token", "dapi", "[0-9a-f]{32}(?:-\\d)?", { onlyAtRunStart: true }),
  prefixed("alibaba-key", "LTAI", "[A-Za-z0-9]{17,26}"),
  prefixed("artifactory-key", "AKCp", "[A-Za-z0-9]{60,80}"),
  prefixed("adafruit-key", "aio_", "[A-Za-z0-9]{28}"),
  prefixed("asana-token", ":", "[0-9a-f]{32}", {
    requiredBefore: /(?<!\d)[012]\/\d{16,17}(?:\/\d{16,17})?$/,
    hidePrefix: true,
  }),
  prefixed("aws-bedrock-key", "ABSK", "[A-Za-z0-9+/]{100,160}={0,2}", { onlyAtRunStart: true }),
  prefixed("azure-client-secret", "Q~", "[\\w.~-]{31,34}", {
    requiredBefore: /(?<![\w.~-])[\w.~-]{3}\d$/,
    hidePrefix: true,
  }),
  prefixed("clojars-token", "CLOJARS_", "[a-z0-9]{60}"),
  prefixed("crates-token", "cio", "[A-Za-z0-9]{32}", { onlyAtRunStart: true }),
  prefixed("dropbox-token", "sl.", "(?:u\\.)?[\\w-]{60,1200}"),
  prefixed("dynatrace-token", "dt0c01. dt0s01. dt0s16.", "[A-Z0-9]{24}\\.[A-Z0-9]{64}"),
  prefixed("facebook-token", "EAAB EAAC EAAD EAAE EAAF EAAG EAAH EAAI EAAJ EAAM", "[A-Za-z0-9]{80,400}", {
    onlyAtRunStart: true,
  }),
  prefixed("firebase-key", ":", "APA91b[\\w-]{100,200}", {
    requiredBefore: /(?<![\w-])AAAA[\w-]{7}$/,
    hidePrefix: true,
  }),
  prefixed("flutterwave-key", "FLWSECK- FLWSECK_TEST-", "[0-9A-Za-z]{12,40}(?:-X)?"),
  prefixed("payment-key", "live_ test_", "[A-Za-z0-9]{30,60}", { onlyAtRunStart: true }),
  prefixed("paddle-key", "pdl_live_apikey_ pdl_sdbx_apikey_", "[A-Za-z0-9_]{40,80}"),
  prefixed("plaid-token", "access-", "(?:sandbox|development|production)-[0-9a-f]{8}-[0-9a-f-]{27}", {
    onlyAtRunStart: true,
  }),
  prefixed("polar-token", "polar_oat_ polar_pat_ polar_rst_", "[A-Za-z0-9]{40,60}"),
  prefixed("razorpay-key", "rzp_live_ rzp_test_", "[A-Za-z0-9]{14,24}"),
  prefixed("easypost-key", "EZAK EZTK", "[A-Za-z0-9]{54}"),
  prefixed("duffel-token", "duffel_live_ duffel_test_", "[\\w-]{40,50}"),
  prefixed("shippo-token", "shippo_live_ shippo_test_", "[0-9a-f]{40}"),
  prefixed("mailersend-key", "mlsn.", "[0-9a-f]{64}"),
  prefixed("neon-key", "napi_", "[a-z0-9]{40,80}"),
  prefixed("openshift-token", "sha256~", "[\\w-]{43}"),
  prefixed("render-key", "rnd_", "[A-Za-z0-9]{28,40}"),
  prefixed("scaleway-key", "SCW", "[A-Z0-9]{17}", { onlyAtRunStart: true }),
  prefixed("tencent-key", "AKID", "[A-Za-z0-9]{32}", { onlyAtRunStart: true }),
  prefixed("trello-token", "ATTA", "[0-9a-f]{60,80}", { onlyAtRunStart: true }),
  prefixed("yandex-key", "AQVN", "[\\w-]{35,38}", { onlyAtRunStart: true }),
  prefixed(
    "private-key",
    "LS0tLS1CRUdJTiBQUklWQVRF LS0tLS1CRUdJTiBSU0Eg LS0tLS1CRUdJTiBFQyBQ LS0tLS1CRUdJTiBPUEVOU1NI LS0tLS1CRUdJTiBFTkNSWVBURUQ LS0tLS1CRUdJTiBEU0Eg",
    "[A-Za-z0-9+/]{40,20000}={0,2}",
    { hidePrefix: true },
  ),
];

/** Model vendors, tools for developers, infrastructure; and formats without a vendor. */
export const serviceTokens: readonly TokenKind[] = [
  prefixed("anthropic-key", "sk-ant-", "[\\w-]{24,200}", { onlyAtRunStart: true }),
  prefixed("openrouter-key", "sk-or-", "v1-[0-9a-f]{64}", { onlyAtRunStart: true }),
  prefixed("openai-key", "sk-proj- sk-svcacct- sk-admin- sk-None-", "[\\w-]{20,250}", {
    onlyAtRunStart: true,
  }),
  // Without a hyphen in the body: `sk-learn-contrib-…` and its like are names.
  prefixed("openai-key", "sk-", "[A-Za-z0-9]{20,100}(?![\\w-])", { onlyAtRunStart: true }),
  prefixed("huggingface-token", "hf_", "[A-Za-z0-9]{30,50}", { onlyAtRunStart: true }),
  prefixed("huggingface-token", "api_org_", "[A-Za-z]{34}", { onlyAtRunStart: true }),
  prefixed("replicate-token", "r8_", "[A-Za-z0-9]{37}", { onlyAtRunStart: true }),
  prefixed("groq-key", "gsk_", "[A-Za-z0-9]{40,60}"),
  prefixed("xai-key", "xai-", "[A-Za-z0-9]{60,100}"),
  prefixed("perplexity-key", "pplx-", "[A-Za-z0-9]{40,60}"),
  prefixed("langsmith-key", "lsv2_pt_ lsv2_sk_", "[0-9a-f]{32}_[0-9a-f]{10}"),
  prefixed("pinecone-key", "pcsk_", "[A-Za-z0-9_]{50,90}"),
  prefixed("tavily-key", "tvly-", "[A-Za-z0-9-]{24,50}"),
  prefixed("linear-key", "lin_api_ lin_oauth_", "[A-Za-z0-9]{32,64}"),
  prefixed("notion-token", "ntn_", "[A-Za-z0-9]{40,60}"),
  prefixed("notion-token", "secret_", "[A-Za-z0-9]{43}", { onlyAtRunStart: true }),
  prefixed("figma-token", "figd_ figo_ figor_", "[\\w-]{36,60}"),
  prefixed("postman-key", "PMAK-", "[0-9a-f]{24}-[0-9a-f]{34}"),
  prefixed("planetscale-token", "pscale_tkn_ pscale_pw_ pscale_oauth_", "[\\w.-]{32,64}"),
  prefixed("tailscale-key", "tskey-", "[a-z]{2,10}-[A-Za-z0-9]{6,20}-[A-Za-z0-9]{20,50}"),
  prefixed("vault-token", "hvs. hvb. hvr.", "[\\w-]{24,300}"),
  prefixed("terraform-token", ".atlasv1.", "[\\w-]{60,70}", {
    requiredBefore: /(?<![A-Za-z0-9])[A-Za-z0-9]{14}$/,
    hidePrefix: true,
  }),
  prefixed("grafana-token", "glsa_", "[A-Za-z0-9]{32}_[0-9a-f]{8}"),
  prefixed("grafana-token", "glc_", "[A-Za-z0-9+/]{32,400}={0,2}"),
  prefixed("newrelic-key", "NRAK- NRAA- NRJS- NRII-", "[A-Za-z0-9_-]{19,40}"),
  prefixed("sentry-token", "sntrys_", "[A-Za-z0-9+/=_-]{60,400}"),
  prefixed("sentry-token", "sntryu_", "[0-9a-f]{64}"),
  prefixed("posthog-key", "phx_ phs_", "[A-Za-z0-9]{36,50}"),
  prefixed("pulumi-token", "pul-", "[0-9a-f]{40}", { onlyAtRunStart: true }),
  prefixed("doppler-token", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", "[A-Za-z0-9_.-]{40,60}"),
  prefixed("fly-token", "fm1_ fm2_ fo1_", "[\\w+/=-]{30,2000}", { onlyAtRunStart: true }),
  prefixed("sonar-token", "squ_ sqp_ sqa_ sqb_", "[0-9a-f]{40}"),
  prefixed("circleci-token", "CCIPAT_ CCIPRJ_", "[A-Za-z0-9]{20,30}_[0-9a-f]{40}"),
  prefixed("buildkite-token", "bkua_", "[0-9a-f]{40}"),
  prefixed("hubspot-token", "pat-na1- pat-eu1- pat-na2-", "[0-9a-f]{8}-[0-9a-f-]{27}", {
    onlyAtRunStart: true,
  }),
  prefixed("airtable-token", ".", "[0-9a-f]{64}", {
    requiredBefore: /(?<![A-Za-z0-9])pat[A-Za-z0-9]{14}$/,
    hidePrefix: true,
  }),
  prefixed("contentful-token", "CFPAT-", "[\\w-]{43}"),
  prefixed("onepassword-token", "ops_eyJ", "[\\w+/=-]{100,2000}"),
  prefixed("anyscale-key", "esecret_", "[A-Za-z0-9]{20,60}"),
  prefixed("axiom-token", "xaat- xapt-", "[0-9a-f]{8}-[0-9a-f-]{27}"),
  prefixed("brave-key", "BSA", "[\\w-]{24,32}", { onlyAtRunStart: true }),
  prefixed("browserbase-key", "bb_live_ bb_test_", "[\\w-]{20,40}"),
  prefixed("cerebras-key", "csk-", "[a-z0-9]{40,60}", { onlyAtRunStart: true }),
  prefixed("coingecko-key", "CG-", "[A-Za-z0-9]{24}", { onlyAtRunStart: true }),
  prefixed("cursor-key", "key_ crsr_", "[0-9a-f]{64}", { onlyAtRunStart: true }),
  prefixed("dbt-token", "dbtc_ dbtu_", "[\\w-]{32,60}"),
  prefixed("defined-key", "dnkey-", "[A-Z0-9]{26}-[A-Z0-9]{52}"),
  prefixed("e2b-key", "e2b_", "[0-9a-f]{40}"),
  prefixed("firecrawl-key", "fc-", "[0-9a-f]{32}", { onlyAtRunStart: true }),
  prefixed("fireworks-key", "fw_", "[A-Za-z0-9]{22,40}", { onlyAtRunStart: true }),
  prefixed("frameio-token", "fio-u-", "[\\w-]{60,70}"),
  prefixed("harness-token", "pat.", "[\\w-]{22}\\.[0-9a-f]{24}\\.[A-Za-z0-9]{20}"),
  prefixed("honeycomb-key", "hcaik_ hcxik_ hcamk_ hcbik_ hccik_ hcdik_", "[a-z0-9]{50,64}"),
  prefixed("infracost-key", "ico-", "[A-Za-z0-9]{32}", { onlyAtRunStart: true }),
  prefixed("inngest-key", "signkey-prod- signkey-test- signkey-branch-", "[0-9a-f]{32,64}"),
  prefixed("jina-key", "jina_", "[\\w-]{50,80}"),
  prefixed("kaggle-token", "KGAT_", "[0-9a-f]{32}"),
  prefixed("langfuse-key", "sk-lf-", "[0-9a-f]{8}-[0-9a-f-]{27}", { onlyAtRunStart: true }),
  prefixed(
    "launchdarkly-key",
    "sdk- api- mob-",
    "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    { onlyAtRunStart: true },
  ),
  prefixed("llamacloud-key", "llx-", "[A-Za-z0-9]{40,60}", { onlyAtRunStart: true }),
  prefixed("modal-token", "ak- as-", "[A-Za-z0-9]{22}", { onlyAtRunStart: true }),
  prefixed("nvidia-key", "nvapi-", "[\\w-]{60,80}"),
  prefixed("octopus-key", "API-", "[A-Z0-9]{25,34}", { onlyAtRunStart: true }),
  prefixed("openai-key", "sess-", "[A-Za-z0-9]{40}", { onlyAtRunStart: true }),
  prefixed(
    "paseto",
    "v1.local. v2.local. v3.local. v4.local. v1.public. v2.public. v3.public. v4.public.",
    "[\\w-]{40,4000}(?:\\.[\\w-]{4,1000})?",
  ),
  prefixed("prefect-key", "pnu_ pnb_", "[A-Za-z0-9]{36}"),
  prefixed("readme-key", "rdme_", "[a-z0-9]{60,80}"),
  prefixed("retool-token", "retool_01", "[a-z0-9]{24,40}"),
  prefixed("runpod-key", "rpa_", "[A-Z0-9]{38,60}"),
  prefixed("socket-token", "sktsec_", "[\\w-]{30,80}"),
  prefixed("sourcegraph-token", "sgp_ sgd_", "(?:[0-9a-f]{16}_|local_)?[0-9a-f]{40,64}"),
  prefixed("stytch-secret", "secret-live- secret-test-", "[\\w-]{32,40}=?", { onlyAtRunStart: true }),
  prefixed("together-key", "tgp_v1_", "[\\w-]{40,60}"),
  prefixed("trigger-key", "tr_prod_ tr_dev_ tr_stg_ tr_pat_", "[A-Za-z0-9]{20,60}", { onlyAtRunStart: true }),
  prefixed("typeform-token", "tfp_", "[\\w.-]{40,60}"),
  prefixed("voyage-key", "pa-", "[\\w-]{40,50}", { onlyAtRunStart: true }),
  prefixed("wallet-key", "xprv tprv yprv zprv", "[1-9A-HJ-NP-Za-km-z]{100,112}"),
  prefixed("wallet-key", "nsec1", "[02-9ac-hj-np-z]{58}"),
  prefixed("wallet-key", "Kw Kx Ky Kz L1 L2 L3 L4 L5", "[1-9A-HJ-NP-Za-km-z]{50}(?![\\w+/=-])", {
    onlyAtRunStart: true,
    hidePrefix: true,
  }),
  prefixed("wallet-key", "5H 5J 5K", "[1-9A-HJ-NP-Za-km-z]{49}(?![\\w+/=-])", {
    onlyAtRunStart: true,
    hidePrefix: true,
  }),
  prefixed("vendor-key", "AVNS_", "[\\w-]{18,30}"),
  prefixed("vendor-key", "ck_ cs_", HEX40, { onlyAtRunStart: true }),
  prefixed("vendor-key", "os_v2_app_ os_v2_org_", "[a-z0-9]{40,120}"),
  prefixed("vendor-key", "perm: perm-", "[\\w=]{8,60}\\.[\\w=]{4,60}\\.[\\w=]{20,80}"),
  prefixed("vendor-key", "snyk_uat. snyk_sat.", "[\\w.-]{30,300}"),
  prefixed("vendor-key", "sec-c-", "[\\w-]{40,60}"),
  prefixed("vendor-key", "GR1348941", "[\\w-]{20,60}", { onlyAtRunStart: true }),
  prefixed("vendor-key", "K10", "[0-9a-f]{64}::(?:server|node|agent):[\\w.]{16,64}", {
    onlyAtRunStart: true,
  }),
  prefixed("vendor-key", "APP_USR-", "[\\w-]{40,100}", { onlyAtRunStart: true }),
  prefixed("vendor-key", "dG9rO cmVmdGtuO", "[A-Za-z0-9+/]{40,120}={0,2}", { onlyAtRunStart: true }),
  prefixed("vendor-key", "amzn1.oa2-cs.v1.", HEX64),
  prefixed("vendor-key", "AQ.", "Ab8[\\w-]{30,80}"),
  prefixed("vendor-key", "pk_", "\\d{6,12}_[A-Z0-9]{32}", { onlyAtRunStart: true }),
  prefixed("age-key", "AGE-SECRET-KEY-1", "[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{50,60}"),
  prefixed("elevenlabs-key", "sk_", "[0-9a-f]{48}", { onlyAtRunStart: true }),
  prefixed("mapbox-token", "sk.", "eyJ[\\w-]{20,400}\\.[\\w-]{20,60}"),
  // The signature may be cut off; the two parts before it are enough to recognize a token.
  prefixed("jwt", "eyJ", "[\\w-]{8,8000}\\.eyJ[\\w-]{8,16000}(?:\\.[\\w-]{0,4000})?", {
    onlyAtRunStart: true,
  }),
  prefixed(
    "jwt",
    "eyJ",
    "[\\w-]{16,4000}\\.[\\w-]{0,1000}\\.[\\w-]{10,200}\\.[\\w-]{16,16000}\\.[\\w-]{16,64}",
    { onlyAtRunStart: true },
  ),
  // Unlisted vendors: a descriptive prefix, then a random key.
  prefixed(
    "vendor-key",
    "live_ prod_ sk_ sk- api_ pat_ pat- secret_ token_ sec- priv_ private_",
    "[\\w-]{24,200}",
    {
      requiredBefore:
        /(?<![A-Za-z0-9_/.-])(?:(?!(?:pk|pub|public|publishable|client|anon|test)[_-])[A-Za-z][A-Za-z0-9]{0,11}[_-]){0,3}$/,
      hidePrefix: true,
      confirm: (body) => isStrongKey(body.slice(body.search(/[A-Za-z0-9]{20}/))),
    },
  ),
];
