import { alphabets, type SeededRandom } from "./seeded-random.ts";

/** The form of a key that can be told by itself: its kind, a variable it is often kept in, and how to make one up. */
export interface KeyShape {
  readonly kind: string;
  readonly name: string;
  make(random: SeededRandom): string;
}

const { base32, base36, base62, base64url, digits, hex, letters } = alphabets;

const key = (kind: string, name: string, make: (random: SeededRandom) => string): KeyShape => ({
  kind,
  name,
  make,
});
/** The commonest form: a fixed beginning and a body of one alphabet. */
const begun = (kind: string, name: string, prefix: string, length: number, alphabet: string): KeyShape =>
  key(kind, name, (random) => prefix + random.chars(length, alphabet));

const base64Json = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

function makeJwt(random: SeededRandom): string {
  const header = base64Json({ alg: random.pick(["HS256", "RS256", "ES256"]), typ: "JWT" });
  const claims = base64Json({
    sub: random.chars(12, hex),
    iat: 1_700_000_000 + random.int(9e7),
    scope: "read write",
  });
  return `${header}.${claims}.${random.chars(43, base64url)}`;
}

/** Keys of a well-known form; each also stands in the carriers of fixtures/redact. */
export const keyShapes: Readonly<Record<string, KeyShape>> = {
  "aws-access-key": begun("aws-access-key", "AWS_ACCESS_KEY_ID", "AKIA", 16, base32.toUpperCase()),
  "aws-sts-key": begun("aws-access-key", "AWS_ACCESS_KEY_ID", "ASIA", 16, base32.toUpperCase()),
  ghp: begun("github-token", "GITHUB_TOKEN", "ghp_", 36, base62),
  gho: begun("github-token", "GH_TOKEN", "gho_", 36, base62),
  ghu: begun("github-token", "GH_USER_TOKEN", "ghu_", 36, base62),
  ghs: begun("github-token", "GITHUB_TOKEN", "ghs_", 36, base62),
  ghr: begun("github-token", "GH_REFRESH", "ghr_", 76, base62),
  "github-pat": key(
    "github-token",
    "GH_PAT",
    (r) => `github_pat_11${r.chars(20, base62)}_${r.chars(59, base62)}`,
  ),
  "gitlab-pat": begun("gitlab-token", "GITLAB_TOKEN", "glpat-", 20, base64url),
  "gitlab-deploy": begun("gitlab-token", "CI_DEPLOY_TOKEN", "gldt-", 20, base64url),
  "gitlab-runner": begun("gitlab-token", "RUNNER_TOKEN", "glrt-", 20, base64url),
  "slack-bot": key(
    "slack-token",
    "SLACK_BOT_TOKEN",
    (r) => `xoxb-${r.chars(12, digits)}-${r.chars(13, digits)}-${r.chars(24, base62)}`,
  ),
  "slack-user": key(
    "slack-token",
    "SLACK_TOKEN",
    (r) => `xoxp-${r.chars(12, digits)}-${r.chars(12, digits)}-${r.chars(13, digits)}-${r.chars(32, hex)}`,
  ),
  "slack-app": key(
    "slack-token",
    "SLACK_APP_TOKEN",
    (r) => `xapp-1-A0${r.chars(9, base36).toUpperCase()}-${r.chars(13, digits)}-${r.chars(64, hex)}`,
  ),
  "stripe-live": begun("stripe-key", "STRIPE_SECRET_KEY", "sk_live_", 24, base62),
  "stripe-test": begun("stripe-key", "STRIPE_KEY", "sk_test_51", 97, base62),
  "stripe-restricted": begun("stripe-key", "STRIPE_RK", "rk_live_", 24, base62),
  "stripe-webhook": begun("stripe-key", "STRIPE_WEBHOOK_SECRET", "whsec_", 32, base62),
  "google-api-key": begun("google-api-key", "GOOGLE_API_KEY", "AIzaSy", 33, base64url),
  "google-access": begun("google-oauth", "GCP_TOKEN", "ya29.a0Af", 120, base64url),
  "google-secret": begun("google-oauth", "GOOGLE_CLIENT_SECRET", "GOCSPX-", 28, base64url),
  "google-refresh": begun("google-oauth", "GOOGLE_REFRESH_TOKEN", "1//0", 60, base64url),
  "openai-legacy": key(
    "openai-key",
    "OPENAI_API_KEY",
    (r) => `sk-${r.chars(20, base62)}T3BlbkFJ${r.chars(20, base62)}`,
  ),
  "openai-project": key(
    "openai-key",
    "OPENAI_API_KEY",
    (r) => `sk-proj-${r.chars(74, base64url)}T3BlbkFJ${r.chars(74, base64url)}`,
  ),
  "openai-service": begun("openai-key", "OPENAI_KEY", "sk-svcacct-", 60, base64url),
  deepseek: begun("openai-key", "DEEPSEEK_API_KEY", "sk-", 32, hex),
  openrouter: begun("openrouter-key", "OPENROUTER_API_KEY", "sk-or-v1-", 64, hex),
  anthropic: key("anthropic-key", "ANTHROPIC_API_KEY", (r) => `sk-ant-api03-${r.chars(93, base64url)}AA`),
  "anthropic-oauth": key(
    "anthropic-key",
    "CLAUDE_CODE_OAUTH_TOKEN",
    (r) => `sk-ant-oat01-${r.chars(93, base64url)}AA`,
  ),
  huggingface: begun("huggingface-token", "HF_TOKEN", "hf_", 34, letters),
  npm: begun("npm-token", "NPM_TOKEN", "npm_", 36, base62),
  pypi: begun("pypi-token", "TWINE_PASSWORD", "pypi-AgEIcHlwaS5vcmc", 150, base64url),
  docker: begun("docker-token", "DOCKERHUB_TOKEN", "dckr_pat_", 27, base64url),
  sendgrid: key(
    "sendgrid-key",
    "SENDGRID_API_KEY",
    (r) => `SG.${r.chars(22, base64url)}.${r.chars(43, base64url)}`,
  ),
  twilio: begun("twilio-key", "TWILIO_API_KEY", "SK", 32, hex),
  mailgun: begun("mailgun-key", "MAILGUN_API_KEY", "key-", 32, hex),
  telegram: key(
    "telegram-token",
    "TELEGRAM_TOKEN",
    (r) => `${1 + r.int(9)}${r.chars(9, digits)}:AA${r.chars(33, base64url)}`,
  ),
  "discord-bot": key(
    "discord-token",
    "DISCORD_TOKEN",
    (r) => `MT${r.chars(24, base62)}.G${r.chars(5, base62)}.${r.chars(38, base64url)}`,
  ),
  jwt: key("jwt", "SESSION_JWT", makeJwt),
  age: begun("age-key", "SOPS_AGE_KEY", "AGE-SECRET-KEY-1", 58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"),
  digitalocean: begun("digitalocean-token", "DO_TOKEN", "dop_v1_", 64, hex),
  linear: begun("linear-key", "LINEAR_API_KEY", "lin_api_", 40, base62),
  vercel: begun("vercel-token", "BLOB_READ_WRITE_TOKEN", "vercel_blob_rw_", 42, base62),
  supabase: begun("supabase-key", "SUPABASE_ACCESS_TOKEN", "sbp_", 40, hex),
  "supabase-secret": key(
    "supabase-key",
    "SUPABASE_SECRET",
    (r) => `sb_secret_${r.chars(22, base64url)}_${r.chars(8, base62)}`,
  ),
  cloudflare: key(
    "cloudflare-key",
    "CF_ORIGIN_CA_KEY",
    (r) => `v1.0-${r.chars(24, hex)}-${r.chars(146, hex)}`,
  ),
  shopify: begun("shopify-token", "SHOPIFY_TOKEN", "shpat_", 32, hex),
  square: begun("square-token", "SQUARE_SECRET", "sq0csp-", 43, base64url),
  "square-access": begun("square-token", "SQUARE_TOKEN", "EAAAE", 59, base64url),
  atlassian: key(
    "atlassian-token",
    "JIRA_TOKEN",
    (r) => `ATATT3xFfGF0${r.chars(170, base64url)}=${r.chars(8, hex).toUpperCase()}`,
  ),
  bitbucket: begun("atlassian-token", "BITBUCKET_APP_PASSWORD", "ATBB", 32, base62),
  vault: begun("vault-token", "VAULT_TOKEN", "hvs.CAESI", 90, base64url),
  terraform: key(
    "terraform-token",
    "TFE_TOKEN",
    (r) => `${r.chars(14, base62)}.atlasv1.${r.chars(64, base62)}`,
  ),
  databricks: begun("databricks-token", "DATABRICKS_TOKEN", "dapi", 32, hex),
  grafana: key("grafana-token", "GRAFANA_TOKEN", (r) => `glsa_${r.chars(32, base62)}_${r.chars(8, hex)}`),
  newrelic: begun("newrelic-key", "NEW_RELIC_API_KEY", "NRAK-", 27, base36.toUpperCase()),
  sentry: begun("sentry-token", "SENTRY_AUTH_TOKEN", "sntrys_eyJ", 120, base64url),
  notion: begun("notion-token", "NOTION_TOKEN", "ntn_", 46, base62),
  figma: begun("figma-token", "FIGMA_TOKEN", "figd_", 40, base64url),
  postman: key("postman-key", "POSTMAN_API_KEY", (r) => `PMAK-${r.chars(24, hex)}-${r.chars(34, hex)}`),
  planetscale: begun("planetscale-token", "PLANETSCALE_TOKEN", "pscale_tkn_", 43, base64url),
  tailscale: key(
    "tailscale-key",
    "TS_AUTHKEY",
    (r) => `tskey-auth-k${r.chars(11, base62)}CNTRL-${r.chars(32, base62)}`,
  ),
  replicate: begun("replicate-token", "REPLICATE_API_TOKEN", "r8_", 37, base62),
  groq: begun("groq-key", "GROQ_API_KEY", "gsk_", 52, base62),
  xai: begun("xai-key", "XAI_API_KEY", "xai-", 80, base62),
  perplexity: begun("perplexity-key", "PERPLEXITY_API_KEY", "pplx-", 48, base62),
  airtable: key("airtable-token", "AIRTABLE_TOKEN", (r) => `pat${r.chars(14, base62)}.${r.chars(64, hex)}`),
  doppler: begun("doppler-token", "DOPPLER_TOKEN", "dp.pt.", 43, base62),
  rubygems: begun("rubygems-key", "GEM_HOST_API_KEY", "rubygems_", 48, hex),
  nuget: begun("nuget-key", "NUGET_KEY", "oy2", 43, base36),
  mailchimp: key("mailchimp-key", "MAILCHIMP_KEY", (r) => `${r.chars(32, hex)}-us${1 + r.int(20)}`),
  brevo: key("brevo-key", "BREVO_API_KEY", (r) => `xkeysib-${r.chars(64, hex)}-${r.chars(16, base62)}`),
  resend: key("resend-key", "RESEND_API_KEY", (r) => `re_${r.chars(8, base62)}_${r.chars(24, base62)}`),
  sonar: begun("sonar-token", "SONAR_TOKEN", "squ_", 40, hex),
  langsmith: key(
    "langsmith-key",
    "LANGSMITH_API_KEY",
    (r) => `lsv2_pt_${r.chars(32, hex)}_${r.chars(10, hex)}`,
  ),
  netlify: begun("netlify-token", "NETLIFY_AUTH_TOKEN", "nfp_", 40, base62),
  posthog: begun("posthog-key", "POSTHOG_KEY", "phx_", 43, base62),
  pulumi: begun("pulumi-token", "PULUMI_ACCESS_TOKEN", "pul-", 40, hex),
  heroku: begun("heroku-key", "HEROKU_API_KEY", "HRKU-AA", 58, base64url),
  "discord-mfa": begun("discord-token", "DISCORD_USER_TOKEN", "mfa.", 84, base64url),
  alibaba: begun("alibaba-key", "ALIYUN_ACCESS_KEY", "LTAI5t", 18, base62),
  artifactory: begun("artifactory-key", "ARTIFACTORY_API_KEY", "AKCp8", 68, base62),
  pinecone: key(
    "pinecone-key",
    "PINECONE_API_KEY",
    (r) => `pcsk_${r.chars(6, base62)}_${r.chars(63, base62)}`,
  ),
  tavily: begun("tavily-key", "TAVILY_API_KEY", "tvly-dev-", 32, base62),
  fly: begun("fly-token", "FLY_API_TOKEN", "fm2_", 300, base64url),
  circleci: key("circleci-token", "CIRCLE_TOKEN", (r) => `CCIPAT_${r.chars(22, base62)}_${r.chars(40, hex)}`),
  buildkite: begun("buildkite-token", "BUILDKITE_TOKEN", "bkua_", 40, hex),
  hubspot: key(
    "hubspot-token",
    "HUBSPOT_TOKEN",
    (r) => `pat-na1-${[8, 4, 4, 4, 12].map((length) => r.chars(length, hex)).join("-")}`,
  ),
  contentful: begun("contentful-token", "CONTENTFUL_TOKEN", "CFPAT-", 43, base64url),
  onepassword: begun("onepassword-token", "OP_SERVICE_ACCOUNT_TOKEN", "ops_eyJ", 400, base62),
  elevenlabs: begun("elevenlabs-key", "ELEVENLABS_API_KEY", "sk_", 48, hex),
  mapbox: key(
    "mapbox-token",
    "MAPBOX_SECRET",
    (r) => `sk.eyJ1Ijoi${r.chars(60, base62)}.${r.chars(22, base64url)}`,
  ),
};
