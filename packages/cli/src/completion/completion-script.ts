/** The scripts only ask the program itself: what it offers never differs from what it takes. */
const scripts = {
  // Bash splits words at colons and equals signs, which are in names of models and in options. They are put together
  // again for the program, and what precedes the last of them is taken off what it answers.
  bash: `_svc() {
  local IFS=$'\\n' part current='' rest at count=0 joins=0
  local -a words
  for ((at = 1; at <= COMP_CWORD; at++)); do
    part="\${COMP_WORDS[at]}"
    if ((count > 0)) && { ((joins)) || [[ $part =~ ^[:=]+$ ]]; }; then
      words[count - 1]+="$part"
    else
      words[count++]="$part"
    fi
    [[ $part =~ ^[:=]+$ ]] && joins=1 || joins=0
  done
  current="\${words[count - 1]}"
  ((joins)) && rest='' || rest="$part"
  COMPREPLY=($(svc __complete -- "\${words[@]}" 2>/dev/null))
  if [[ \${COMPREPLY[0]} == "__files__" ]]; then
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$rest"))
  else
    COMPREPLY=("\${COMPREPLY[@]#"\${current%"$rest"}"}")
  fi
}
complete -o nosort -F _svc svc 2>/dev/null || complete -F _svc svc
`,
  zsh: `#compdef svc
_svc() {
  local -a candidates
  candidates=(\${(f)"$(svc __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if [[ \${#candidates} -eq 1 && \${candidates[1]} == "__files__" ]]; then
    compset -P '--*='
    _files
  else
    compadd -Q -V svc -- \${candidates}
  fi
}
if [[ $funcstack[1] == _svc ]]; then
  _svc "$@"
else
  compdef _svc svc
fi
`,
  fish: `function __svc_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  set -l found (svc __complete -- $words[2..-1] "$current" 2>/dev/null)
  if test "$found" = "__files__"
    __fish_complete_path "$current"
  else if test -n "$found"
    printf '%s\\n' $found
  end
end
complete -c svc -k -f -a '(__svc_complete)'
`,
} as const

export type Shell = keyof typeof scripts

export function completionScript(shell: Shell): string {
  return scripts[shell]
}

/** Means "a file", which the shell completes itself. */
export const FILES = '__files__'
