#!/bin/sh
# Runs the program "sessions" for the plugin: the one that the plugin came with (a checkout, or the npm package), else the one
# on the PATH. A hook never fails, and if the program is missing, a new session says so.
own="$(dirname "$0")/../../dist/sessions.cjs"
if [ -f "$own" ] && command -v node >/dev/null 2>&1; then
  set -- node "$own" "$@"
  verb=$3
elif command -v sessions >/dev/null 2>&1; then
  set -- sessions "$@"
  verb=$2
else
  missing='The plugin "sessions" needs the program of that name. Install it: npm install -g agent-sessions'
  case "$1 $2" in
    "hook session-start") printf '{"systemMessage":"%s"}\n' "$(printf '%s' "$missing" | sed 's/"/\\"/g')" ;;
    hook*) ;;
    *) printf '%s\n' "$missing" >&2 && exit 127 ;;
  esac
  exit 0
fi
[ "$verb" = hook ] || exec "$@"
"$@" || true
