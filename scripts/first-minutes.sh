#!/bin/sh
# A newcomer's first minutes, timed: a fresh clone, the first answer, the first resume, the first page, the first restored
# session. Prints a transcript. Usage: scripts/first-minutes.sh [REPOSITORY]; it works in a temporary folder and home.
set -eu
repository=${1:-$(git -C "$(dirname "$0")" rev-parse --show-toplevel)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME="$work/home" SESSIONS_GUARD=off
unset SESSIONS_HOME CLAUDE_CONFIG_DIR CODEX_HOME || true
mkdir "$HOME"
began=$(date +%s)

step() {
  printf '\n[%3d s] %s\n' "$(($(date +%s) - began))" "$1"
}
run() {
  printf '$ %s\n' "$*"
  "$@" 2>&1 | head -12
}

step "a clone, and its build"
run git clone --quiet --depth 1 "file://$repository" "$work/sessions"
cd "$work/sessions"
run npm install --no-audit --no-fund --loglevel=error
sessions="node $work/sessions/dist/sessions.cjs"

step "the first answer, from the example history"
run $sessions search token refresh --limit 1

step "with logs of one's own: the first resume command"
cp -R fixtures/demo/. "$HOME"
run $sessions resume 87f01b2f

step "the first page"
$sessions serve --json > "$work/page.json" 2>/dev/null &
server=$!
while [ ! -s "$work/page.json" ]; do sleep 0.1; done
url=$(sed 's/.*"url":"\([^"#]*\).*/\1/' "$work/page.json")
printf '$ sessions serve\n%s answers %s\n' "$url" "$(curl -s -o /dev/null -w '%{http_code}' "$url")"
kill -INT "$server"
wait "$server" || true

step "the first restored session"
run $sessions archive
log=$(find "$HOME/.claude" -name '87f01b2f*.jsonl')
sum=$(cksum < "$log")
rm "$log"
run $sessions restore 87f01b2f
[ "$sum" = "$(cksum < "$log")" ] && echo "the same bytes as before"

step "done"
