import { join } from "node:path";

/** Shells with completion. */
export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

export function isShell(name: string): name is Shell {
  return shells.some((shell) => shell === name);
}

/** Printed by `sessions complete` if names of files fit, too. */
export const FILES_MARK = ":files";

/*
 * The scripts know nothing about the program: they pass the words to `sessions complete`, which prints a line for
 * each candidate, with a tab before its description.
 */
const scripts: Readonly<Record<Shell, string>> = {
  bash: `# Completion of sessions for bash. Made by \`sessions completion bash\`.
_sessions() {
  local value says line typed ahead= rest=$COMP_LINE i width=$((\${COLUMNS:-80} - 2))
  local -a words=() values=() shown=()
  COMPREPLY=()
  # Bash takes : and = for the end of a word. What is typed without a space is put together again.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    line=\${COMP_WORDS[i]}
    if [[ $i == 0 || $rest == [[:space:]]* ]]; then words+=("$line"); else words[\${#words[@]}-1]+=$line; fi
    rest=\${rest#*"$line"}
  done
  typed=\${words[\${#words[@]}-1]}
  # Only what follows the last of them is replaced.
  if [[ $typed != "\${COMP_WORDS[COMP_CWORD]}" || $typed == [:=]* ]]; then ahead=\${typed%"\${typed##*[:=]}"}; fi
  rest=$("\${COMP_WORDS[0]}" complete -- "\${words[@]:1}" 2>/dev/null)
  while IFS=$'\\t' read -r value says; do
    if [[ -z $value ]]; then continue; fi
    if [[ $value == ${FILES_MARK} ]]; then compopt -o default 2>/dev/null; continue; fi
    value=\${value#"$ahead"}
    values+=("$value")
    line="$value\${says:+  ($says)}"
    shown+=("\${line:0:width}")
  done <<<"$rest"
  compopt -o nosort 2>/dev/null
  if ((\${#values[@]} == 1)); then
    printf -v value '%q' "\${values[0]}"
    COMPREPLY=("$value")
  elif ((COMP_TYPE == 37 || COMP_TYPE == 42)); then
    COMPREPLY=("\${values[@]}")
  else
    COMPREPLY=("\${shown[@]}")
  fi
}
complete -F _sessions sessions
`,
  zsh: `#compdef sessions
# Completion of sessions for zsh. Made by \`sessions completion zsh\`.
_sessions() {
  local line value says files
  local -a found
  while IFS= read -r line; do
    value=\${line%%$'\\t'*}
    says=\${line#*$'\\t'}
    if [[ $value == ${FILES_MARK} ]]; then files=1; continue; fi
    found+=("\${value//:/\\\\:}:$says")
  done < <("\${words[1]}" complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  (( \${#found} )) && _describe -V sessions found
  [[ -n $files ]] && _files
}
if [[ $funcstack[1] == _sessions ]]; then _sessions "$@"; else compdef _sessions sessions; fi
`,
  fish: `# Completion of sessions for fish. Made by \`sessions completion fish\`.
function __sessions_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in ($words[1] complete -- $words[2..-1] 2>/dev/null)
        if test "$line" = "${FILES_MARK}"
            __fish_complete_path (commandline -ct)
        else
            echo $line
        end
    end
end
complete -c sessions -f -k -a '(__sessions_complete)'
`,
};

export function completionScript(shell: Shell): string {
  return scripts[shell];
}

interface ScriptPlace {
  readonly path: string;
  /** Further steps, if the shell does not load the file by itself. */
  readonly afterwards: string;
}

/** Where a shell looks for completions of a user. */
export function scriptPlace(
  shell: Shell,
  home: string,
  variables: Readonly<Record<string, string | undefined>>,
): ScriptPlace {
  const data = variables.XDG_DATA_HOME || join(home, ".local/share");
  switch (shell) {
    case "bash":
      return {
        path: join(
          variables.BASH_COMPLETION_USER_DIR || join(data, "bash-completion"),
          "completions/sessions",
        ),
        afterwards: "New shells load it if the package bash-completion is installed.",
      };
    case "zsh":
      return {
        path: join(data, "zsh/site-functions/_sessions"),
        afterwards: `New shells load it if this line is in .zshrc, before compinit:\n  fpath=(${join(data, "zsh/site-functions")} $fpath)`,
      };
    case "fish":
      return {
        path: join(variables.XDG_CONFIG_HOME || join(home, ".config"), "fish/completions/sessions.fish"),
        afterwards: "New shells load it.",
      };
  }
}
