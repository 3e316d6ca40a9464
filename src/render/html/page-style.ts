import type { Html } from "./markup.ts";

/**
 * Light or dark as the reader's system prefers. One column for reading, with the requests beside it if the window is wide
 * enough; printed without them and with everything unfolded.
 */
export const pageStyle: Html = {
  html: `:root {
  color-scheme: light dark;
  --ground: #fcfbf9; --raised: #f4f1ec; --code: #f3f0ea; --line: #e2ddd4; --text: #24211d; --soft: #746d63;
  --accent: #9a4a1c; --request: #f7ede4; --good: #3d7a45; --bad: #b3372b; --added: #e2f2e1; --removed: #fbe5e1;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #181614; --raised: #211e1b; --code: #221f1c; --line: #37322d; --text: #e6e1da; --soft: #9c9389;
    --accent: #e39a67; --request: #2b221b; --good: #7fc087; --bad: #ef8d80; --added: #1d3322; --removed: #3f2320;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--ground); color: var(--text);
  font: 1rem/1.6 ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
}
main { max-width: 47rem; margin: 0 auto; padding: 3rem 1.5rem 6rem; overflow-wrap: break-word; }
nav { margin: 2.5rem 0 0; max-height: 24rem; overflow-y: auto; font-size: .875rem; line-height: 1.45; }
nav h2 { margin: 0 0 .5rem; font-size: .75rem; letter-spacing: .06em; text-transform: uppercase; color: var(--soft); border: 0; padding: 0; }
nav ol { list-style: none; counter-reset: request; margin: 0; padding: 0; }
nav li { counter-increment: request; }
nav a {
  display: block; padding: .2rem .5rem .2rem 2.25rem; border-radius: .3rem; color: inherit; text-decoration: none;
  position: relative;
}
nav a > span { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; overflow-wrap: anywhere; }
nav a::before {
  content: counter(request); position: absolute; left: 0; width: 1.75rem; text-align: right; color: var(--soft);
  font-variant-numeric: tabular-nums;
}
nav a:hover { background: var(--raised); color: var(--accent); }
nav .compacted a, nav .branch a { color: var(--soft); }
@media screen and (min-width: 72rem) {
  body:has(nav) { padding-left: 19rem; }
  nav {
    position: fixed; top: 0; left: 0; width: 19rem; height: 100%; max-height: none; margin: 0;
    padding: 3rem 1rem 2rem 1.25rem; border-right: 1px solid var(--line);
  }
}
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 1.25rem; letter-spacing: -.015em; text-wrap: balance; }
@media (max-width: 40rem) {
  main { padding: 1.5rem 1rem 4rem; }
  h1 { font-size: 1.35rem; }
}
.back { display: inline-block; margin: 0 0 1.25rem; font-size: .875rem; text-decoration: none; }
h2 { font-size: 1.2rem; margin: 3rem 0 1rem; padding-bottom: .35rem; border-bottom: 1px solid var(--line); }
h3 { font-size: .8125rem; font-weight: 500; margin: 0 0 .6rem; color: var(--soft); display: flex; flex-wrap: wrap; gap: .25rem .6rem; align-items: baseline; }
h4, h5 { font-size: 1rem; margin: 1.4rem 0 .4rem; line-height: 1.35; }
h4 { font-size: 1.0625rem; }
p, ul, ol, blockquote, table { margin: .7rem 0; }
ul, ol { padding-left: 1.6rem; }
li { margin: .2rem 0; }
li > p, li > ul, li > ol { margin: .2rem 0; }
a { color: var(--accent); text-underline-offset: .15em; text-decoration-thickness: .06em; }
hr { border: 0; border-top: 1px solid var(--line); margin: 1.5rem 0; }
blockquote { margin-left: 0; padding-left: 1rem; border-left: .2rem solid var(--line); color: var(--soft); }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; font-size: .84em; font-variant-ligatures: none; }
code { background: var(--code); border-radius: .25rem; padding: .12em .3em; }
pre { background: var(--code); border: 1px solid var(--line); border-radius: .4rem; padding: .7rem .85rem; margin: .7rem 0; overflow-x: auto; line-height: 1.45; tab-size: 4; }
pre code { background: none; padding: 0; font-size: .95em; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; }
th, td { padding: .3rem .75rem .3rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th { font-weight: 600; color: var(--soft); font-size: .8125rem; }
.files .count, .files th:nth-child(-n+2) { text-align: right; font-variant-numeric: tabular-nums; color: var(--soft); }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .25rem 1.1rem; margin: 0; font-size: .9rem; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
.commands { list-style: none; padding: 0; font-size: .9rem; }
.commands li { display: flex; gap: .55rem; align-items: baseline; padding: .3rem 0; margin: 0; border-bottom: 1px solid var(--line); }
.commands code { white-space: pre-wrap; overflow-wrap: anywhere; background: none; padding: 0; min-width: 0; }
.commands .turn-link { margin-left: auto; padding-left: .5rem; }
.many > summary { cursor: pointer; color: var(--soft); font-size: .9rem; }
.decisions > li > p:first-child { display: inline; }
.turn-link, .words, .cut, .also, .note, .mark { color: var(--soft); font-size: .8125rem; }
.turn-link { white-space: nowrap; text-decoration: none; }
.turn-link:hover { text-decoration: underline; }
.turn { padding: 2rem 0 .5rem; border-top: 1px solid var(--line); }
#conversation > h2 + .turn, #subagents > h2 + .turn { border-top: 0; padding-top: .5rem; }
.turn > h3 > a { color: var(--accent); font-weight: 700; text-decoration: none; font-variant-numeric: tabular-nums; }
.chip { border: 1px solid var(--line); border-radius: 1rem; padding: 0 .6rem; font-size: .75rem; }
.request { background: var(--request); border-left: .2rem solid var(--accent); border-radius: 0 .5rem .5rem 0; padding: .8rem 1.1rem; margin: 0 0 1.25rem; }
.picture { display: block; max-width: 100%; max-height: 70vh; margin: .6rem 0; border: 1px solid var(--line); border-radius: .4rem; }
.request > :first-child { margin-top: 0; }
.request > :last-child { margin-bottom: 0; }
.typed { white-space: pre-wrap; overflow-wrap: anywhere; }
.turn:target .request { outline: 2px solid var(--accent); outline-offset: 2px; }
.reply { margin: 1rem 0; }
.error { color: var(--bad); }
.calls { margin: 1rem 0; border: 1px solid var(--line); border-radius: .5rem; overflow: hidden; font-size: .875rem; }
.call { border-top: 1px solid var(--line); }
.call:first-child { border-top: 0; }
.call > summary, div.call { padding: .38rem .85rem; display: flex; gap: .55rem; align-items: baseline; }
.call > summary { cursor: pointer; list-style: none; }
.call > summary::-webkit-details-marker { display: none; }
.call > summary::after { content: "›"; color: var(--soft); margin-left: auto; padding-left: .25rem; }
.call[open] > summary::after { transform: rotate(90deg); }
.call > summary:hover { background: var(--raised); }
.call[open] > summary { background: var(--raised); border-bottom: 1px solid var(--line); }
.call > summary > code, div.call > code { background: none; padding: 0; color: var(--soft); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; min-width: 0; }
.call b { font-weight: 600; white-space: nowrap; }
.call > div, .call > .mark { padding: 0 .85rem; }
.thinking { color: var(--soft); }
.thinking > summary { font-size: .8125rem; padding-left: 2.4rem; }
.call pre { max-height: 26rem; overflow: auto; }
.result pre { white-space: pre-wrap; overflow-wrap: anywhere; }
.state { color: var(--soft); width: 1em; flex: none; text-align: center; }
.done > summary > .state, .done > .state { color: var(--good); }
.failed > summary > .state, .failed > .state, .outcome { color: var(--bad); }
.unknown .outcome { color: var(--soft); }
.outcome { white-space: nowrap; font-size: .8125rem; }
.added, .removed { display: inline-block; min-width: 100%; }
.added { background: var(--added); }
.removed { background: var(--removed); }
.aside { margin: .8rem 0; color: var(--soft); font-size: .9rem; }
.aside > summary { cursor: pointer; font-size: .8125rem; }
.aside > :not(summary) { margin-left: 1rem; }
.mark { text-align: center; }
@media print {
  :root { --ground: #fff; --raised: #fff; --code: #fff; --line: #ccc; --text: #000; --soft: #555; --accent: #000; --request: #f5f5f5; --added: #fff; --removed: #fff; }
  body { padding: 0; font-size: 10pt; }
  nav { display: none; }
  main { max-width: none; padding: 0; }
  pre, .call pre { white-space: pre-wrap; max-height: none; overflow: visible; }
  h2, h3, .call > summary { break-after: avoid; }
  .request, tr { break-inside: avoid; }
  details::details-content { content-visibility: visible; block-size: auto; }
  a { text-decoration: none; }
}`,
};
