import { html } from "../render/html/markup.ts";

/**
 * Scripts and styles come from the folder of the site alone; `file:` is for pages that are opened from disk, because
 * some browsers do not consider files to be of the page's own origin.
 */
const POLICY =
  "default-src 'none'; script-src 'self' file:; style-src 'self' file:; img-src data:; base-uri 'none'; form-action 'none'";

/** The files that belong together. */
interface SiteParts {
  readonly script: string;
  readonly style: string;
  /** The version of the data: `data/index-VERSION.js`. */
  readonly version: string;
}

/** The page of a site, without any text of a log: its script adds the content. */
export function siteHtml({ script, style, version }: SiteParts): string {
  return `${
    html`<!doctype html>
<html lang="en" data-version="${version}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Sessions</title>
<link rel="stylesheet" href="${style}">
</head>
<body>
<main>
<header>
<h1>Sessions</h1>
<input id="query" type="search" aria-label="Search" placeholder="Search" autocomplete="off" spellcheck="false" autofocus>
<p id="status" role="status">Loading …</p>
</header>
<ol id="list"></ol>
<noscript><p>This page needs its script, site.js, to list and search the sessions. Each session is a page in the folder sessions.</p></noscript>
</main>
<script src="${script}"></script>
</body>
</html>`.html
  }\n`;
}
